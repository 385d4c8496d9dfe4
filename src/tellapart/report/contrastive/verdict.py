"""Which models are told apart, at which levels, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from tellapart.report.contrastive.llm.names import named
from tellapart.report.contrastive.llm.reasons import reasons_of
from tellapart.report.contrastive.record import Figures, View
from tellapart.report.llm.reasons import in_words
from tellapart.report.numbers import between, items, listed, plural, points

ALPHA = 0.05
"""Two models are told apart where p, after Holm over the pairs of a level, is below this."""


FEW = 10
"""Up to so many pairs have a sentence each; of more, only the sharpest level is put into words."""


WITHHELD = "the verdict is withheld"
"""Said where missing answers could turn the order of two models round."""


class Status(Enum):
    """What is known about two models at a level."""

    APART = "told apart"
    NOT_APART = "not told apart"
    WITHHELD = "withheld: answers are missing, and they could change the order"
    UNKNOWN = "not tested: both answered too few items or files"


@dataclass(frozen=True)
class Comparison:
    """Two models at one level.

    Attributes:
        level: Name of the level or set-up.
        a: The first model.
        b: The second.
        status: What is known.
        difference: Accuracy of ``a`` minus accuracy of ``b``.
        figures: All that the record holds about the pair.
    """

    level: str
    a: str
    b: str
    status: Status
    difference: float | None
    figures: Figures

    @property
    def pair(self) -> str:
        """Both names."""
        return f"{self.a} – {self.b}"

    @property
    def needed(self) -> int | None:
        """Items that would tell the two apart, None where no number would."""
        number: int | None = self.figures["items_needed"]
        return number

    @property
    def leader(self) -> str | None:
        """The more accurate one, None for a tie."""
        return None if not self.difference else self.a if self.difference > 0 else self.b


def comparisons(view: View) -> list[Comparison]:
    """Every pair at every level, pair by pair."""
    return compared(
        {level: view.figures["pairs"][level] for level in view.levels}, view.figures["by_difficulty"]
    )


def compared(pairs: dict[str, list[Figures]], models: dict[str, Figures]) -> list[Comparison]:
    """Judge pairs of models.

    Args:
        pairs: By level, what the record says about each pair.
        models: By level and model, accuracy and its bounds.

    Returns:
        The pairs in order, each with its levels in order.
    """
    found = [_judge(level, pair, models[level]) for level, of_level in pairs.items() for pair in of_level]
    return sorted(found, key=lambda one: (one.a, one.b))


def askings_missing(figures: Figures) -> int:
    """Count the missing answers of a model; an item asked several times may miss some and have a score."""
    number: int = figures["askings_missing"] if "askings_missing" in figures else figures["missing"]
    return number


def by_pair(found: Sequence[Comparison]) -> list[list[Comparison]]:
    """Group what ``compared`` gives."""
    return [list(group) for _, group in groupby(found, key=lambda one: one.pair)]


def headline(view: View) -> str:
    """Say in one sentence where the models are told apart best."""
    found = comparisons(view)
    if not found:
        return f"There is one model, {listed(view.models)}: nothing to tell apart"
    apart = _told_apart(view)
    most, pairs = max(apart.values()), len(by_pair(found))
    if most == 0:
        held = sum(any(one.status is Status.WITHHELD for one in group) for group in by_pair(found))
        why = f"; {WITHHELD} for {plural(held, 'pair')}" if held else ""
        return f"No two models are told apart at any level, with {_items(view)}{why}"
    where = listed([level for level, number in apart.items() if number == most])
    which = (
        "The two models are"
        if pairs == 1
        else f"{'All' if most == pairs else f'{most} of'} {pairs} pairs of models are"
    )
    return f"{which} told apart at {where}, with {_items(view)}"


def verdict(view: View) -> list[str]:
    """Say which pairs are told apart at which levels and who leads, then what to know about the run."""
    found = comparisons(view)
    groups = by_pair(found)
    checks = _control_lines(view) + _missing_lines(view)
    if len(groups) > FEW:
        return _by_leader([one for one in found if one.level == sharpest(view)]) + checks
    never = [group for group in groups if all(one.status is Status.NOT_APART for one in group)]
    lines = [_pair_line(group) for group in groups if group not in never]
    if never:
        lines.append(f"Told apart at no level: {'; '.join(_never(group) for group in never)}.")
    return lines + checks


def sharpest(view: View) -> str:
    """Name the level that tells most pairs apart, the hardest of several."""
    apart = _told_apart(view)
    return max(reversed(view.levels), key=lambda level: apart[level])


def _told_apart(view: View) -> dict[str, int]:
    found = [one.level for one in comparisons(view) if one.status is Status.APART]
    return {level: found.count(level) for level in view.levels}


def _by_leader(found: Sequence[Comparison]) -> list[str]:
    """Say at one level who is ahead of whom, the model ahead of most first."""
    behind: dict[str, list[str]] = {}
    for one in found:
        if one.status is Status.APART and one.leader:
            behind.setdefault(one.leader, []).append(one.b if one.leader == one.a else one.a)
    lines = [
        f"{leader} is ahead of {listed(others)} at {found[0].level}."
        for leader, others in sorted(behind.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    ]
    for status in (Status.NOT_APART, Status.WITHHELD, Status.UNKNOWN):
        pairs = [one.pair for one in found if one.status is status]
        if pairs:
            what, _, why = status.value.partition(": ")
            lines.append(
                f"{what.capitalize()} at {found[0].level}{f' ({why})' if why else ''}: {', '.join(pairs)}."
            )
    return lines


def _judge(level: str, pair: Figures, models: Figures) -> Comparison:
    status = Status.NOT_APART
    if pair["p_holm"] is None:
        status = Status.UNKNOWN
    elif pair["p_holm"] < ALPHA:
        status = Status.WITHHELD if _may_flip(pair, models) else Status.APART
    return Comparison(level, pair["a"], pair["b"], status, pair["difference"], pair)


def _may_flip(pair: Figures, models: Figures) -> bool:
    """Whether the missing answers of the two could turn their order round."""
    ahead, behind = (models[pair[side]] for side in ("ab" if pair["difference"] > 0 else "ba"))
    missing = askings_missing(ahead) + askings_missing(behind) > 0
    return missing and bool(ahead["accuracy_bounds"][0] <= behind["accuracy_bounds"][1])


def _pair_line(group: Sequence[Comparison]) -> str:
    parts = []
    for leader in (group[0].a, group[0].b):
        won = [one for one in group if one.status is Status.APART and one.leader == leader]
        if won:
            by = between([abs(one.difference or 0.0) for one in won], lambda gap: points(gap)[1:])
            parts.append(f"{leader} leads at {_levels(won)} by {by} points")
    for status in (Status.NOT_APART, Status.WITHHELD, Status.UNKNOWN):
        others = [one for one in group if one.status is status]
        if others:
            what, _, why = status.value.partition(": ")
            parts.append(f"{what} at {_levels(others)}{f' ({why})' if why else ''}")
    return f"{group[0].pair}: {'; '.join(parts)}."


def _never(group: Sequence[Comparison]) -> str:
    known = [(one.needed, one.level) for one in group if one.needed is not None]
    if not known:
        return f"{group[0].pair} (no number of items would)"
    needed, level = min(known)
    return f"{group[0].pair} (would need {items(needed)} items at {level})"


def _control_lines(view: View) -> list[str]:
    shuffled = view.figures["controls"].get("shuffled", {})
    tested = {model: control for model, control in shuffled.items() if control["ci"] is not None}
    off = [
        m for m, control in tested.items() if not control["ci"][0] <= control["chance"] <= control["ci"][1]
    ]
    if off:
        return [
            f"Check the benchmark: with shuffled summaries {listed(off)} {'is' if len(off) == 1 else 'are'} "
            "not at chance."
        ]
    return ["With shuffled summaries every model is at chance, as it must be."] if tested else []


def _missing_lines(view: View) -> list[str]:
    causes = [
        f"{named(view, model)} {in_words(reasons_of(view, model))}"
        for model, figures in view.figures["overall"].items()
        if askings_missing(figures)
    ]
    return [f"Answers missing: {'; '.join(causes)}."] if causes else []


def _levels(found: Sequence[Comparison]) -> str:
    return listed([one.level for one in found])


def _items(view: View) -> str:
    sizes = sorted(set(view.asked.values()))
    spread = plural(sizes[0], "item") if len(sizes) == 1 else f"{sizes[0]}–{plural(sizes[-1], 'item')}"
    return f"{spread} a level"
