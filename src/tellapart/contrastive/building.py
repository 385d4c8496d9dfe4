"""Building a benchmark: repositories in, a frozen benchmark out, with summaries by whoever is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tellapart.contrastive.assembly import build_benchmark, selection_texts, with_summaries
from tellapart.contrastive.benchmark import LLM, Benchmark, CandidateKind, write_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_summaries import write_summaries
from tellapart.contrastive.masking import mask_material
from tellapart.contrastive.material import gather_material
from tellapart.contrastive.models import Models, opened, require_selectors
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.contrastive.summaries import named_models
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import UsageError
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.store.growing import filling, growing, partial_path, tidy

Summarisers = str | Sequence[LanguageModel]
"""``docstring``, ``jsonl:FILE``, ``llm:PROVIDER/MODEL[,…]``, or language models with their own parameters."""


def build(
    repositories: Sequence[str | Path],
    options: BuildOptions,
    out: str | Path,
    *,
    summaries: Summarisers = "docstring",
    limits: Limits = NO_LIMITS,
    reuse: Path | None = None,
    candidates: CandidateKind | None = None,
    selector: str = FUSION,
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> Benchmark:
    """Build a benchmark and freeze it.

    While language models write summaries, ``OUT.partial`` holds what they replied; it takes the name ``OUT``
    when everything is written, and keeps the record in ``llm/``. The same command continues with what an
    interrupted one left there. So does any other: a call is known by all that was sent, so that what still
    fits is used and the rest is asked.
    """
    sources, out = [Path(repository) for repository in repositories], Path(out)
    check_vacant(out)
    llms = summarisers(summaries)
    drafting = partial(
        draft,
        sources,
        options,
        summaries=LLM if llms else str(summaries),
        candidates=candidates,
        selector=selector,
        base_url=base_url,
        loaded=loaded,
        progress=progress,
    )
    if not llms:
        benchmark = drafting()
        with progress.step(f"writing {out.name}", None):
            return freeze(benchmark, out)
    calls = summary_calls(out, limits=limits, reuse=reuse, progress=progress)
    for llm in llms:
        calls.check(llm, None)
    with growing(out, "benchmark") as directory:
        # Whatever may go wrong with the items does so before anything is paid for.
        drafted = drafting()
        writing = write_summaries(drafted.targets, llms, calls)
        drafted = with_summaries(drafted, writing.summaries, writing.missing)
        return replace(drafted, header=write_benchmark(directory, drafted))


def draft(
    repositories: Sequence[Path],
    options: BuildOptions,
    *,
    summaries: str = "docstring",
    candidates: CandidateKind | None = None,
    selector: str = FUSION,
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> Benchmark:
    """Build a benchmark in memory, from docstrings or a file of summaries; with ``llm``, without any."""
    require_selectors([selector])
    source = summaries.partition(":")[0]
    kind = candidates or ("all" if source == LLM else "documented")
    progress(f"extracting units from {', '.join(map(str, repositories))}")
    material = gather_material(
        repositories,
        summaries=None if summaries == LLM else summaries,
        candidates=kind,
        which=options,
        progress=progress,
        spread=None if loaded is None else loaded.spread,
    )
    if options.mask_names:
        material = mask_material(material)
    units = material.units
    progress(f"choosing distractors among {len(units)} units with {selector}")
    texts = selection_texts(units, material.summaries, by_models=source == LLM)
    with opened(loaded, base_url, progress) as models:
        chooser = models.selector(selector, units, texts)
    benchmark = build_benchmark(
        units,
        material.summaries,
        chooser,
        options,
        material.counts,
        source=source,
        candidates=kind,
        progress=progress,
    )
    return replace(benchmark, left_out=material.left_out)


def summary_calls(
    out: Path, *, limits: Limits = NO_LIMITS, reuse: Path | None = None, progress: Progress = SILENT
) -> RunCalls:
    """How language models are asked for the summaries of a benchmark, while that is being built."""
    return RunCalls(partial_path(out) / LLM, limits=limits, reuse=reuse, progress=progress, logs="logs")


def summarisers(summaries: Summarisers) -> list[LanguageModel]:
    """The language models that are to write summaries; none for ``docstring`` and ``jsonl:FILE``."""
    if isinstance(summaries, str):
        return [LanguageModel(name) for name in named_models(summaries)]
    named_models("llm:" + ",".join(model.name for model in summaries))
    return list(summaries)


def freeze(benchmark: Benchmark, out: Path) -> Benchmark:
    """Write a benchmark to ``out``, whole or not at all, and give it its fingerprint."""
    check_vacant(out)
    with filling(out, "benchmark") as directory:
        header = write_benchmark(directory, benchmark)
    return replace(benchmark, header=header)


def check_vacant(out: Path) -> None:
    """Refuse a place that is taken before any work is done."""
    if out.exists():
        tidy(out)
        raise UsageError("this path is already in use", where=out, next_step="Choose another --out")
