"""Building a benchmark: repositories in, a frozen benchmark out, with summaries by whoever is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tellapart.contrastive.benchmark import Benchmark, write_benchmark
from tellapart.contrastive.build import build_benchmark, selection_texts, with_summaries
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_summaries import SummaryQuestions, write_summaries
from tellapart.contrastive.marks import NOTHING, Exclusions, read_exclusions
from tellapart.contrastive.masking import mask_material
from tellapart.contrastive.material import Material, gather_material
from tellapart.contrastive.models import Models, opened, require_selectors
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.contrastive.summaries import named_models
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import UsageError
from tellapart.extraction.unit import Unit
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.store.growing import filling, growing, partial_path, tidy

Summarisers = str | Sequence[LanguageModel]
"""``docstring``, ``jsonl:FILE``, ``llm:PROVIDER/MODEL[,…]``, or language models with their own parameters."""


LLM = "llm"
"""Where a benchmark keeps the record of the language models that wrote its summaries."""


def build(
    repositories: Sequence[str | Path],
    options: BuildOptions,
    out: str | Path,
    *,
    summaries: Summarisers = "docstring",
    limits: Limits = NO_LIMITS,
    reuse: Path | None = None,
    candidates: str | None = None,
    selector: str = FUSION,
    base_url: str | None = None,
    loaded: Models | None = None,
    revise: Sequence[Path] = (),
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
    require_selectors([selector])
    llms, exclusions = summarisers(summaries), read_exclusions(revise)
    if not llms:
        material = _gather(sources, options, str(summaries), candidates, progress, loaded)
        benchmark = _choose(
            material, options, selector, base_url, progress, loaded=loaded, exclusions=exclusions
        )
        with progress.step(f"writing {out.name}", None):
            return freeze(benchmark, out)
    calls = summary_calls(out, limits=limits, reuse=reuse, progress=progress)
    for llm in llms:
        calls.check(llm, None)
    with growing(out, "benchmark") as partial:
        # Whatever may go wrong with the items does so before anything is paid for.
        drafted = _without_summaries(
            sources,
            options,
            candidates,
            selector,
            base_url,
            progress,
            loaded=loaded,
            exclusions=exclusions,
        )
        writing = write_summaries(_targets(drafted), llms, calls)
        drafted = with_summaries(drafted, writing.summaries, writing.missing)
        return replace(drafted, header=write_benchmark(partial, drafted))


def draft(
    repositories: Sequence[Path],
    options: BuildOptions,
    *,
    summaries: str = "docstring",
    candidates: str | None = None,
    selector: str = FUSION,
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> Benchmark:
    """Build a benchmark in memory, from docstrings or a file of summaries; see ``build``.

    ``loaded`` are models to use instead of loading them, from ``base_url`` as well.
    """
    require_selectors([selector])
    if summarisers(summaries):
        raise UsageError(
            "language models write summaries only for a benchmark that is kept",
            next_step="Build it with 'tellapart contrastive build'",
        )
    material = _gather(repositories, options, summaries, candidates, progress, loaded)
    return _choose(material, options, selector, base_url, progress, loaded=loaded)


def summary_questions(
    repositories: Sequence[Path],
    options: BuildOptions,
    *,
    candidates: str | None = None,
    selector: str = FUSION,
    base_url: str | None = None,
    revise: Sequence[Path] = (),
) -> SummaryQuestions:
    """What ``build`` would ask each language model, so that the cost can be told before it is spent."""
    require_selectors([selector])
    exclusions = read_exclusions(revise)
    drafted = _without_summaries(
        repositories, options, candidates, selector, base_url, SILENT, exclusions=exclusions
    )
    return SummaryQuestions(_targets(drafted))


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


def _without_summaries(
    repositories: Sequence[Path],
    options: BuildOptions,
    candidates: str | None,
    selector: str,
    base_url: str | None,
    progress: Progress,
    *,
    loaded: Models | None = None,
    exclusions: Exclusions,
) -> Benchmark:
    """The items of a benchmark whose summaries language models are yet to write."""
    material = _gather(repositories, options, None, candidates, progress, loaded)
    return _choose(
        material,
        options,
        selector,
        base_url,
        progress,
        by_models=True,
        loaded=loaded,
        exclusions=exclusions,
    )


def _targets(benchmark: Benchmark) -> list[Unit]:
    targets = set(benchmark.sets["target"])
    return [unit for unit in benchmark.units if unit.id in targets]


def _gather(
    repositories: Sequence[Path],
    options: BuildOptions,
    summaries: str | None,
    candidates: str | None,
    progress: Progress,
    loaded: Models | None,
) -> Material:
    progress(f"extracting units from {', '.join(map(str, repositories))}")
    material = gather_material(
        repositories,
        summaries=summaries,
        candidates=candidates,
        which=options,
        progress=progress,
        spread=None if loaded is None else loaded.spread,
    )
    return mask_material(material) if options.mask_names else material


def _choose(
    material: Material,
    options: BuildOptions,
    selector: str,
    base_url: str | None,
    progress: Progress,
    *,
    by_models: bool = False,
    loaded: Models | None = None,
    exclusions: Exclusions = NOTHING,
) -> Benchmark:
    progress(f"choosing distractors among {len(material.units)} units with {selector}")
    units, summaries = material.units, material.summaries
    texts = selection_texts(units, summaries, by_models=by_models)
    with opened(loaded, base_url, progress) as models:
        chooser = models.selector(selector, units, texts)
    benchmark = build_benchmark(
        units,
        summaries,
        chooser,
        options,
        material.counts,
        by_models=by_models,
        exclusions=exclusions,
        progress=progress,
    )
    return replace(benchmark, left_out=material.left_out)
