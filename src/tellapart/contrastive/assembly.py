"""From units and summaries to a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from tellapart.contrastive.benchmark import (
    LLM,
    SETS,
    Benchmark,
    BenchmarkCounts,
    CandidateKind,
    Choices,
    Header,
    Starved,
)
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.masking import mask_summaries
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.difficulty import difficulty_label, difficulty_score
from tellapart.contrastive.selection.distractors import choose_distractors
from tellapart.contrastive.selection.levels import ABSOLUTE_NAMES, POOL, Level
from tellapart.contrastive.selection.selectors import Selector
from tellapart.contrastive.selection.sets import DistractorSet, InsufficientDistractors
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
    source: str = "docstring",
    candidates: CandidateKind = "documented",
    progress: Progress = SILENT,
) -> Benchmark:
    """Pick targets and choose their distractors; with ``llm`` as source, summaries are written later."""
    by_models = source == LLM
    texts = selection_texts(units, summaries, by_models=by_models)
    pool = Candidates(units, texts, selector, cross_language=options.cross_language)
    written = {summary.unit for summary in summaries}
    summarised = [i for i, unit in enumerate(units) if by_models or unit.id in written]
    targets = pick_targets(units, summarised, options.targets, options.seed)
    levels = options.levels
    sets, short = choose_distractors(pool, targets, levels, seed=options.seed, progress=progress)
    if not sets:
        raise InputError(
            f"no question could be built: {len(units)} units, {len(summarised)} with a summary, "
            f"{len(targets)} targets, and too few candidates for each of them",
            next_step=f"A level needs {min(level.count for level in levels)} other units or more in the "
            "target's language; take a larger repository, or fewer distractors, such as --levels easy:2",
        )
    header = Header(
        seed=options.seed,
        selector=selector.name,
        selector_fingerprint=selector.fingerprint,
        levels=[level.name for level in levels],
        choices=Choices(
            summaries=source,
            candidates=candidates,
            languages=list(options.languages),
            cross_language=options.cross_language,
            mask_names=options.mask_names,
        ),
        counts=counts | _counts(units, summaries, targets, sets, short),
    )
    if starving := starved(sets, levels):
        header.counts["starved"] = starving
    return Benchmark(header, units, _ordered(summaries), item_rows(pool, sets))


def with_summaries(
    benchmark: Benchmark, summaries: Sequence[Summary], missing: Mapping[str, Mapping[str, str]]
) -> Benchmark:
    """Give a benchmark the summaries that language models wrote about its targets."""
    if benchmark.header.choices.mask_names:
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


def item_rows(candidates: Candidates, sets: Sequence[DistractorSet]) -> pl.DataFrame:
    """Distractor sets as `Benchmark.sets`; difficulty takes similarities as percentiles.

    A whole pool has no difficulty score.
    """
    units = candidates.units
    scores = [None if chosen.level == POOL.name else _difficulty(candidates, chosen) for chosen in sets]
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


def _difficulty(candidates: Candidates, chosen: DistractorSet) -> float:
    target, others = candidates.units[chosen.target], [candidates.units[i] for i in chosen.distractors]
    percentiles = candidates.percentiles(chosen.similarities)
    return round(difficulty_score(target, others, percentiles.tolist()), 6)


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


def _counts_of_summaries(units: Mapping[str, Unit], summaries: Sequence[Summary]) -> BenchmarkCounts:
    return {
        "summaries": dict(sorted(Counter(summary.source for summary in summaries).items())),
        "names_leaked": names_leaked(units, summaries),
    }


def _ordered(summaries: Sequence[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda summary: (summary.unit, summary.source))


ENOUGH = 0.5
"""Share of what was asked for from which a strategy does not starve."""


def starved(sets: Sequence[DistractorSet], levels: Sequence[Level]) -> list[Starved]:
    """Find the strategies that starve."""
    chosen: dict[str, Counter[str]] = {level.name: Counter() for level in levels}
    for item in sets:
        chosen[item.level].update(item.strategies)
    built = Counter(item.level for item in sets)
    starving: list[Starved] = []
    for level in levels:
        counts, quotas = chosen[level.name], Counter[str]()
        for name, quota in level.quotas():
            quotas[name] += quota
        fallbacks = {name: counts[name] for name in sorted(counts) if name not in quotas}
        starving += [
            Starved(level=level.name, strategy=name, wanted=wanted, found=counts[name], filled_by=fallbacks)
            for name, quota in quotas.items()
            if counts[name] < ENOUGH * (wanted := quota * built[level.name])
        ]
    return starving


_FROM = {
    "random": "at random",
    "same_type": "of the target's type",
    "signature": "with a similar signature",
    "semantic": "from the target's neighbours",
    "same_file": "from the target's file",
    "partial": "that match the summary in part",
    "nearest": "nearest to the target",
}


def warnings(header: Header) -> list[str]:
    """Say what each level lacks, what stands in for it, and what to do."""
    return [_warning(short, header) for short in header.counts.get("starved", [])]


def _warning(short: Starved, header: Header) -> str:
    level, strategy = short["level"], short["strategy"]
    filled = ", ".join(f"{count:,} {_FROM[name]}" for name, count in short["filled_by"].items())
    if level in ABSOLUTE_NAMES:
        advice = f"take ranks instead of similarities, with --levels {ABSOLUTE_NAMES[level]}"
    elif strategy == "partial":
        advice = "bring summaries that say more, with --summaries jsonl:FILE"
    elif header.counts.get("undocumented"):
        advice = "take units without a docstring too, with --candidates all"
    else:
        advice = "take a larger repository"
    if others := ",".join(name for name in header.levels if name != level):
        advice += f", or leave the level out, with --levels {others}"
    return (
        f"{level} lacks distractors {_FROM[strategy]}: {short['found']:,} of {short['wanted']:,} were found; "
        f"in their place it has {filled}. To change that, {advice}"
    )
