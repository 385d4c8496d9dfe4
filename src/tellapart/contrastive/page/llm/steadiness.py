"""Whether language models answer the same when they are asked again, in the same order and in others."""

from __future__ import annotations

from tellapart.contrastive.page.llm.names import matched_by, named
from tellapart.contrastive.page.record import Figures, View
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table

_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


def flips(view: View) -> Table | None:
    """How many items changed when they were asked again; None where none was."""
    rows: list[list[Cell | str]] = []
    for model in view.llms:
        for name, found in _measured(view, model).items():
            span = show.rate_range(found["ci"]) if found["ci"] else "no interval"
            share = Cell(show.rate(found["flip_rate"]), span)
            counts = map(show.count, (found["items"], _changed(found)))
            rows.append([model, _asked(view, name), *counts, share])
    if not rows:
        return None
    return table(
        "flips",
        f"Items whose answer changed when they were asked again, % (95 % interval){matched_by(view)}",
        ["model", "asked", "items", "changed", "of all, %"],
        rows,
        note="Changed: not always the same option was put first, be it right or wrong. The more askings, the "
        "more items change.",
        words=2,
    )


def flip_lines(view: View) -> list[str]:
    """Say for each language model how much changed, and for which that was not measured."""
    lines = []
    for model in view.llms:
        said = [_in_words(view, name, found) for name, found in _measured(view, model).items()]
        if said:
            lines.append(f"{named(view, model)}: {'; '.join(said)}.")
    without = [model for model in view.llms if "repeats" not in _measured(view, model)]
    # Of none of the writers' summaries: then it is the matcher of which it is not known.
    alone = len(without) == len(view.llms) and matched_by(view) != ""
    unknown = sorted({view.matchers[m] for m in without}) if alone else [named(view, m) for m in without]
    if unknown:
        gives = "gives" if len(unknown) == 1 else "give"
        lines.append(
            f"Whether {show.listed(unknown)} {gives} the same answer to the same question was not measured; "
            "--repeats 2 measures it."
        )
    return lines


def _measured(view: View, model: str) -> dict[str, Figures]:
    found = {name: (view.figures.get(name) or {}).get(model) for name in ("repeats", "orders")}
    return {name: figures for name, figures in found.items() if figures and figures["items"]}


def _plan(view: View) -> tuple[int, int]:
    plan = view.record.config.get("plan", {})
    return plan.get("repeats", 1), plan.get("orders", 1)


def _asked(view: View, name: str) -> str:
    repeats, orders = _plan(view)
    if name == "orders":
        return f"in {orders} orders"
    return f"{_TIMES.get(repeats, f'{repeats} times')} in the same order"


def _in_words(view: View, name: str, found: Figures) -> str:
    span = f" ({show.rate_range(found['ci'])} %)" if found["ci"] else ""
    items = show.plural(found["items"], "item")
    return f"asked {_asked(view, name)}, {show.count(_changed(found))} of {items} changed{span}"


def _changed(found: Figures) -> int:
    return round(float(found["flip_rate"]) * int(found["items"]))
