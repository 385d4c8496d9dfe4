"""The pairs of a target and a distractor in a benchmark that look like two right answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.review.measure import Contrast, code_likeness, contrast, rarity
from tellapart.contrastive.review.results import Review, Suspect
from tellapart.contrastive.summaries import docstring_summary
from tellapart.extraction.unit import Unit

THRESHOLD = 0.3
"""Score from which a pair is suspected."""

NEAR_COPY = 0.85
"""Likeness of codes that is given as a reason."""

_HOPELESS = 1.6
"""Cost from which no likeness of the codes makes a suspect."""

Pair = tuple[str, str]
"""Ids of a target and a distractor."""


def review(benchmark: Benchmark, items: pl.DataFrame | None = None) -> Review:
    """List what may be label noise."""
    options = pairs_of(benchmark)
    missed = {} if items is None else missed_alike(items)
    texts = _Texts(benchmark)
    found = []
    for pair, names in options.items():
        readings = texts.readings(*pair)
        if not readings or min(one.apart.cost for one in readings) > _HOPELESS:
            continue
        code, (agreed, _) = code_likeness(*texts.units(*pair)), missed.get(pair, (0, 0))
        whole = [replace(one, apart=replace(one.apart, code=code, agreed=agreed)) for one in readings]
        # The median over the sources, of two the lower: vague writers make no suspect while others tell.
        middle = sorted(whole, key=lambda one: one.apart.score)[(len(whole) - 1) // 2]
        if middle.apart.score >= THRESHOLD:
            found.append(_suspect(texts.units(*pair), names, middle, missed.get(pair, (0, 0))))
    found.sort(key=lambda suspect: (-suspect.score, suspect.target, suspect.distractor))
    return Review(
        benchmark=benchmark.header.fingerprint,
        items=benchmark.sets.height,
        pairs=len(options),
        suspected_items=len({item for suspect in found for item in suspect.items}),
        threshold=THRESHOLD,
        suspects=tuple(found),
    )


def pairs_of(benchmark: Benchmark) -> dict[Pair, list[str]]:
    """Every pair of a target and a distractor, with the items in which both are options."""
    items: dict[Pair, list[str]] = defaultdict(list)
    for item, target, distractors in benchmark.sets.select("item", "target", "distractors").iter_rows():
        for distractor in distractors:
            items[target, distractor].append(item)
    return items


def missed_alike(items: pl.DataFrame) -> dict[Pair, tuple[int, int]]:
    """Find items that every model misses while all of them put the same other option first."""
    answered = items.filter(pl.col("condition") == "summary", pl.col("rank").is_not_null())
    models = answered["model"].n_unique()
    if models < 2:
        return {}
    agreed = (
        answered.group_by("item")
        .agg(
            pl.col("target").first(),
            pl.col("best_distractor").first().alias("distractor"),
            (pl.col("correct").max() == 0).alias("missed"),
            (pl.col("best_distractor").n_unique() == 1).alias("same"),
            (pl.col("model").n_unique() == models).alias("all"),
        )
        .filter("missed", "same", "all")
    )
    counts = agreed.group_by("target", "distractor").len().sort("target", "distractor")
    return {(target, distractor): (count, models) for target, distractor, count in counts.iter_rows()}


@dataclass(frozen=True)
class _Reading:
    """A target and a distractor as one source describes them, and what tells the two summaries apart."""

    apart: Contrast
    summary: str
    other: str


class _Texts:
    """The summaries of a benchmark, source by source; the docstring's where a source says nothing."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._of = {source: benchmark.texts(source) for source in benchmark.sources}
        self._weights = {source: rarity(texts.values()) for source, texts in self._of.items()}

    def units(self, target: str, distractor: str) -> tuple[Unit, Unit]:
        """The two units."""
        return self._unit(target), self._unit(distractor)

    def readings(self, target: str, distractor: str) -> list[_Reading]:
        """What tells the two apart, by each source that has a summary of the target."""
        units = self.units(target, distractor)
        return [
            _Reading(contrast(*units, (text, other), weights), text, other)
            for text, other, weights in self._both(target, distractor)
            if other is not None
        ]

    def _both(self, target: str, distractor: str) -> Iterator[tuple[str, str | None, Mapping[str, float]]]:
        for source, texts in self._of.items():
            if target in texts:
                other = texts.get(distractor) or docstring_summary(self._unit(distractor))
                yield texts[target], other, self._weights[source]

    def _unit(self, name: str) -> Unit:
        return self._benchmark.units[self._benchmark.position[name]]


def _suspect(
    units: tuple[Unit, Unit], items: list[str], reading: _Reading, missed: tuple[int, int]
) -> Suspect:
    target, distractor = units
    return Suspect(
        target=target.id,
        distractor=distractor.id,
        items=tuple(items),
        score=round(reading.apart.score, 4),
        reasons=tuple(_reasons(reading.apart, missed)),
        summary=reading.summary,
        distractor_summary=reading.other,
        code=target.content,
        distractor_code=distractor.content,
        language=target.language,
    )


def _reasons(apart: Contrast, missed: tuple[int, int]) -> Iterator[str]:
    if apart.missing == 0:
        same = apart.added == 0
        yield "both summaries have the same words" if same else "its summary has every word of the target's"
    else:
        yield "its summary has nearly every word of the target's"
    if apart.evidence == 0:
        yield "no word of the summary is in the target's code alone"
    if apart.same_name:
        yield "both have one name"
    if apart.code >= NEAR_COPY:
        yield f"the codes are nearly the same ({apart.code:.0%} of the tokens, names aside)"
    count, models = missed
    if count:
        yield f"all {models} models put it first, in {count} item{'s' if count > 1 else ''}"
