"""Whether language models answer the same when they are asked again, in the same order and in others."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.contrastive.record import Figures, View
from tellapart.report.tables import Cell, Table, table, undefined

NO_INTERVAL = "too few files for an interval"

_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


def flips(view: View) -> Table | None:
    """How many items changed when they were asked again; None where none was asked again."""
    rows: list[list[Cell | str]] = []
    for model in view.llms:
        for asked, found in _measured(view, model):
            rows.append(
                [model, asked, show.count(found["items"]), show.count(_changed(found)), _share(found)]
            )
    if not rows:
        return None
    return table(
        "flips",
        "Items whose answer changed when they were asked again (95 % interval)",
        ["model", "asked", "items", "changed", "of all, %"],
        rows,
        note="Changed: right one time and wrong another, or another option put first.",
        words=2,
    )


def flip_lines(view: View) -> list[str]:
    """Say for each language model how many items changed, and for which that was not measured."""
    lines = []
    for model in view.llms:
        found = _measured(view, model)
        said = [
            f"{asked}, {_changed(of)} of {show.plural(of['items'], 'item')} changed{_interval(of)}"
            for asked, of in found
        ]
        if said:
            lines.append(f"{model}: {'; '.join(said)}.")
    unmeasured = [model for model in view.llms if not _known(view, "repeats", model)]
    if unmeasured:
        same = "gives" if len(unmeasured) == 1 else "give"
        lines.append(
            f"Whether {show.listed(unmeasured)} {same} the same answer when asked the same again was not "
            "measured; --repeats 2 measures it."
        )
    return lines


def _measured(view: View, model: str) -> list[tuple[str, Figures]]:
    plan = view.record.config.get("plan", {})
    repeats, orders = plan.get("repeats", 1), plan.get("orders", 1)
    asked = {
        "repeats": f"asked {_TIMES.get(repeats, f'{repeats} times')} in the same order",
        "orders": f"asked in {orders} orders",
    }
    found = {name: _known(view, name, model) for name in asked}
    return [(asked[name], figures) for name, figures in found.items() if figures]


def _known(view: View, name: str, model: str) -> Figures | None:
    found: Figures | None = (view.figures.get(name) or {}).get(model)
    return found if found and found["items"] else None


def _changed(found: Figures) -> int:
    return round(float(found["flip_rate"]) * int(found["items"]))


def _interval(found: Figures) -> str:
    return f" ({show.rate_range(found['ci'])} %)" if found["ci"] else ""


def _share(found: Figures) -> Cell:
    if found["flip_rate"] is None:
        return undefined("no item was answered twice")
    return Cell(show.rate(found["flip_rate"]), show.rate_range(found["ci"]) if found["ci"] else "no interval")
