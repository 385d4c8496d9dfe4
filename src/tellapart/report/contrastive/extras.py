"""Tables of figures that not every run has: selection bias, and the set-ups compared."""

from __future__ import annotations

from tellapart.report import numbers as show
from tellapart.report.contrastive.record import Figures
from tellapart.report.contrastive.tables import accuracy, items_needed
from tellapart.report.contrastive.verdict import Comparison, compared
from tellapart.report.tables import Cell, Table, table, undefined


def setups(figures: Figures) -> dict[str, Figures]:
    """Every set-up of a validation by name: the documented ones, then the levels."""
    documented = {name: figures[name] for name in ("baseline", "phase1") if figures.get(name)}
    return {**documented, **figures.get("phase2", {})}


def setup_comparisons(figures: Figures) -> list[Comparison]:
    """Every pair of models under every set-up."""
    found = setups(figures)
    pairs = {name: setup["pairs"] for name, setup in found.items()}
    return compared(pairs, {name: setup["models"] for name, setup in found.items()})


def validation(figures: Figures) -> list[Table]:
    """Accuracy and items needed under each set-up, on the same targets."""
    found = setups(figures)
    models = sorted({model for setup in found.values() for model in setup["models"]})
    rows: list[list[Cell | str]] = [
        [name, *(accuracy(setup["models"][model]) for model in models)] for name, setup in found.items()
    ]
    accuracies = table(
        "validation",
        "Accuracy by set-up on the same targets, % (95 % interval)",
        ["set-up", *models],
        rows,
        note="baseline: the original method, four distractors. phase1: its first repair, nine. Then this "
        "suite's levels.",
    )
    return [accuracies, items_needed(setup_comparisons(figures), "validation-needed", "set-up")]


def bias(figures: Figures) -> list[Table]:
    """What each selector does to its own model, and the accuracies from which that is estimated."""
    rows: list[list[Cell | str]] = [[name, _effect(effect)] for name, effect in figures["self"].items()]
    models = sorted({model for by_model in figures["accuracy"].values() for model in by_model})
    effects = table(
        "bias",
        "Selection bias: change of accuracy on distractors of the model's own choice, in percentage points",
        ["selector", "effect on itself"],
        rows,
        note="After the model's own accuracy and the selector's difficulty are taken out; below 0 the model "
        "punishes itself.",
    )
    accuracies = table(
        "bias-accuracy",
        f"Accuracy by selector, % ({show.plural(figures['n'], 'target')})",
        ["selector", *models],
        [
            [name, *(_rate(by_model.get(model)) for model in models)]
            for name, by_model in figures["accuracy"].items()
        ],
    )
    return [effects, accuracies]


def _effect(effect: Figures) -> Cell:
    if effect["effect"] is None:
        return undefined(effect["reason"] or "undetermined")
    if effect["ci"] is None:
        return Cell(show.points(effect["effect"]), effect["reason"] or "no interval")
    return Cell(show.points(effect["effect"]), show.points_range(effect["ci"]))


def _rate(value: float | None) -> Cell:
    return undefined("this model did not answer") if value is None else Cell(show.rate(value))
