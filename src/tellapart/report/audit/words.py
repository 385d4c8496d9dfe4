"""What causes, actions, flags and parts of the variance are called, and how scores are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tellapart.report import numbers as show
from tellapart.report.audit.parts import OpenEnds
from tellapart.report.audit.record import View

SIGNS = {"a>b": ">", "b>a": ">", "equivalent": "=", "not_separated": "?", "withheld": "!"}
"""Between the two models of a pair, the one ahead first."""

VERDICTS = {
    "a>b": "told apart",
    "b>a": "told apart",
    "equivalent": "equivalent",
    "not_separated": "not told apart",
    "withheld": "withheld",
}

CAUSES = {
    "ceiling": "the items are too easy",
    "floor": "the items are too hard",
    "too_few_items": "there are too few items",
    "replicate_noise": "answers differ from run to run",
    "grader_noise": "the grader is not consistent",
    "broken_items": "items rank the models backwards",
    "missing_data": "missing scores could turn the order around",
    "no_scores": "there is a model without any score",
    "equivalent": "they are equivalent",
}
"""Why two models are not told apart, after "because"."""

ACTIONS = {
    "add_items": "add items",
    "use_stratum": "use items of the kind that separates",
    "harder_items": "add harder items",
    "easier_items": "add easier items",
    "add_replicates": "ask again",
    "repeat_grading": "grade again",
    "drop_items": "drop broken items",
    "rerun_missing": "rerun what is missing",
    "choose_otherwise": "choose by something else",
}

FLAGS = {
    "all_pass": "passed by every model",
    "all_fail": "failed by every model",
    "negative_discrimination": "rank the models backwards",
    "duplicate": "behave as another does",
}
"""What is the matter with items."""

SEPARATE_NOTHING = ("all_pass", "all_fail")
"""Flags of items with which nothing need be wrong; those with another look broken."""

PARTS = {
    "model": "between models",
    "item": "between items",
    "model_item": "model × item",
    "replicate": "between answers",
    "grading": "between gradings",
}
"""Parts of the variance, in the order in which they are told."""


def phrase(words: dict[str, str], key: str) -> str:
    """Give the words for a key; one that has none is shown as words itself."""
    return words.get(key, key.replace("_", " "))


@dataclass(frozen=True)
class Scale:
    """How scores are shown.

    Attributes:
        rates: Whether they lie in [0, 1] and are shown in percent, and differences in points.
    """

    rates: bool

    @property
    def unit(self) -> str:
        """Of a mean, for a heading: `` %`` or nothing."""
        return ", %" if self.rates else ""

    @property
    def gap_unit(self) -> str:
        """Of a difference, for a heading."""
        return "percentage points" if self.rates else "score units"

    def mean(self, value: float) -> str:
        """Give a mean: ``83.5`` or ``4.12``."""
        return show.rate(value) if self.rates else show.significant(value)

    def span(self, ends: Sequence[float]) -> str:
        """Give an interval of a mean."""
        if self.rates:
            return show.rate_range(ends)
        return f"{show.significant(ends[0])} to {show.significant(ends[1])}"

    def gap(self, value: float) -> str:
        """Give a difference with its sign: ``+6.1`` or ``+0.213``."""
        if self.rates:
            return show.points(value)
        return f"{'+' if value > 0 else ''}{show.significant(value)}"

    def gap_span(self, ends: Sequence[float]) -> str:
        """Give an interval of a difference."""
        return f"{self.gap(ends[0])} to {self.gap(ends[1])}"

    def size(self, value: float) -> str:
        """Give the size of a difference with its unit: ``2 points``."""
        number = f"{100 * value:.2g}" if self.rates else show.significant(value)
        return f"{number} point{'' if number == '1' else 's'}" if self.rates else number


def scale(view: View) -> Scale:
    """Find out how the scores of an audit are shown."""
    return Scale(tuple(view.limits) == (0.0, 1.0))


def bounds(of: Scale, ends: OpenEnds, *, gap: bool = False) -> str:
    """Give bounds over missing scores, one figure where nothing is missing; an end without limit is told."""
    form = of.gap if gap else of.mean
    if ends[0] is not None and ends[0] == ends[1]:
        return form(ends[0])
    low, high = ("no limit" if end is None else form(end) for end in ends)
    return f"{low} to {high}"


def sentence(text: str) -> str:
    """Give a sentence as a clause: without its full stop."""
    return text.strip().removesuffix(".")


def shortened(text: str, width: int) -> str:
    """Cut the middle of a name, whose end often tells it from others.

    Args:
        text: The name.
        width: Letters there is room for, 3 or more; wide letters take two.
    """
    if cell_len(text) <= width:
        return text
    kept = width - 1
    head, tail = kept - kept // 2, kept // 2
    while cell_len(text[:head]) > kept - kept // 2:
        head -= 1
    while cell_len(text[len(text) - tail :]) > kept // 2:
        tail -= 1
    return f"{text[:head]}…{text[len(text) - tail :]}"
