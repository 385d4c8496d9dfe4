"""A setting whose record is made by a function of its own changes the record of its run.

All other fields are recorded as they are, or say in their type why not; see ``tellapart.core.settings``.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.codesearch.explorers.agent import AgentOptions
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.contrastive.llm_matching import OrderPlan
from tellapart.contrastive.running import RunSettings
from tellapart.core.settings import Recorded, field_types, settings_record
from tellapart.llm.models import LanguageModel
from tellapart.llm.systems import System
from tellapart.longcontext.grade_run import GradeSettings
from tellapart.writers import RetrievalSettings

MODEL, OTHER = LanguageModel("anthropic/a"), LanguageModel("openai/b")
AGENTS = ("agent:anthropic/a", "claude-code:b")

# Settings, and another value of each field with a function of its own.
EVALUATION = {"explorers": AGENTS[::-1], "agents": AgentOptions(turns=3), "assess": False, "judge": OTHER}
EVALUATION |= {"recorded_judge": Path("evaluation.json")}
RUN = {"base_url": "http://localhost", "llms": [OTHER], "plan": OrderPlan(orders=2), "until_separated": True}
RUN |= {"primary": ("difficulty", "hard")}
SYSTEM = {"name": "b", "target": "python:assistant:build", "files": (("assistant.py", "0"),)}
EXAMPLES = [
    (EvaluationSettings(AGENTS, judge=MODEL), EVALUATION),
    (MODEL, {"name": "anthropic/b", "base_url": "http://localhost", "anthropic_version": "2020-01-01"}),
    (RunSettings(["bm25"], llms=[MODEL]), RUN),
    (RetrievalSettings(["bm25"], MODEL), {"queries": OTHER, "base_url": "http://localhost"}),
    (GradeSettings("judge", MODEL), {"judge": OTHER, "repeats": 3, "standard": "strict"}),
    (System("a", "assistant"), SYSTEM),
]


@pytest.mark.parametrize(("settings", "others"), EXAMPLES, ids=lambda one: type(one).__name__)
def test_every_field_with_a_function_of_its_own_changes_the_record(settings, others):
    types = field_types(type(settings))
    assert set(others) == {
        name for name, notes in types.items() if any(isinstance(note, Recorded) for note in notes)
    }
    record = settings_record(settings)
    for name, value in others.items():
        assert settings_record(replace(settings, **{name: value})) != record, name
