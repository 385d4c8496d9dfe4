"""Building a benchmark: repositories in, a frozen benchmark out, with summaries by whoever is chosen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import (
    LLM,
    SETS,
    Benchmark,
    BenchmarkCounts,
    CandidateKind,
    Choices,
    Header,
    write_benchmark,
)
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_summaries import Described, summary_questions, write_summaries
from tellapart.contrastive.masking import mask_material, mask_summaries
from tellapart.contrastive.models import Models, opened, require_selectors
from tellapart.contrastive.selection.candidates import Candidates, DistractorSet
from tellapart.contrastive.selection.distractors import choose_distractors
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.selection.selectors import FUSION, Selector
from tellapart.contrastive.selection.signatures import signature_similarities
from tellapart.contrastive.summaries import Summary, named_models, names_leaked, neutral_text
from tellapart.contrastive.units import Material, gather_material, pick_targets
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError, UsageError
from tellapart.extraction.unit import Unit
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.store.growing import filling, growing, partial_path

Summarisers = str | Sequence[LanguageModel]
"""``docstring``, ``jsonl:FILE``, ``llm:PROVIDER/MODEL[,…]``, or language models with their own parameters."""


CUT_OFFS = ((80, "adversarial"), (65, "very_hard"), (50, "hard"), (35, "medium"), (20, "easy"))
"""Lowest score of each label; below the last it is ``trivial``."""

_SIMILARITY_POINTS = ((0.90, 40), (0.80, 30), (0.70, 20), (0.60, 10))


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

    While language models write summaries, ``OUT.partial`` holds what they replied; the same command, or
    another, goes on with what an interrupted one left there.
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
        drafted = with_summaries(drafted, *write_summaries(drafted.targets, llms, calls))
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
    """Build a benchmark in memory; with ``llm``, without any summaries."""
    require_selectors([selector])
    source = summaries.partition(":")[0]
    kind = candidates or ("all" if source == LLM else "documented")
    progress(f"extracting units from {', '.join(map(str, repositories))}")
    material = gather_material(
        repositories,
        summaries=None if summaries == LLM else summaries,
        candidates=kind,
        languages=options.languages,
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
    choices = Choices(
        summaries=source,
        candidates=kind,
        languages=list(options.languages),
        cross_language=options.cross_language,
        mask_names=options.mask_names,
    )
    return build_benchmark(material, chooser, options, choices, progress=progress)


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
        raise UsageError("this path is already in use", where=out, next_step="Choose another --out")


def estimate_build_cost(
    repositories: Sequence[Path],
    options: BuildOptions,
    out: Path,
    *,
    llms: Sequence[LanguageModel],
    limits: Limits,
    reuse: Path | None,
    candidates: CandidateKind | None,
) -> dict[str, Estimate]:
    """Estimate what it takes to let language models write the summaries, by the model's name."""
    check_vacant(out)
    calls = summary_calls(out, limits=limits, reuse=reuse)
    calls.check_reuse()
    drafted = draft(repositories, options, summaries=LLM, candidates=candidates)
    questions = summary_questions(drafted.targets)
    # As long as a sentence of twenty words.
    length = len(Described(summary="x" * 120).model_dump_json())
    return {llm.name: calls.estimate(questions, llm, reply_characters=length) for llm in llms}


def summaries_by_position(units: Sequence[Unit], summaries: Sequence[Summary]) -> dict[int, str]:
    """The text about each unit that the only source has summarised, by the unit's position."""
    position = {unit.id: i for i, unit in enumerate(units)}
    return {position[summary.unit]: summary.text for summary in _ordered(summaries)}


def selection_texts(
    units: Sequence[Unit], summaries: Sequence[Summary], *, by_models: bool = False
) -> dict[int, str]:
    """The text about a unit, by its position, that distractors are chosen with.

    Where several sources are compared it is ``neutral_text``: distractors chosen with somebody's words are
    hard for them above all.
    """
    if by_models or len({summary.source for summary in summaries}) > 1:
        return {position: neutral_text(unit) for position, unit in enumerate(units)}
    return summaries_by_position(units, summaries)


def build_benchmark(
    material: Material,
    selector: Selector,
    options: BuildOptions,
    choices: Choices,
    *,
    progress: Progress = SILENT,
) -> Benchmark:
    """Pick targets and choose their distractors; with ``llm`` as source, summaries are written later."""
    units, summaries, levels = material.units, material.summaries, options.levels
    by_models = choices.summaries == LLM
    texts = selection_texts(units, summaries, by_models=by_models)
    pool = Candidates(units, texts, selector, cross_language=options.cross_language)
    written = {summary.unit for summary in summaries}
    summarised = [i for i, unit in enumerate(units) if by_models or unit.id in written]
    targets = pick_targets(units, summarised, options.targets, options.seed)
    sets, short = choose_distractors(pool, targets, levels, seed=options.seed, progress=progress)
    if not sets:
        raise InputError(
            f"no question could be built: {len(units)} units, {len(summarised)} with a summary, "
            f"{len(targets)} targets, and too few candidates for each of them",
            next_step=f"A level needs {min(level.count for level in levels)} other units or more in the "
            "target's language; take a larger repository, or fewer distractors, such as --levels easy:2",
        )
    counts: BenchmarkCounts = {
        "units": len(units),
        "languages": dict(sorted(Counter(unit.language for unit in units).items())),
        "types": dict(sorted(Counter(unit.type for unit in units).items())),
        **_counts_of_summaries(units, summaries),
        "targets": len(targets),
        "items": dict(Counter(chosen.level for chosen in sets)),
        "insufficient_distractors": dict(Counter(lacking.level for lacking in short)),
    }
    header = Header(
        seed=options.seed,
        selector=selector.name,
        selector_fingerprint=selector.fingerprint,
        levels=[level.name for level in levels],
        choices=choices,
        counts=material.counts | counts,
    )
    return Benchmark(header, units, _ordered(summaries), item_rows(pool, sets), material.left_out)


