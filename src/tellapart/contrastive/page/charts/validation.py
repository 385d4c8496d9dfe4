"""The set-ups compared: the original method, its repair and the levels, on the same targets."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.contrastive.page.charts.items_needed import draw_needed
from tellapart.contrastive.page.charts.steps import Step, draw_steps
from tellapart.contrastive.page.methods import SETUP_NAMES, setup_pairs, setups
from tellapart.contrastive.page.view import Figures
from tellapart.core.comparison import Comparison, PairComparison
from tellapart.report import numbers as show
from tellapart.report.charts import Chart
from tellapart.report.comparison import scope, words


def validation_charts(figures: Figures, run: Comparison | None, models: tuple[str, ...]) -> list[Chart]:
    """Accuracy under each set-up, and the items that each pair needs under it; see ``setup_pairs``."""
    steps = [Step(name, "", setup["models"]) for name, setup in setups(figures).items()]
    found = [
        Chart(
            "validation-accuracy",
            _accuracy_conclusion(steps, models),
            "Accuracy in percent of each model under each set-up, with 95 % intervals.",
            lambda width: draw_steps(steps, models, width, x_title="Set-up", joined=False),
        )
    ]
    rows = setup_pairs(figures, run)
    original = rows.get(SETUP_NAMES["baseline"])
    if run is None or not original:
        return found
    needed = Chart(
        "validation-needed",
        _needed_conclusion(original, run.primary.pairs, scope(run.primary)),
        "Items needed to separate each pair of models under each set-up, on a logarithmic axis. A grey mark "
        "is the number of items that there are.",
        lambda width: draw_needed({words(name): pairs for name, pairs in rows.items()}, width, "Set-up"),
    )
    return [*found, needed]


def _accuracy_conclusion(steps: list[Step], models: tuple[str, ...]) -> str:
    parts = []
    for step in [*steps[:1], *steps[1:][-1:]]:
        rates = [rate for rate in map(step.accuracy, models) if rate is not None]
        known = f"{show.between(rates, show.whole_percent)} right" if rates else "nothing known"
        parts.append(f"{_named(step.label)} leaves {known}")
    return show.listed(parts)


def _named(setup: str) -> str:
    return "The original method" if setup == SETUP_NAMES["baseline"] else words(setup)


def _needed_conclusion(original: Sequence[PairComparison], run: Sequence[PairComparison], here: str) -> str:
    """Set the items that pairs need by the original method beside those that they need in this run."""
    before = {(pair.a, pair.b): pair.items_needed for pair in original}
    parts = [
        f"{pair.a} – {pair.b} {_items(before.get((pair.a, pair.b)))} and {_items(pair.items_needed)}"
        for pair in run[:3]
    ]
    return f"Items needed by the original method and by this run ({here}): {show.listed(parts)}"


def _items(needed: int | None) -> str:
    return show.DASH if needed is None else show.items(needed)
