"""Every setting of every suite is in the record of its run, or says why it is not.

Each field is changed alone. A field without an example here fails the first test, so a new option cannot be
forgotten: it changes the record, or its type says why not.
"""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from tellapart.bundles.mining.settings import Settings as MiningSettings
from tellapart.codesearch.explorers.agent import AgentOptions
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.contrastive.llm_matching import OrderPlan
from tellapart.contrastive.running import RunSettings
from tellapart.core.settings import Unrecorded, field_types, settings_record
from tellapart.llm.agents import Purse
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.systems import System
from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.design import Playing
from tellapart.longcontext.grade_run import GradeSettings
from tellapart.longcontext.run import RunRequest
from tellapart.writers import RetrievalSettings

MODEL, OTHER = LanguageModel("anthropic/a"), LanguageModel("openai/b")
LIMITS = Limits(max_cost=1.0)
AGENTS = ("agent:anthropic/a", "claude-code:b")

# Settings, and of each field another value.
EXAMPLES = [
    (
        EvaluationSettings(AGENTS, judge=MODEL),
        {
            "explorers": AGENTS[::-1],
            "agents": AgentOptions(turns=3),
            "assess": False,
            "retest": 2,
            "system": "other",
            "unranked": True,
            "at_base": True,
            "judge": OTHER,
            "recorded_judge": Path("evaluation.json"),
            "concurrency": 1,
            "limits": LIMITS,
            "reuse": (Path("run"),),
            "seed": 1,
            "sample_rest": 20,
        },
    ),
    (
        AgentOptions(),
        {
            "turns": 3,
            "seconds": 5.0,
            "tokens": 100,
            "parameters": {"max_tokens": 7},
            "limits": LIMITS,
            "purse": Purse(dollars=1.0),
        },
    ),
    (
        MODEL,
        {
            "name": "anthropic/b",
            "base_url": "http://localhost",
            "temperature": None,
            "max_tokens": 7,
            "seed": 1,
            "reasoning_effort": "low",
            "response_schema": True,
            "anthropic_version": "2020-01-01",
            "attempt_timeout_s": 1,
            "max_retries": 1,
            "first_wait_s": 1.0,
            "recording": Path("calls.db"),
        },
    ),
    (
        RunSettings(["bm25"], llms=[MODEL]),
        {
            "models": ["bm25", "lsa"],
            "base_url": "http://localhost",
            "llms": [OTHER],
            "plan": OrderPlan(orders=2),
            "primary": ("difficulty", "hard"),
            "until_separated": True,
            "limits": LIMITS,
            "reuse": Path("run"),
        },
    ),
    (
        RetrievalSettings(["bm25"], MODEL),
        {
            "models": ["bm25", "lsa"],
            "queries": OTHER,
            "base_url": "http://localhost",
            "limits": LIMITS,
            "reuse": Path("run"),
        },
    ),
    (OrderPlan(), {"orders": 2, "repeats": 2}),
    (
        RunRequest([], [MODEL]),
        {
            "cases": ["a case"],
            "models": [OTHER],
            "playing": Playing(fork_probes=True),
            "epochs": 2,
            "control": "oracle",
            "key": AnswerKey({}),
        },
    ),
    (Playing(), {"target_tokens": 9, "probes_last": False, "fork_probes": True}),
    (
        GradeSettings("judge", MODEL),
        {
            "grader": "both",
            "judge": OTHER,
            "repeats": 3,
            "standard": "strict",
            "delay_s": 9.0,
            "limits": LIMITS,
            "reuse": Path("run"),
            "seed": 1,
        },
    ),
    (MiningSettings(), {one.name: 77 for one in fields(MiningSettings)}),
    (
        System("a", "assistant"),
        {
            "name": "b",
            "target": "python:assistant:build",
            "files": (("assistant.py", "0"),),
            "turn_timeout_s": 5.0,
            "pass_env": ("A",),
            "recording": Path("run"),
        },
    ),
]


@pytest.mark.parametrize(("settings", "others"), EXAMPLES, ids=lambda one: type(one).__name__)
def test_every_field_changes_the_record_or_says_why_not(settings, others):
    assert set(others) == {one.name for one in fields(settings)}
    record = settings_record(settings)
    for name, notes in field_types(type(settings)).items():
        changed = settings_record(replace(settings, **{name: others[name]})) != record
        unrecorded = any(isinstance(note, Unrecorded) for note in notes)
        assert changed is not unrecorded, name
