"""The request for a run: what it is called, and what its record holds of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm_matching import ONCE, OrderPlan, match_prompt
from tellapart.contrastive.selection.levels import POOL, declared
from tellapart.core.addresses import without_password
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded, settings_record
from tellapart.errors import UsageError, near_match
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import check_distinct, prompt_hashes, recorded_inputs
from tellapart.store import RunPlan


def _server(settings: RunSettings) -> dict[str, str | None]:
    return {"server": without_password(settings.base_url) if settings.base_url else None}


def _llms(settings: RunSettings) -> dict[str, Any]:
    if not settings.llms:
        return {}
    return {
        "llms": [llm.requested() for llm in settings.llms],
        "plan": settings_record(settings.plan),
        **prompt_hashes({"prompt": match_prompt()}),
    }


def _primary(settings: RunSettings) -> dict[str, list[str]]:
    return {"primary": list(settings.primary)} if settings.primary else {}


def _until_separated(settings: RunSettings) -> dict[str, bool]:
    return {"until_separated": True} if settings.until_separated else {}


@dataclass(frozen=True)
class RunSettings:
    """How a benchmark is answered.

    Attributes:
        models: Names of matchers, each once.
        base_url: Where an OpenAI-compatible server of embeddings is.
        llms: Language models, each once, that order the options too.
        plan: How often each item is put to a language model.
        primary: Column and value of the items that the verdict is about, declared before the scores are
            known; None for the benchmark's one level.
        until_separated: Whether language models are asked items in random order until they are told apart.
        limits: What language models may cost, and how many calls run at the same time.
        reuse: An earlier run, or its journal of calls, that is taken over.
    """

    models: Sequence[str]
    base_url: Annotated[str | None, Recorded(_server)] = None
    llms: Annotated[Sequence[LanguageModel], Recorded(_llms)] = ()
    plan: Annotated[OrderPlan, Recorded(_llms)] = ONCE
    primary: Annotated[tuple[str, str] | None, Recorded(_primary)] = None
    until_separated: Annotated[bool, Recorded(_until_separated)] = False
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


def with_primary(benchmark: Benchmark, settings: RunSettings) -> RunSettings:
    """Declare which level the verdict is about, where nobody has: the mean over levels hides differences."""
    levels = [level for level in benchmark.sets["level"].unique() if not settings.llms or level != POOL.name]
    if settings.primary or settings.until_separated or len(levels) < 2:
        return settings
    return replace(settings, primary=("difficulty", declared(levels, for_llms=bool(settings.llms))))


def run_request(benchmark: Benchmark, settings: RunSettings, out: Path | None = None) -> RunPlan:
    """Plan a run of models that answer a benchmark."""
    check_primary(benchmark, settings.primary)
    if settings.llms and settings.primary == ("difficulty", POOL.name):
        raise UsageError(
            f"the verdict cannot be about {POOL.name}: language models are not asked its items",
            next_step="Take another level, such as --primary difficulty=ladder",
        )
    _check_until_separated(benchmark, settings)
    check_distinct(
        settings.llms, next_step="Name it once in a run; to ask it with other settings, start another run"
    )
    recordings = recorded_inputs({f"recording of {llm.name}": llm for llm in settings.llms}, settings.reuse)
    inputs = {"benchmark": benchmark.header.fingerprint, **recordings}
    return RunPlan("contrastive", settings_record(settings), inputs, seed=benchmark.header.seed, out=out)


def _check_until_separated(benchmark: Benchmark, settings: RunSettings) -> None:
    if not settings.until_separated:
        return
    if settings.primary:
        raise UsageError("--until-separated asks items of the declared level, and --primary names others")
    models = len(settings.models) + len(settings.llms)
    if not settings.llms or models * len(benchmark.sources) < 2:
        raise UsageError(
            "--until-separated asks language models until they are told apart, and there are no two models",
            next_step="Name two: --llm PROVIDER/MODEL --llm PROVIDER/MODEL",
        )


def check_primary(benchmark: Benchmark, primary: tuple[str, str] | None) -> None:
    """See that a benchmark has the part of the items that a verdict is to be about."""
    if primary is None:
        return
    column, value = primary
    values = {
        "difficulty": list(dict.fromkeys(benchmark.sets["level"])),
        "language": sorted({target.language for target in benchmark.targets}),
        "unit_type": sorted({target.type for target in benchmark.targets}),
    }
    if column not in values:
        raise UsageError(
            f"--primary names the column {column!r}, expected one of {', '.join(values)}",
            next_step=near_match(column, values),
        )
    if value not in values[column]:
        raise UsageError(
            f"no item of this benchmark has {column} {value!r}", next_step=near_match(value, values[column])
        )
