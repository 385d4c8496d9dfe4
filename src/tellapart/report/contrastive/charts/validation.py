"""The set-ups compared: the original method, its first repair and the levels, on the same targets."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.charts import Chart
from tellapart.report.contrastive.charts.items_needed import draw_needed
from tellapart.report.contrastive.charts.steps import Step, draw_steps
from tellapart.report.contrastive.extras import setup_comparisons, setups
from tellapart.report.contrastive.record import Figures
from tellapart.report.contrastive.verdict import Comparison, by_pair


def validation_charts(figures: Figures, models: tuple[str, ...], asked: int) -> list[Chart]:
    """Accuracy under each set-up, and the items that each pair needs under it."""
    found = setup_comparisons(figures)
    steps = [Step(name, "", setup["models"]) for name, setup in setups(figures).items()]
    return [
        Chart(
            "validation-accuracy",
            _accuracy_conclusion(steps, models),
            "Accuracy in percent of each model under each set-up, with 95 % intervals.",
            lambda width: draw_steps(steps, models, width, x_title="Set-up", joined=False),
        ),
        Chart(
            "validation-needed",
            _needed_conclusion(found),
            "Items needed to tell each pair of models apart under each set-up, on a logarithmic axis.",
            lambda width: draw_needed(found, asked, width, "Set-up"),
        ),
    ]


def _accuracy_conclusion(steps: list[Step], models: tuple[str, ...]) -> str:
    parts = []
    for step in [*steps[:1], *steps[1:][-1:]]:
        rates = [rate for rate in map(step.accuracy, models) if rate is not None]
        known = f"{show.between(rates, show.whole_percent)} right" if rates else "nothing known"
        parts.append(f"{_named(step.label)} leaves {known}")
    return show.listed(parts)


def _named(setup: str) -> str:
    return "The original method" if setup == "baseline" else setup


def _needed_conclusion(found: list[Comparison]) -> str:
    """Name the pair that gains most from the best level, against the original method."""
    gains = []
    for group in by_pair(found):
        before = next((one.needed for one in group if one.level == "baseline"), None)
        levels = [
            (one.needed, one.level)
            for one in group
            if one.needed is not None and one.level not in ("baseline", "phase1")
        ]
        if before and levels:
            gains.append((before / min(levels)[0], group[0].pair, before, *min(levels)))
    if not gains or max(gains)[0] <= 1:
        return "No level needs fewer items than the original method"
    _, pair, before, needed, level = max(gains)
    return f"{pair}: {show.items(before)} items by the original method, {show.items(needed)} at {level}"