def with_summaries(
    benchmark: Benchmark, summaries: Sequence[Summary], missing: Mapping[str, Mapping[str, str]]
) -> Benchmark:
    """Give a benchmark the summaries that language models wrote about its targets."""
    if benchmark.header.choices.mask_names:
        summaries = mask_summaries(benchmark.units, summaries)
    counts: BenchmarkCounts = _counts_of_summaries(benchmark.units, summaries) | {
        "summaries_missing": {source: dict(sorted(missing[source].items())) for source in sorted(missing)},
    }
    header = benchmark.header.model_copy(update={"counts": benchmark.header.counts | counts})
    return replace(benchmark, header=header, summaries=_ordered(summaries))


def item_rows(candidates: Candidates, sets: Sequence[DistractorSet]) -> pl.DataFrame:
    """Distractor sets as `Benchmark.sets`; a whole pool has no difficulty score."""
    units = candidates.units
    scores = _difficulties(candidates, sets)
    columns = {
        "item": [f"{chosen.level}/{units[chosen.target].id}" for chosen in sets],
        "level": [chosen.level for chosen in sets],
        "target": [chosen.target for chosen in sets],
        "distractors": [list(chosen.distractors) for chosen in sets],
        "strategies": [list(chosen.strategies) for chosen in sets],
        "similarities": [list(chosen.similarities) for chosen in sets],
        "difficulty_score": scores,
        "difficulty": [None if score is None else difficulty_label(score) for score in scores],
    }
    return pl.DataFrame(columns, schema=SETS)


def _counts_of_summaries(units: Sequence[Unit], summaries: Sequence[Summary]) -> BenchmarkCounts:
    return {
        "summaries": dict(sorted(Counter(summary.source for summary in summaries).items())),
        "names_leaked": names_leaked({unit.id: unit for unit in units}, summaries),
    }


def _ordered(summaries: Sequence[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda summary: (summary.unit, summary.source))


def _difficulties(candidates: Candidates, sets: Sequence[DistractorSet]) -> list[float | None]:
    """Score each set, all sets of a target at once."""
    units, scores = candidates.units, dict[int, float]()
    by_target: dict[int, list[int]] = defaultdict(list)
    for number, chosen in enumerate(sets):
        if chosen.level != POOL.name:
            by_target[chosen.target].append(number)
    for target, numbers in by_target.items():
        others = sorted({unit for number in numbers for unit in sets[number].distractors})
        signatures = signature_similarities([units[target]], [units[unit] for unit in others])[0]
        alike = dict(zip(others, signatures, strict=True))
        for number in numbers:
            distractors = sets[number].distractors
            score = difficulty_score(
                units[target],
                [units[unit] for unit in distractors],
                candidates.percentiles(sets[number].similarities).tolist(),
                [alike[unit] for unit in distractors],
            )
            scores[number] = round(score, 6)
    return [scores.get(number) for number in range(len(sets))]


def difficulty_score(
    target: Unit, distractors: Sequence[Unit], similarities: Sequence[float], signatures: Sequence[float]
) -> float:
    """Add the points of five factors.

    Up to 40 for the mean similarity (above .6, .7, .8, .9), 7 for each distractor of the target's file up to
    20, up to 20 for the mean signature similarity, up to 10 for the share of the target's type, and 5 from 9
    distractors or 10 from 19. Source: "Contrastive Evaluation Analysis", recommendation 2.1,
    calculateDifficultyV2, with percentiles for similarities, since no two selectors have one scale.
    """
    if not distractors:
        raise ValueError("a difficulty needs at least one distractor")
    mean_similarity = float(np.mean(similarities))
    score = float(next((points for least, points in _SIMILARITY_POINTS if mean_similarity > least), 0))
    score += min(7 * sum(unit.path == target.path for unit in distractors), 20)
    score += 20 * float(np.mean(signatures, dtype=np.float64))
    score += 10 * sum(unit.type == target.type for unit in distractors) / len(distractors)
    return score + (10 if len(distractors) >= 19 else 5 if len(distractors) >= 9 else 0)


def difficulty_label(score: float) -> str:
    """Name the band that a difficulty score falls in."""
    return next((label for least, label in CUT_OFFS if score >= least), "trivial")
