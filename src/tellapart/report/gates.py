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
from tellapart.report.comparison import Scale, scope_words, sentence
from tellapart.report.plain_text import plain
from tellapart.report.tables import Cell, Table, table

MOST_FLIPS = 20
"""At most so many flipped items are listed in each direction; the JSON has all."""

ENDED = {
    GateOutcome.PASSED: "Passed",
    GateOutcome.FAILED: "FAILED",
    GateOutcome.UNCLEAR: "Unclear",
    GateOutcome.UNCHANGED: "Passed",
}

_LEVELS = {
    GateOutcome.PASSED: "notice",
    GateOutcome.FAILED: "error",
    GateOutcome.UNCLEAR: "warning",
    GateOutcome.UNCHANGED: "notice",
}

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_headline(gate: Gate, scale: Scale | None = None, figure: str = "") -> str:
    """Give the first line of a gate: how it ends, and on what grounds."""
    form = scale or Scale()
    whom = f"the {figure} of {gate.candidate}" if figure else gate.candidate
    whose = f"that of {gate.baseline}" if figure else gate.baseline
    on = "" if gate.scope == "all items" else f"on {scope_words(gate.scope)}, "
    grounds = {
        GateOutcome.PASSED: _passed,
        GateOutcome.FAILED: _failed,
        GateOutcome.UNCLEAR: _unclear,
        GateOutcome.UNCHANGED: _unchanged,
    }[gate.outcome](gate, form, (whom, whose))
    return plain(f"{ENDED[gate.outcome]}: {on}{grounds}.")


def _failed(gate: Gate, form: Scale, names: tuple[str, str]) -> str:
    limit = f", beyond the limit of {form.size(gate.max_drop)}" if gate.max_drop else ""
    drop = "" if gate.change is None else f" by {form.size(gate.change)}"
    span = "" if gate.drop_interval is None else f" ({form.sizes(gate.drop_interval)})"
    return f"{names[0]} is worse than {names[1]}{drop}{span}{limit}; n = {show.count(gate.n)}"


def _passed(gate: Gate, form: Scale, names: tuple[str, str]) -> str:
    limit = f"no drop beyond {form.size(gate.max_drop)}" if gate.max_drop else "no drop"
    return f"{limit}: {_change(gate, form, names)}; n = {show.count(gate.n)}"


def _unchanged(gate: Gate, form: Scale, names: tuple[str, str]) -> str:
    all_ = "1 item scores" if gate.n == 1 else f"all {show.plural(gate.n, 'item')} score"
    return f"nothing changed: {all_} the same"


def _unclear(gate: Gate, form: Scale, names: tuple[str, str]) -> str:
    if not gate.can_fire:
        return sentence(gate.reason)
    if gate.detectable is None:
        limit = f"more than {form.size(gate.max_drop)} below" if gate.max_drop else "below"
        sees = f"whether {names[0]} is {limit} {names[1]} cannot be told"
    else:
        sees = f"{show.plural(gate.n, 'item')} can show a change of {form.size(gate.detectable)}"
        if gate.items_for_limit and gate.items_needed == gate.items_for_limit:
            sees += f", {show.items(gate.items_needed)} would show {form.size(gate.max_drop)}"
        elif gate.items_needed:
            sees += f", {show.items(gate.items_needed)} would settle it if the observed change holds"
    why = "" if gate.reason == WITHIN_NOISE else f". {show.capital(sentence(gate.reason))}"
    return f"{sees}: {_change(gate, form, names)}{why}"


def _change(gate: Gate, form: Scale, names: tuple[str, str]) -> str:
    if gate.change is None:
        return f"{names[0]} and {names[1]} have no common item"
    span = "" if gate.interval is None else f" ({form.gap_span((gate.interval.low, gate.interval.high))})"
    return f"{names[0]} − {names[1]} = {form.gap(gate.change)} {form.gap_unit}{span}"


class Flipped(Protocol):
    """Two models and the items on which they differ; a `Gate` is one."""

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


def counts_as(outcomes: Sequence[GateOutcome], on_unclear: OnUnclear) -> str:
    """Say what an unclear gate counts as; empty where none is, or where it counts as what it is."""
    if GateOutcome.UNCLEAR not in outcomes or on_unclear is OnUnclear.WARN:
        return ""
    word = ENDED[on_unclear.outcome].lower()
    return f"An unclear gate counts as {word} here (--on-unclear {on_unclear})."


@dataclass(frozen=True)
class GateCase:
    """A gate as a test of a CI system.

    Attributes:
        line: The gate's first line.
        flips: The items that flipped, if any did.
    """

    name: str
    outcome: GateOutcome
    line: str
    flips: Table | None = None


def junit(suite: str, cases: Sequence[GateCase], on_unclear: OnUnclear = OnUnclear.WARN) -> str:
    """Give gates as JUnit XML, which CI systems show as tests."""
    counted = [_counted(gate.outcome, on_unclear) for gate in cases]
    totals = {
        "tests": len(cases),
        "failures": counted.count(GateOutcome.FAILED),
        "errors": 0,
        "skipped": counted.count(GateOutcome.UNCLEAR),
    }
    numbers = {name: str(number) for name, number in totals.items()}
    root = ElementTree.Element("testsuites", numbers)
    tests = ElementTree.SubElement(root, "testsuite", {"name": suite, **numbers})
    for gate, outcome in zip(cases, counted, strict=True):
        case = ElementTree.SubElement(tests, "testcase", {"classname": suite, "name": _xml(gate.name)})
        text = _xml("\n".join([gate.line, *_listed(gate.flips)]))
        if outcome is GateOutcome.FAILED:
            ElementTree.SubElement(case, "failure", {"message": _xml(gate.line)}).text = text
            continue
        if outcome is GateOutcome.UNCLEAR:
            ElementTree.SubElement(case, "skipped", {"message": _xml(gate.line)})
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


def annotation(outcome: GateOutcome, line: str, on_unclear: OnUnclear = OnUnclear.WARN) -> str:
    """Give the first line of a gate as a workflow command of GitHub Actions.

    An unclear gate is a warning, unless it counts as something else.
    """
    text = line.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{_LEVELS[_counted(outcome, on_unclear)]} title=tellapart::{text}"


def _counted(outcome: GateOutcome, on_unclear: OnUnclear) -> GateOutcome:
    return on_unclear.outcome if outcome is GateOutcome.UNCLEAR else outcome


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
