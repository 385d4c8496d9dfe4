"""How an evaluation is done: explorers, judge, limits and seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from tellapart.codesearch.config import OFFLINE, Config
from tellapart.codesearch.evaluation import evaluation_file
from tellapart.codesearch.explorers.agent import AgentOptions, explore_prompt
from tellapart.codesearch.judging.assessment import assess_prompt
from tellapart.codesearch.judging.relevance import BATCH, judge_prompt
from tellapart.codesearch.kinds import EXPLORERS, parse_explorer
from tellapart.core.seed import SEED
from tellapart.core.settings import (
    AMONG_INPUTS,
    NO_EFFECT,
    SEED_OF_RUN,
    Recorded,
    Unrecorded,
    settings_record,
)
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import REPLAY, LanguageModel
from tellapart.llm.run_models import prompt_hashes

UNNAMED = "search"  # What a system under test is called whose name nobody says


def _explorers(settings: EvaluationSettings) -> dict[str, Any]:
    run_a, run_b = settings.explorers
    explorers = {name: explorer_settings(name, settings.agents) for name in settings.explorers}
    return {"explorers": explorers, "run_a": run_a, "run_b": run_b}


def explorer_settings(name: str, agents: AgentOptions) -> dict[str, Any]:
    """How an explorer that is a language model is asked; empty of others."""
    kind, argument = parse_explorer(name)
    if not EXPLORERS[kind].asks_model:
        return {}
    requested = agents.model(argument).requested() if kind == "agent" else {}
    return {**requested, **settings_record(agents), "prompt": explore_prompt().sha256}


def _assess(settings: EvaluationSettings) -> dict[str, bool]:
    return {"assess": settings.assess and settings.judge is not None}


def _judge(settings: EvaluationSettings) -> dict[str, Any]:
    if settings.recorded_judge is not None:
        return {"judge": {"model": f"{REPLAY}{settings.recorded_judge}"}}
    if settings.judge is None:
        return {"judge": None}
    prompts = {"judge_prompt": judge_prompt(), "assess_prompt": assess_prompt()}
    return {"judge": settings.judge.requested(), "judge_batch": BATCH, **prompt_hashes(prompts)}


@dataclass(frozen=True)
class EvaluationSettings:
    """How to evaluate."""

    explorers: Annotated[tuple[str, str], Recorded(_explorers)] = OFFLINE
    agents: Annotated[AgentOptions, Recorded(_explorers)] = field(default_factory=AgentOptions)
    assess: Annotated[bool, Recorded(_assess)] = Config.assess
    retest: int = Config.retest
    system: str | None = None
    unranked: bool = False
    at_base: bool = False
    sample_rest: int = 0
    judge: Annotated[LanguageModel | None, Recorded(_judge)] = None
    recorded_judge: Annotated[Path | None, Recorded(_judge)] = None
    concurrency: Annotated[int, Unrecorded(NO_EFFECT)] = Config.concurrency
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[tuple[Path, ...], Unrecorded(AMONG_INPUTS)] = ()
    seed: Annotated[int, Unrecorded(SEED_OF_RUN)] = SEED

    @property
    def recordings(self) -> dict[str, Path]:
        """The files of the evaluations that are replayed, by explorer, and whose verdicts are."""
        named = {name: parse_explorer(name) for name in self.explorers}
        paths = {name: Path(argument) for name, (kind, argument) in named.items() if kind == "replay"}
        if self.recorded_judge is not None:
            paths["recorded verdicts"] = self.recorded_judge
        return {name: evaluation_file(path) for name, path in paths.items()}
