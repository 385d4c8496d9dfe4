"""A browser of items on a page: choices and a search above a list, and beside it one item in detail."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tellapart.report.document import DIFFER, Widget
from tellapart.report.page import asset, rendered

_KIT = "tellapart.report"

RIGHT_OR_WRONG = {
    DIFFER: "only one is right",
    "a": "A right, B wrong",
    "b": "B right, A wrong",
    "right": "both right",
    "wrong": "both wrong",
    "missing": "A or B missing",
}
"""How two models may stand on an item that a model gets right or wrong."""

HIGHER_OR_LOWER = {
    DIFFER: "scores differ",
    "a": "A higher than B",
    "b": "B higher than A",
    "same": "same score",
    "missing": "A or B missing",
}
"""The same for scores with more values than two."""

ORDERS = {"id": "by id", "gap": "largest gap first", "hard": "hardest first", "easy": "easiest first"}
"""In which order items may stand: hard and easy by the mean score of all models."""


@dataclass(frozen=True)
class Choice:
    """One of the choices above the list.

    Attributes:
        name: Of one word; stands in the address of a view. The choice called ``sort`` orders the list,
            every other one filters it.
        label: What a reader sees beside it.
        options: What each value, as the address has it, is called.
        unset: Label for choosing nothing; empty if something is always chosen, at first the first.
    """

    name: str
    label: str
    options: Mapping[str, str]
    unset: str = "all"

    @classmethod
    def of(cls, name: str, label: str, names: Iterable[str], unset: str = "all") -> Choice:
        """Make a choice between names that are shown as they are."""
        return cls(name, label, {option: option for option in names}, unset)


def pair_choices(models: Sequence[str], *, graded: bool = False) -> tuple[Choice, Choice]:
    """Make the choices of a second model and of how the two stand on an item.

    The first model is the browser's choice ``model``. Where no second model is chosen, it is any other.
    """
    sides = HIGHER_OR_LOWER if graded else RIGHT_OR_WRONG
    return Choice.of("other", "Model B", models, "any other"), Choice("side", "A and B", sides)


def item_browser(
    data: object,
    *,
    noun: str,
    choices: Sequence[Choice],
    searched: str,
    text: str,
    package: str,
    assets: Sequence[str] = ("items.css", "items.js"),
) -> Widget:
    """Make the browser of a page."""
    return Widget(
        "items",
        rendered("browser.html", noun=noun, choices=choices, searched=searched),
        _joined(package, "browser.css", assets),
        _joined(package, "browser.js", assets),
        data,
        f"{text} The address of the page keeps the view, so a link shows it again.",
    )


def _joined(package: str, first: str, assets: Sequence[str]) -> str:
    """Join the kit's file and those of the suite that are of the same kind."""
    kind = first[first.rindex(".") :]
    return asset(_KIT, first) + "".join(asset(package, name) for name in assets if name.endswith(kind))


def fitting(texts: Collection[str], room: int, least: int, most: int) -> int:
    """How many letters of each text a page has room for."""
    return most if sum(map(len, texts)) <= room else max(least, min(most, room // max(1, len(texts))))


def clipped(text: str, most: int) -> str:
    """Cut a text that is longer than ``most`` letters, and say so by an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
