"""The request for a run: what it is called, and what its record holds of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm_matching import Plan, match_prompt
from tellapart.core.addresses import without_password
from tellapart.errors import UsageError, near_match
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import check_distinct, prompt_hashes, recorded_inputs
from tellapart.store import RunPlan


def run_request(
    benchmark: Benchmark,
    models: Sequence[str],
    llms: Sequence[LanguageModel],
    plan: Plan,
    *,
    out: Path | None,
    base_url: str | None,
    reuse: Path | None = None,
    primary: tuple[str, str] | None = None,
) -> RunPlan:
    """Plan a run of models that answer a benchmark.

    Args:
        benchmark: What is answered.
        models: Names of matchers, each once.
        llms: Language models.
        plan: How often each item is put to a language model.
        out: The directory; by default ``runs/`` and a name that follows from all else.
        base_url: Where an OpenAI-compatible server of embeddings is.
        reuse: An earlier run, or its journal of calls, that is taken over.
        primary: Column and value of the items that the verdict is about, declared before the scores are
            known; None for all items.

    Raises:
        UsageError: Two language models have one name, or the benchmark has no such column or value.
        InputError: A journal that is taken over cannot be read.
    """
    check_primary(benchmark, primary)
    check_distinct(llms, next_step="Name it once in a run; to ask it with other settings, start another run")
    config: dict[str, Any] = {
        "models": list(models),
        "server": without_password(base_url) if base_url else None,
    }
    if llms:
        config |= {
            "llms": [llm.requested() for llm in llms],
            "plan": asdict(plan),
            **prompt_hashes({"prompt": match_prompt()}),
        }
    if primary:
        config["primary"] = list(primary)
    recordings = recorded_inputs({f"recording of {llm.name}": llm for llm in llms}, reuse)
    inputs = {"benchmark": benchmark.header.fingerprint, **recordings}
    return RunPlan("contrastive", config, inputs, seed=benchmark.header.seed, out=out)


def check_primary(benchmark: Benchmark, primary: tuple[str, str] | None) -> None:
    """See that a benchmark has the part of the items that a verdict is to be about.

    Raises:
        UsageError: There is no such column, or no item with this value.
    """
    if primary is None:
        return
    column, value = primary
    targets = [benchmark.units[benchmark.position[target]] for target in benchmark.sets["target"]]
    values = {
        "difficulty": list(dict.fromkeys(benchmark.sets["level"])),
        "language": sorted({target.language for target in targets}),
        "unit_type": sorted({target.type for target in targets}),
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
