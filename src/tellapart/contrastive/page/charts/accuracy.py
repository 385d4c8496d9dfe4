"""Accuracy by difficulty and model."""

from __future__ import annotations

from tellapart.contrastive.page.charts.steps import Step, draw_steps
from tellapart.contrastive.page.view import View, short_names
from tellapart.report import numbers as show
from tellapart.report.charts import Chart
from tellapart.report.comparison import words


def accuracy_chart(view: View) -> Chart:
    """Accuracy of each model at each level, with intervals and the line of chance."""
    steps = [
        Step(
            level,
            show.count(view.distractors[level]),
            view.figures["by_difficulty"][level],
            view.chance[level],
        )
        for level in view.levels
    ]
    description = (
        f"Accuracy in percent of {show.listed(view.models)} at the levels {show.listed(view.levels)}, "
        "with 95 % intervals; the broken grey line is the accuracy of guessing."
    )
    return Chart(
        "accuracy",
        _conclusion(view, steps),
        description,
        lambda width: draw_steps(
            steps,
            view.models,
            width,
            x_title="Level of difficulty",
            below="number of distractors",
            names=short_names(view.models) if view.of_language_models else None,
        ),
    )


def _conclusion(view: View, steps: list[Step]) -> str:
    ends = [[step.accuracy(model) for model in view.models] for step in (steps[0], steps[-1])]
    known = [
        (first, last) for first, last in zip(*ends, strict=True) if first is not None and last is not None
    ]
    if len(steps) < 2 or not known:
        return (
            f"Accuracy at {words(steps[0].label)}, the one level that was asked"
            if len(steps) == 1
            else "No accuracy is known"
        )
    before, after = (show.between(list(rates), show.whole_percent) for rates in zip(*known, strict=True))
    fell = sum(first > last for first, last in known)
    who = (
        "Accuracy"
        if len(known) == 1
        else "Every model"
        if fell == len(known)
        else f"{fell} of {len(known)} models"
    )
    verb = "fall" if 1 < fell < len(known) or not fell else "falls"
    first, last = (words(step.label) for step in (steps[0], steps[-1]))
    order = f"; {_order(view)}" if view.comparison else ""
    return f"{who} {verb}: {before} right at {first}, {after} at {last}{order}"


def _order(view: View) -> str:
    """Which models change places, each being better than the other at some level, all looks corrected."""
    detail = view.comparison.secondary if view.comparison else None
    ahead = {(pair.ahead, pair.behind) for pair in detail.separated} if detail else set()
    turned = [f"{a} and {b}" for a, b in sorted(ahead) if a < b and (b, a) in ahead]
    if turned:
        return f"{show.listed(turned)} change places" + (" on the way" if len(turned) == 1 else "")
    return "no two models change places beyond chance"
