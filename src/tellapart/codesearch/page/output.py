"""An evaluated search in a terminal and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.codesearch.page import exploring, gold, tables, trend
from tellapart.codesearch.page.verdict import headline, sentences
from tellapart.codesearch.page.view import View
from tellapart.report import comparison as block
from tellapart.report.terminal import fitted_table, rich_list


def terminal(view: View) -> list[RenderableType]:
    """Show the verdict first, then the trend of a loop, the measures, the areas, and who explored."""
    fallen = trend.gates_table(view)
    shown = [
        *([fallen] if fallen else []),
        *([trend.trend(view)] if view.history is not None else []),
        *(gold.brief(view, view.evaluation.gold) if view.evaluation.gold else []),
        tables.measures(view),
        *([tables.sampled_recall(sampled)] if (sampled := view.metrics.sampled_recall) else []),
        *([tables.areas(view, brief=True)] if view.metrics.areas else []),
        exploring.runs(view),
    ]
    comparison = trend.comparison(view)
    title = f"\nThe last two iterations, by {trend.compared_by(view)}:" if comparison else ""
    compared = (
        [Text(title), *block.terminal(comparison, strata=False, what="iterations")] if comparison else []
    )
    return [
        Text(headline(view), style="bold"),
        rich_list(sentences(view)),
        *compared,
        *map(fitted_table, shown),
        Text(f"\nevaluation {view.fingerprint[:16]}", style="dim"),
    ]


def figures(view: View) -> dict[str, Any]:
    """Everything that is reported, for programs: the figures and warnings as stored, and the trend."""
    stored = view.evaluation.to_json()
    record: dict[str, Any] = {
        "iteration_number": view.iteration,
        "headline": headline(view),
        "metrics": stored["metrics"],
        **({"gold": stored["gold"]} if "gold" in stored else {}),
        "warnings": list(view.warnings),
    }
    return record if view.history is None else record | {"history": view.history.to_json()}
