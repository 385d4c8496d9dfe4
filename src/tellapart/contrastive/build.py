"""From units and summaries to a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tellapart.callable_module import make_callable
from tellapart.contrastive.benchmark import Benchmark, BenchmarkCounts, Choices, Header, sets_frame
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.build_warnings import starved
from tellapart.contrastive.marks import NOTHING, Exclusions, check_units
from tellapart.contrastive.masking import mask_summaries
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.difficulty import difficulty_label, difficulty_score
from tellapart.contrastive.selection.distractors import (
    DistractorSet,
    InsufficientDistractors,
    choose_distractors,
)
from tellapart.contrastive.selection.levels import Level, is_own, recipe_of
from tellapart.contrastive.selection.selectors import Selector
from tellapart.contrastive.summaries import (
    Summary,
    is_ordinary_word,
    leaks_name,
    names_leaked,
    neutral_text,
)
from tellapart.contrastive.targets import pick_targets
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError
from tellapart.extraction.unit import Unit


def summaries_by_position(units: Sequence[Unit], summaries: Sequence[Summary]) -> dict[int, str]:
    """The text about each unit that the only source has summarised, by the unit's position."""
    position = {unit.id: i for i, unit in enumerate(units)}
    return {position[summary.unit]: summary.text for summary in _ordered(summaries)}


def selection_texts(
    units: Sequence[Unit], summaries: Sequence[Summary], *, by_models: bool = False
) -> dict[int, str]:
    """The text about a unit, by its position, that distractors are chosen with.

    Where several sources are compared, or language models that write for this benchmark, none of their words
    counts, and ``neutral_text`` stands for each unit: distractors chosen with somebody's words are hard for
    them above all, joined texts are hardest for who writes most, and of two codes that one describes alike
    neither would be an option of the other, which spares just the vague one. So the items are those of the
    docstrings, whoever writes.
    """
    if by_models or len({summary.source for summary in summaries}) > 1:
        return {position: neutral_text(unit) for position, unit in enumerate(units)}
    return summaries_by_position(units, summaries)


def build_benchmark(
    units: Sequence[Unit],
    summaries: Sequence[Summary],
    selector: Selector,
    options: BuildOptions,
    counts: BenchmarkCounts,
    *,
    by_models: bool = False,
    exclusions: Exclusions = NOTHING,
    progress: Progress = SILENT,
) -> Benchmark:
    """Pick targets and choose their distractors."""
    check_units(exclusions, (unit.id for unit in units))
    texts = selection_texts(units, summaries, by_models=by_models)
    candidates = Candidates(
        units, texts, selector, cross_language=options.cross_language, excluded=exclusions.pairs
    )
    written = {summary.unit for summary in summaries}
    summarised = [i for i, unit in enumerate(units) if by_models or unit.id in written]
    picked = pick_targets(units, summarised, options.targets, options.seed, options.sampling)
    targets = [i for i in picked if units[i].id not in exclusions.targets]
    levels = options.chosen_levels()
    sets, short = choose_distractors(
        candidates, targets, levels, seed=options.seed, bands=options.bands, progress=progress
    )
    if not sets:
        raise InputError(
            f"no question could be built: {len(units)} units, {len(summarised)} with a summary, "
            f"{len(targets)} targets, and too few candidates for each of them",
            next_step=f"A level needs {min(one.count for one in levels)} other units or more in the target's "
            "language; take a larger repository, or fewer --distractors",
        )
    revised: BenchmarkCounts = {}
    if exclusions.digests:
        revised = {"revised": exclusions.recorded([units[i].id for i in picked])}
    header = Header(
        seed=options.seed,
        selector=selector.name,
        selector_fingerprint=selector.fingerprint,
        bands=options.bands,
        cross_language=options.cross_language,
        levels=[level.name for level in levels],
        choices=_choices(options, levels),
        counts=counts | _counts(units, summaries, targets, sets, short) | _starved(sets, levels) | revised,
    )
    return Benchmark(header, units, _ordered(summaries), sets_frame(item_rows(candidates, sets)))


