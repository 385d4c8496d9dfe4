"""Whether language models answer the same when they are asked again, in the same order and in others."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.contrastive.record import Figures, View
from tellapart.report.tables import Cell, Table, table

_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


def flips(view: View) -> Table | None:
    """How often two askings of an item differ; None where no item was asked again."""
    rows: list[list[Cell | str]] = []
    for model in view.llms:
        for name, found in _measured(view, model).items():
            span = show.rate_range(found["ci"]) if found["ci"] else "no interval"
            rows.append(
                [
                    model,
                    _asked(view, name),
                    show.count(found["items"]),
                    Cell(show.rate(found["flip_rate"]), span),
                ]
            )
    if not rows:
        return None
    return table(
        "flips",
        "Answers that changed when the same item was asked again, % (95 % interval)",
        ["model", "asked", "items", "changed, %"],
        rows,
        note="Changed: another option was put first, be it right or wrong; of more than two askings, the "
        "share of pairs that differ.",
        words=2,
    )


def flip_lines(view: View) -> list[str]:
    """Say for each language model how much changed, and for which that was not measured."""
    lines = []
    for model in view.llms:
        said = [_in_words(view, name, found) for name, found in _measured(view, model).items()]
        if said:
            lines.append(f"{model}, {'; '.join(said)}.")
    unknown = [model for model in view.llms if "repeats" not in _measured(view, model)]
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
    """Count the items where each was asked just twice; else give the share of pairs."""
    repeats, orders = _plan(view)
    items, rate = found["items"], found["flip_rate"]
    span = f" ({show.rate_range(found['ci'])} %)" if found["ci"] else ""
    once_again = repeats * orders == 2
    if once_again:
        changed = f"{round(rate * items)} of {show.plural(items, 'item')} changed"
    else:
        changed = f"two answers to the same item differ in {show.percent(rate)} of cases"
    return f"asked {_asked(view, name)}: {changed}{span}"
