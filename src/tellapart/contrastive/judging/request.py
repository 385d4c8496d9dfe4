"""The request for judges: what a run of them is called, and what its record holds of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.evidence_kinds import JUDGE
from tellapart.contrastive.judging.criteria import PAIRWISE, POINTWISE, WEIGHTS
from tellapart.contrastive.judging.questions import (
    JudgeQuestions,
    judge_prompts,
    judged_units,
    showings_of,
)
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.errors import InputError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import check_distinct, prompt_hashes, recorded_inputs
from tellapart.store import RunPlan


def _judges(settings: JudgeSettings) -> dict[str, Any]:
    return {"judges": [judge.requested() for judge in settings.judges]}


def _methods(settings: JudgeSettings) -> dict[str, Any]:
    prompts = judge_prompts()
    return {
        "methods": list(settings.methods),
        "weights": dict(WEIGHTS),
        **prompt_hashes({f"{method}_prompt": prompts[method] for method in settings.methods}),
    }


@dataclass(frozen=True)
class JudgeSettings:
    """How the summaries of a benchmark are judged.

    Attributes:
        methods: ``pointwise``, ``pairwise`` or both, in this order.
        units: How many units' summaries are judged; None for all targets.
        families: By model its family, where it is not that of its name.
        limits: What judges may cost, and how many calls run at the same time.
        reuse: An earlier run, or its journal of calls, that is taken over.
    """

    judges: Annotated[Sequence[LanguageModel], Recorded(_judges)]
    methods: Annotated[Sequence[str], Recorded(_methods)] = (POINTWISE,)
    units: int | None = None
    families: Mapping[str, str] = field(default_factory=dict)
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


def judge_request(benchmark: Benchmark, settings: JudgeSettings, out: Path | None = None) -> RunPlan:
    """Plan a run of judges."""
    check_distinct(
        settings.judges, next_step="Name it once in a run; to ask it with other settings, start another run"
    )
    recordings = recorded_inputs(
        {f"recording of {judge.name}": judge for judge in settings.judges}, settings.reuse
    )
    inputs = {"benchmark": benchmark.header.fingerprint, **recordings}
    config = {"evidence": JUDGE, **settings_record(settings)}
    return RunPlan("contrastive", config, inputs, seed=benchmark.header.seed, out=out)


def judge_questions(benchmark: Benchmark, settings: JudgeSettings) -> dict[str, JudgeQuestions]:
    """What each judge is asked, by method."""
    targets = judged_units(benchmark, settings.units)
    if not targets:
        raise InputError(
            "no target of this benchmark has a summary", next_step="Build it with 'contrastive build'"
        )
    questions = {
        method: JudgeQuestions(benchmark, showings_of(benchmark, targets, [method]))
        for method in settings.methods
    }
    if PAIRWISE in questions and not questions[PAIRWISE].showings:
        raise InputError(
            f"no unit has summaries of two writers, so there are no pairs; the only writer is "
            f"{', '.join(benchmark.sources)}",
            next_step="Use --method pointwise, or build with --summaries llm:A,B",
        )
    return questions