def _choices(options: BuildOptions, levels: Sequence[Level]) -> Choices | None:
    """What the options choose of units, targets and levels; None where all is as by default."""

    def choices(of: BuildOptions, own: Sequence[Level]) -> Choices:
        return Choices(
            own_levels={level.name: recipe_of(level) for level in own if is_own(level)},
            types=list(of.types),
            languages=list(of.languages),
            min_lines=of.min_lines,
            max_lines=of.max_lines,
            sampling=of.sampling,
            mask_names=of.mask_names,
        )

    chosen = choices(options, levels)
    return None if chosen == choices(BuildOptions(), ()) else chosen


def with_summaries(
    benchmark: Benchmark, summaries: Sequence[Summary], missing: Mapping[str, Mapping[str, str]]
) -> Benchmark:
    """Give a benchmark the summaries that language models wrote about its targets."""
    if benchmark.header.names_masked:
        summaries = mask_summaries(benchmark.units, summaries)
    units = {unit.id: unit for unit in benchmark.units}
    leaked: dict[str, list[Unit]] = {source: [] for source in sorted(missing)}
    for summary in _ordered(summaries):
        if leaks_name(units[summary.unit], summary.text):
            leaked[summary.source].append(units[summary.unit])
    counts: BenchmarkCounts = _counts_of_summaries(units, summaries) | {
        "names_leaked_by": {
            source: [unit.id for unit in named_units] for source, named_units in leaked.items()
        },
        "names_leaked_ordinary": {
            source: sum(is_ordinary_word(unit.name) for unit in named_units)
            for source, named_units in leaked.items()
        },
        "summaries_missing": {source: dict(sorted(missing[source].items())) for source in sorted(missing)},
    }
    header = benchmark.header.model_copy(update={"counts": benchmark.header.counts | counts})
    return replace(benchmark, header=header, summaries=_ordered(summaries))


def item_rows(candidates: Candidates, sets: Sequence[DistractorSet]) -> list[dict[str, Any]]:
    """Distractor sets as rows of ``Benchmark.sets``; difficulty takes similarities as percentiles."""
    return [_item_row(candidates, chosen) for chosen in sets]


def _item_row(candidates: Candidates, chosen: DistractorSet) -> dict[str, Any]:
    target, others = candidates.units[chosen.target], [candidates.units[i] for i in chosen.distractors]
    percentiles = candidates.percentiles(chosen.similarities)
    score = round(difficulty_score(target, others, percentiles.tolist()), 6)
    return {
        "item": f"{chosen.level}/{target.id}",
        "level": chosen.level,
        "target": target.id,
        "distractors": [unit.id for unit in others],
        "strategies": list(chosen.strategies),
        "similarities": list(chosen.similarities),
        "difficulty_score": score,
        "difficulty": difficulty_label(score),
    }


def _counts(
    units: Sequence[Unit],
    summaries: Sequence[Summary],
    targets: Sequence[int],
    sets: Sequence[DistractorSet],
    short: Sequence[InsufficientDistractors],
) -> BenchmarkCounts:
    return {
        "units": len(units),
        "languages": dict(sorted(Counter(unit.language for unit in units).items())),
        "types": dict(sorted(Counter(unit.type for unit in units).items())),
        **_counts_of_summaries({unit.id: unit for unit in units}, summaries),
        "targets": len(targets),
        "items": dict(Counter(chosen.level for chosen in sets)),
        "insufficient_distractors": dict(Counter(lacking.level for lacking in short)),
    }


def _starved(sets: Sequence[DistractorSet], levels: Sequence[Level]) -> BenchmarkCounts:
    starving = starved(sets, levels)
    return {"starved": starving} if starving else {}


def _counts_of_summaries(units: Mapping[str, Unit], summaries: Sequence[Summary]) -> BenchmarkCounts:
    return {
        "summaries": dict(sorted(Counter(summary.source for summary in summaries).items())),
        "names_leaked": names_leaked(units, summaries),
    }


def _ordered(summaries: Sequence[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda summary: (summary.unit, summary.source))


make_callable(__name__, "tellapart.contrastive.build_run", "build")
