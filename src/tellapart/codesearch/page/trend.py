"""Iterations of a loop: precision and recall, what changed, and areas that fell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tellapart.codesearch.page.cells import WORDS, ends_of, estimate, number, to
from tellapart.codesearch.page.record import View
from tellapart.core.comparison import Comparison, from_json
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

FIRST = "there is no iteration before it"

FALLS = {"worse": "worse", "unclear": "cannot tell", "unreliable": "unreliable: verdicts are missing"}
"""What is known of an area that may have fallen."""


def iterations(view: View) -> list[Mapping[str, Any]]:
    """What the history says of each iteration; empty outside a loop."""
    return list((view.history or {}).get("iterations", ()))


def names(view: View) -> list[str]:
    """Measures of the trend, in order."""
    return list(dict.fromkeys(name for one in iterations(view) for name in one["measures"]))


def trend(view: View) -> Table:
    """Precision and recall of each iteration, and the change since the one before."""
    rows: list[list[Cell | str]] = []
    for one in iterations(view):
        row: list[Cell | str] = [Cell(str(one["iteration"]), "" if one["reliable"] else "unreliable")]
        for name in names(view):
            row += [_value(one["measures"].get(name)), _change(one["since"], name)]
        rows.append([*row, show.count(one["conversations"]), _same(one["since"])])
    headings = ["iteration"]
    for name in names(view):
        headings += [WORDS.get(name, name), "change"]
    return table(
        "trend",
        "Precision and recall by iteration (95 % interval)",
        [*headings, "conversations", "the search found"],
        rows,
        note="Changes are over the conversations that both iterations have, each with its interval at the "
        "level of its test: half of 5 %, since there are two measures. Where verdicts are missing there is "
        "no value; its bounds stand in brackets.",
    )


def one_truth(view: View) -> Table | None:
    """Changes held against one ground truth, where explorations found other files; None where none did."""
    rows: list[list[Cell | str]] = []
    for one in iterations(view):
        for name, found in ((one["since"] or {}).get("one_ground_truth") or {}).items():
            rows.append([str(one["iteration"]), WORDS.get(name, name), _difference(found)])
    if not rows:
        return None
    return table(
        "one-truth",
        "Changes on one ground truth for both iterations",
        ["iteration", "measure", "change"],
        rows,
        words=2,
        note="The explorations found other files than the iteration before; here both are held against all "
        "that either found.",
    )


def fallen(view: View) -> Table | None:
    """Areas that fell by more than the limit, or may have; None where none did."""
    history = view.history or {}
    found = [*(history.get("regressions") or []), *(history.get("undecided") or [])]
    if not found:
        return None
    rows: list[list[Cell | str]] = [
        [
            one["area"],
            WORDS.get(one["measure"], one["measure"]),
            FALLS[one.get("fall", "worse")],
            str(one["against_iteration"]),
            _difference(one),
        ]
        for one in found
    ]
    return table(
        "fallen",
        "Areas that fell, or may have",
        ["area", "measure", "verdict", "against iteration", "change"],
        rows,
        words=4,
    )


def comparison(view: View) -> Comparison | None:
    """What `core.comparison` says of the last iteration and the one before."""
    since = (iterations(view)[-1]["since"] if iterations(view) else None) or {}
    record = since.get("comparison")
    return None if record is None else from_json(record)


def compared_by(view: View) -> str:
    """The measure of `comparison`, in words."""
    name = str((iterations(view)[-1]["since"] or {}).get("compared_by", ""))
    return WORDS.get(name, name)


def fell(one: Mapping[str, Any], name: str) -> bool:
    """Whether a measure fell beyond chance since the iteration before."""
    found = ((one["since"] or {}).get("measures") or {}).get(name)
    return bool(found and found["beyond_chance"] and found["difference"] < 0)


def in_words(view: View) -> str:
    """What the trend shows, from the first iteration to the last."""
    told = iterations(view)
    parts = []
    for name in names(view):
        values = [one["measures"].get(name, {}).get("value") for one in told]
        known = [value for value in values if value is not None]
        if len(known) > 1:
            parts.append(
                f"{WORDS.get(name, name)} {show.decimal(known[0], 2)} to {show.decimal(known[-1], 2)}"
            )
    unreliable = ((view.history or {}).get("stopped") or {}).get("reason") == "unreliable"
    if unreliable:
        return f"The judge failed in iteration {told[-1]['iteration']}: nothing can be said of what changed"
    moved = f"From iteration {told[0]['iteration']} to {told[-1]['iteration']}: {show.listed(parts)}"
    areas = list(dict.fromkeys(one["area"] for one in (view.history or {}).get("regressions") or []))
    if areas:
        return f"{show.listed(areas)} got worse in iteration {told[-1]['iteration']}; roll it back"
    if not parts:
        return "No figure is known of two iterations"
    return f"{moved}; {_steps(view)}"


def _steps(view: View) -> str:
    beyond = [
        one["iteration"]
        for one in iterations(view)
        for found in ((one["since"] or {}).get("measures") or {}).values()
        if found["beyond_chance"]
    ]
    if not beyond:
        return "no step is beyond chance"
    numbers = list(dict.fromkeys(map(str, beyond)))
    return f"the {'step' if len(numbers) == 1 else 'steps'} to {show.listed(numbers)} beyond chance"


def _change(since: Mapping[str, Any] | None, name: str) -> Cell:
    found = (since or {}).get("measures", {}).get(name)
    return undefined(FIRST) if found is None else _difference(found)


def _difference(found: Mapping[str, Any]) -> Cell:
    if found["difference"] is None:
        return undefined("no conversation has it in both iterations")
    shown = number(found["difference"]).text
    ends = ends_of(found)
    words = {None: "chance not testable", True: "beyond chance", False: "within chance"}
    detail = [to(ends) if ends else "no interval", words[found["beyond_chance"]]]
    signed = shown if found["difference"] < 0 else f"+{shown}"
    return Cell(signed, "; ".join(detail), strong=bool(found["beyond_chance"]))


def _value(figure: Mapping[str, Any] | None) -> Cell:
    ends = (figure or {}).get("bounds") or [None, None]
    if figure is None or figure["value"] is not None or None in ends:
        return estimate(figure)
    return undefined(figure["reason"], f"[{to(ends)}]")


def _same(since: Mapping[str, Any] | None) -> str:
    if since is None:
        return ""
    return "just the same files" if since["same_files"] else "other files"
