"""What a run was asked for: its record, and the directory that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm.matching import Plan, match_prompt
from tellapart.contrastive.llm.run import recordings
from tellapart.core.addresses import without_password
from tellapart.llm.models import LanguageModel
from tellapart.llm.repair import repair_prompt
from tellapart.store import RunRecord, new_record, run_name


def asked_run(
    benchmark: Benchmark,
    models: Sequence[str],
    llms: Sequence[LanguageModel],
    plan: Plan,
    *,
    out: Path | None,
    base_url: str | None,
    reuse: Path | None = None,
) -> tuple[Path, RunRecord]:
    """The directory and the record of a run that has yet to be written, or to be gone on with.

    Args:
        benchmark: What is answered.
        models: Names of matchers, each once.
        llms: Language models.
        plan: How often each item is put to a language model.
        out: The directory; by default ``runs/`` and a name that follows from all else.
        base_url: Where an OpenAI-compatible server of embeddings is.
        recordings: Fingerprints of journals of calls that answer in place of language models.
        reuse: An earlier run, or its journal of calls, that is taken over.

    Raises:
        UsageError: Two language models have one name.
        InputError: A journal that is taken over cannot be read.
    """
    config: dict[str, Any] = {
        "models": list(models),
        "server": without_password(base_url) if base_url else None,
    }
    if llms:
        config |= {
            "llms": [llm.requested() for llm in llms],
            "plan": asdict(plan),
            "prompt": match_prompt().sha256,
            "repair_prompt": repair_prompt().sha256,
        }
    inputs = {"benchmark": benchmark.header.fingerprint, **recordings(llms, reuse)}
    path = out or Path("runs") / run_name("contrastive", config, inputs)
    return path, new_record("contrastive", config, inputs, seed=benchmark.header.seed)
