"""Gates for people and for the programs that run them: a line, a table of flips, JUnit, annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from xml.etree import ElementTree

from tellapart.core.comparison import Flip, Gate, GateOutcome, OnUnclear
from tellapart.core.comparison.gates import WITHIN_NOISE
from tellapart.report import numbers as show
from tellapart.report.headline import about, scope_words, sentence
from tellapart.report.numbers import Scale
from tellapart.report.plain_text import plain
from tellapart.report.tables import Cell, Table, table

MOST_FLIPS = 10
"""At most so many flipped items are listed in each direction; the JSON has all."""

ENDED = {
    GateOutcome.PASSED: "Passed",
    GateOutcome.FAILED: "FAILED",
    GateOutcome.UNCLEAR: "Unclear",
    GateOutcome.UNCHANGED: "Passed",
}

_UNCLEAR = {
    OnUnclear.FAIL: ("error", "failure"),
    OnUnclear.WARN: ("warning", "skipped"),
    OnUnclear.PASS: ("notice", ""),
}
"""How an unclear gate ends: the level of its annotation, and what its test of JUnit has beside its output."""

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_headline(gate: Gate, scale: Scale | None = None) -> str:
    """Say how a gate ends, by how much the candidate changed, and what would settle it."""
    return " ".join(gate_sentences(gate, scale))


def gate_sentences(gate: Gate, scale: Scale | None = None) -> list[str]:
    """The sentences of `gate_headline`; the first two say how it ends."""
    form, outcome = scale or Scale(), gate.outcome or GateOutcome.UNCLEAR
    on = "" if gate.scope == "all items" else f" on {scope_words(gate.scope)}"
    limit = form.size(gate.limit) if gate.limit else ""
    if outcome is GateOutcome.PASSED:
        drop = f"No drop beyond {limit}." if limit else "No drop."
        said = [drop, f"{gate.candidate} {_change(gate, form, than=True)}."]
    elif outcome is GateOutcome.FAILED:
        said = [f"{gate.candidate} is worse than {gate.baseline}.", f"It {_change(gate, form)}."]
        said += [f"The limit is {limit}."] if limit else []
    elif outcome is GateOutcome.UNCHANGED:
        all_ = "1 item scores" if gate.n == 1 else f"all {show.plural(gate.n, 'item')} score"
        said = [f"Nothing changed: {all_} the same under {gate.candidate} and {gate.baseline}."]
    else:
        said = _unclear(gate, form)
    return [plain(text) for text in (f"{ENDED[outcome]}{on}.", *said) if text]


def _unclear(gate: Gate, form: Scale) -> list[str]:
    if not gate.can_fire:
        reason = sentence(gate.reason).replace("this gate", f"the gate on {gate.candidate}", 1)
        return [f"{show.capital(reason)}."]
    limit = f"more than {form.size(gate.limit)} worse" if gate.limit else "worse"
    cannot = f"Cannot tell whether {gate.candidate} is {limit} than {gate.baseline}."
    if gate.drop is None:
        return [cannot, "They have no common item."]
    why = "" if gate.reason == WITHIN_NOISE else f"{show.capital(sentence(gate.reason))}."
    if gate.items_needed:
        why = f"{why} If there is no drop, about {about(gate.items_needed)} items would show it."
    elif not why:
        why = (
            "The change is about as large as the limit, so more items may not settle it."
            if gate.limit
            else "With a limit of 0, only a gain beyond noise passes."
        )
    return [cannot, f"It {_change(gate, form)}.", why.strip()]


def _change(gate: Gate, form: Scale, *, than: bool = False) -> str:
    """``scored 2 points lower on 150 items; the true change lies between … (90 % interval)``."""
    drop = gate.drop or 0.0
    size = f"{form.size(drop)} {'lower' if drop > 0 else 'higher'}" if drop else "the same"
    other = f" {'than' if drop else 'as'} {gate.baseline}" if than else ""
    change = f"scored {size}{other} on {show.plural(gate.n, 'item')}"
    if gate.interval is None or gate.level is None:
        return change
    low, high = gate.interval
    if low < 0 < high:
        span = f"{form.size(high)} worse and {form.size(low)} better"
    else:
        way, ends = ("worse", (low, high)) if high > 0 else ("better", (-high, -low))
        span = f"{form.size(ends[0]).partition(' ')[0]} and {form.size(ends[1])} {way}"
    return f"{change}; the true change lies between {span} ({100 * gate.level:.3g} % interval)"


class Flipped(Protocol):
    """A baseline, a candidate, and the items on which they differ; a `Gate` is one."""

    @property
    def baseline(self) -> str:
        """The one that the other is held against."""

    @property
    def candidate(self) -> str:
        """The other one."""

    @property
    def flips(self) -> Sequence[Flip]:
        """The items, the most decisive first."""


def flip_table(
    gate: Flipped,
    texts: Mapping[str, str] | None = None,
    most: int = MOST_FLIPS,
    name: str = "flips",
    command: str = "",
    answer: Callable[[str, str], str] = lambda model, item: "",
) -> Table:
    """The items on which a candidate and the baseline differ: lost ones, then gained ones.

    ``texts`` are the items' questions, and ``answer`` what a model said to an item; empty where not known.
    """
    lost = [flip for flip in gate.flips if flip.candidate < flip.baseline]
    gained = [flip for flip in gate.flips if flip.candidate > flip.baseline]
    rows: list[list[Cell | str]] = [
        [
            way,
            Cell(flip.item, (texts or {}).get(flip.item, "")),
            Cell(f"{flip.baseline:g}", answer(gate.baseline, flip.item)),
            Cell(f"{flip.candidate:g}", answer(gate.candidate, flip.item)),
        ]
        for way, flips in (("lost", lost), ("gained", gained))
        for flip in flips[:most]
    ]
    hidden = max(0, len(lost) - most) + max(0, len(gained) - most)
    return table(
        name,
        f"Items that flipped: {show.count(len(lost))} lost, {show.count(len(gained))} gained",
        ["", "Item", gate.baseline, gate.candidate],
        rows,
        words=2,
        note=f"{show.count(hidden)} more{f'; to list all: {command}' if command else ''}" if hidden else "",
    )


@dataclass(frozen=True)
class GateCase:
    """A gate as a test of a CI system, with its first line and the items that flipped, if any did."""

    name: str
    outcome: GateOutcome
    line: str
    flips: Table | None = None


def junit(suite: str, cases: Sequence[GateCase], on_unclear: OnUnclear = OnUnclear.FAIL) -> str:
    """Give gates as JUnit XML, which CI systems show as tests."""
    counted = [_ends(gate.outcome, on_unclear)[1] for gate in cases]
    numbers = {"tests": str(len(cases)), "failures": str(counted.count("failure"))}
    numbers |= {"errors": "0", "skipped": str(counted.count("skipped"))}
    root = ElementTree.Element("testsuites", numbers)
    tests = ElementTree.SubElement(root, "testsuite", {"name": suite, **numbers})
    for gate, element in zip(cases, counted, strict=True):
        case = ElementTree.SubElement(tests, "testcase", {"classname": suite, "name": _xml(gate.name)})
        text = _xml("\n".join([gate.line, *_listed(gate.flips)]))
        if element:
            ElementTree.SubElement(case, element, {"message": _xml(gate.line)})
        ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _listed(flips: Table | None) -> list[str]:
    if flips is None:
        return []
    names = [column.title for column in flips.columns[2:]]
    rows = []
    for way, item, *scores in flips.rows:
        rows.append(f"{way.text} {item.text}: {' -> '.join(score.text for score in scores)}")
        rows += [f"  {item.detail}"] if item.detail else []
        rows += [f"  {name}: {s.detail}" for name, s in zip(names, scores, strict=True) if s.detail]
    models = " -> ".join(names)
    return [f"{flips.title} ({models})", *rows, *([flips.note] if flips.note else [])]


def annotation(outcome: GateOutcome, line: str, on_unclear: OnUnclear = OnUnclear.FAIL) -> str:
    """Give the first line of a gate as a workflow command of GitHub Actions."""
    text = line.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{_ends(outcome, on_unclear)[0]} title=tellapart::{text}"


def _ends(outcome: GateOutcome, on_unclear: OnUnclear) -> tuple[str, str]:
    """The level of an annotation, and the element of a test of JUnit."""
    if outcome is GateOutcome.UNCLEAR:
        return _UNCLEAR[on_unclear]
    return ("error", "failure") if outcome is GateOutcome.FAILED else ("notice", "")


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
