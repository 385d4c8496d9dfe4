"""Names in summaries: how much of accuracy, and of a lead, comes from the words of the unit's name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import polars as pl

from tellapart.contrastive.answers import Ends
from tellapart.contrastive.figures import Control, ModelResult
from tellapart.core.comparison import Comparison, ComparisonSettings, compare
from tellapart.core.record import Record
from tellapart.core.score_grid import score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import clustered_rate, mean_once
from tellapart.embed.identifiers import split_identifiers

OVERLAP = "name_overlap"
"""The column that says how much of the target's name is in the summary: one of ``OVERLAPS``."""

OVERLAPS = ("none", "some", "all")
"""How many of the words of the target's name the summary has."""

NAMES_SUFFICE = 0.9
"""Share of what summaries gain over guessing from which, by names alone, a benchmark mostly tests names."""

# At least two letters stay. "ing" and "ings" alike, so that "string" and "strings" stay one word.
_ENDING = re.compile(r"(?<=..)(?:ings?|ies|ied|es|ed|e|s|(?<=[^aeiou])y)$")
_DOUBLED = re.compile(r"([^\W\d_aeiou])\1$")


class OverlapAccuracy(Record):
    """Accuracy of a model on some of the items, beside that of guessing.

    Attributes:
        n: Items with a score.
        accuracy: In [0, 1].
        ci: Wilson's 95 % interval on the effective number of items, clustered on the file.
        chance: Accuracy of guessing on the same items.
    """

    n: int
    accuracy: float | None
    ci: Ends | None
    chance: float | None


class NameSplit(Record):
    """What names do to accuracy and to the differences of models; see ``names.split_by_names``.

    Attributes:
        accuracy: By how many of the name's words the summary has (``none``, ``some``, ``all``), then model.
        comparisons: By source of summaries: its models on all items, and as detail by how much of the name
            the summary has. Without the sources that fewer than two models were asked with.
    """

    accuracy: dict[str, dict[str, OverlapAccuracy]]
    comparisons: dict[str, Comparison]


def name_overlap(name: str, summary: str) -> str:
    """Say how many words of a name a summary has.

    Words are those that lexical models count, and the same word in another form (``parses``, ``parsing``) is
    that word: it may not help a model that counts words, but the summary does say the name.
    """
    in_summary = {_root(word) for word in split_identifiers(summary)}
    words = {_root(word) for word in split_identifiers(name)}
    if not words & in_summary:
        return "none"
    return "all" if words <= in_summary else "some"


@cache
def _root(word: str) -> str:
    """What the forms of an English word have in common, roughly; of two letters or more."""
    return _DOUBLED.sub(r"\1", _ENDING.sub("", word))


def name_overlaps(units: Sequence[str], summaries: pl.DataFrame) -> pl.DataFrame:
    """Say of each summary how much of the name it has.

    Args:
        units: Names of all units.
        summaries: ``target``, the number of a unit, ``source`` and ``text``.
    """
    columns = summaries.select("target", "text").iter_rows()
    overlaps = [name_overlap(units[target], text) for target, text in columns]
    return summaries.select("target", "source", pl.Series(OVERLAP, overlaps, dtype=pl.String))


def split_by_names(
    scores: ScoreTable,
    items: pl.DataFrame,
    overlaps: pl.DataFrame,
    *,
    baseline: str | None = None,
    primary: tuple[str, str] | None = None,
) -> NameSplit | None:
    """Split accuracy, and the differences of models, by how much of the name the summary has.

    The items are those of ``primary``, which the verdict is about. Models are compared where they were asked
    with the same summaries: two writers of whom one says the name more often are not asked the same.
    """
    facts = items.select("model", "item", "source", "target", "options").unique(["model", "item"])
    answers = items.drop_nulls("correct").group_by("model", "item").agg("correct")
    means = pl.Series("correct", list(map(mean_once, answers["correct"].to_list())), dtype=pl.Float64)
    facts = facts.join(answers.with_columns(means), on=["model", "item"], how="left")
    facts = facts.join(overlaps, on=["target", "source"], how="left").drop("target")
    frame = scores.frame.join(facts, on=["model", "item"], how="left")
    if primary is not None:
        frame = frame.filter(pl.col(primary[0]) == primary[1])
    split = NameSplit(accuracy={value: {} for value in OVERLAPS}, comparisons={})
    scored = frame.drop_nulls(["score", OVERLAP]).unique(["model", "item"]).sort("model", "item")
    for source in sorted(set(scored["source"])):
        rows = scored.filter(source=source)
        shown = frame.filter(source=source).drop("source", "options", "correct")
        notes = ScoreNotes(excluded=scores.notes.excluded)
        grid = score_grid(ScoreTable.from_frame(shown, limits=scores.limits, notes=notes))
        for value, by_model in split.accuracy.items():
            by_model |= {
                model: _accuracy(rows.filter(pl.col("model") == model, pl.col(OVERLAP) == value))
                for model in grid.models
            }
        if len(set(rows["model"])) > 1:
            reference = baseline if baseline in grid.models else None
            compared = compare(grid, ComparisonSettings(by=OVERLAP, baseline=reference))
            split.comparisons[source] = compared
    return split if any(split.accuracy.values()) else None


def _accuracy(rows: pl.DataFrame) -> OverlapAccuracy:
    rate = clustered_rate(rows["correct"].to_numpy(), rows["cluster"].to_numpy())
    return OverlapAccuracy(
        n=rows.height, accuracy=rate.value, ci=rate.interval, chance=mean_once(1 / rows["options"])
    )


def gain_of_name(control: Control, summaries: ModelResult) -> float | None:
    """Say what share of the summaries' gain over guessing the name alone brings."""
    if control.value is None or control.chance is None or summaries.accuracy is None:
        return None
    gain = summaries.accuracy - control.chance
    return (control.value - control.chance) / gain if gain > 0 else None
