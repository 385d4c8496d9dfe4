"""Ways of making a benchmark, compared: the original method, its repair and the levels; selection bias."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import RenderableType

from tellapart.contrastive.bias import SelectionBias, SelfEffect
from tellapart.contrastive.confidence import GapResult
from tellapart.contrastive.page.cells import AS_SEEN, accuracy
from tellapart.contrastive.validate import SetUp, SetUps
from tellapart.core.comparison import ALPHA, PairComparison
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.comparison import needed_range
from tellapart.report.document import Document, Section, opening
from tellapart.report.screen import differences
from tellapart.report.tables import Cell, Table, table, undefined
from tellapart.report.terminal import fitted_table

NOT_COMPARED = "the two were not compared here"

SETUP_NAMES = {"baseline": "original method", "phase1": "its repair"}
"""What the set-ups that are no levels of this suite are called."""

SETUPS_ARE = (
    "The original method has four distractors: of the same file, with similar signatures, of middling "
    "similarity, else random. Its repair has nine, more similar ones."
)


def validation_document(result: SetUps, repositories: Sequence[str], options: Sequence[str]) -> Document:
    """Arrange a validation as a page."""
    by_name, comparison = _setups(result), result.comparison
    models = _models(by_name)
    items = max(
        (row.n + row.missing for setup in by_name.values() for row in setup.models.values()), default=0
    )
    sections = (
        *([block.section(comparison, order=list(by_name))] if comparison else []),
        Section(
            "validation",
            "Against the original method",
            "The same targets and models under the original method, its repair and this suite's levels.",
            tables=tuple(validation(result)),
        ),
        Section("gap", "Confidence gap", tables=(gaps(result),)),
    )
    title, rest = opening(
        block.headline_sentences(comparison) if comparison else [block.nothing_to_compare(models)]
    )
    return Document(
        "contrastive: ways of choosing distractors",
        title,
        (*rest, SETUPS_ARE),
        {
            "Repositories": ", ".join(repositories),
            "Models": show.listed(models),
            "Targets": show.count(items),
            "Set-ups": show.listed(list(by_name)),
        },
        sections,
        differences=differences(comparison),
        commands=(f"tellapart contrastive validate {shlex.join([*repositories, *options])}",),
    )


def validation_tables(setups: SetUps) -> list[RenderableType]:
    """Show the set-ups compared in a terminal."""
    compared = block.terminal(setups.comparison, strata=False) if setups.comparison else []
    return [*compared, *map(fitted_table, [*validation(setups), gaps(setups)])]


def _setups(validation: SetUps) -> dict[str, SetUp]:
    """Every set-up by name: the original method, its repair, then the levels."""
    original = zip(SETUP_NAMES.values(), (validation.baseline, validation.phase1), strict=True)
    return {**{name: setup for name, setup in original if setup}, **validation.phase2}


def _models(by_name: dict[str, SetUp]) -> tuple[str, ...]:
    return tuple(sorted({model for setup in by_name.values() for model in setup.models}))


def validation(result: SetUps) -> list[Table]:
    """Accuracy and items needed under each set-up, on the same targets."""
    by_name = _setups(result)
    models = _models(by_name)
    rows: list[list[Cell | str]] = [
        [name, *(accuracy(setup.models[model]) for model in models)] for name, setup in by_name.items()
    ]
    accuracies = table(
        "validation",
        "Accuracy by set-up on the same targets, % (95 % interval)",
        ["Set-up", *models],
        rows,
        note=SETUPS_ARE,
    )
    pairs = {name: setup.comparison.primary.pairs for name, setup in by_name.items() if setup.comparison}
    return [accuracies, *([_needed(pairs)] if any(pairs.values()) else [])]


def gaps(result: SetUps) -> Table:
    """The confidence gap of each model under each set-up."""
    by_name = _setups(result)
    models = _models(by_name)
    rows: list[list[Cell | str]] = [
        [name, *(_gap(setup.confidence_gap.get(model)) for model in models)]
        for name, setup in by_name.items()
    ]
    return table(
        "validation-gap",
        "Confidence gap by set-up: AUROC (mean gap when right, when wrong)",
        ["Set-up", *models],
        rows,
        note="Gap: score of the first option minus score of the second. AUROC: 0.5 says nothing about being "
        "right, 1 says all. Mean gaps are in each model's own scores.",
    )


def _gap(gap: GapResult | None) -> Cell:
    if gap is None or gap.auroc is None:
        return undefined("answers are all right or all wrong")
    means = (
        show.DASH if mean is None else show.significant(mean) for mean in (gap.mean_right, gap.mean_wrong)
    )
    return Cell(show.decimal(gap.auroc, 3), ", ".join(means))


def _needed(by_setup: dict[str, tuple[PairComparison, ...]]) -> Table:
    cells = {
        (name, f"{pair.a} – {pair.b}"): _items_needed(pair)
        for name, pairs in by_setup.items()
        for pair in pairs
    }
    both = list(dict.fromkeys(two for _, two in cells))
    rows: list[list[Cell | str]] = [
        [name, *(cells.get((name, two)) or undefined(NOT_COMPARED) for two in both)] for name in by_setup
    ]
    return table(
        "validation-needed",
        "Items needed, by set-up, were the differences the ones seen (by their intervals; items there are)",
        ["Set-up", *both],
        rows,
        note="Each set-up is an experiment of its own. ● separated by it, ○ not, at "
        f"{show.whole_percent(ALPHA)} corrected for the number of its pairs. Items needed: "
        f"{AS_SEEN}.",
    )


def _items_needed(pair: PairComparison) -> Cell:
    if pair.items_needed.value is None:
        same = "no number of items would: they score the same"
        return undefined(same if pair.difference == 0 else pair.reason or NOT_COMPARED)
    sign = "●" if pair.is_separated else "○"
    known = f"{needed_range(pair.items_needed)}; {show.count(pair.n)}"
    return Cell(f"{sign} {show.items(pair.items_needed.value)}", known, strong=pair.is_separated)


def bias(result: SelectionBias) -> list[Table]:
    """What each selector does to its own model, and the accuracies from which that is estimated."""
    rows: list[list[Cell | str]] = [[name, _effect(effect)] for name, effect in result.self_effects.items()]
    models = sorted({model for by_model in result.accuracy.values() for model in by_model})
    effects = table(
        "bias",
        "Selection bias: change of accuracy on distractors of the model's own choice, in percentage points",
        ["Selector", "Effect on itself"],
        rows,
        note="After the model's own accuracy and the selector's difficulty are taken out; below 0 the model "
        "punishes itself.",
    )
    accuracies = table(
        "bias-accuracy",
        f"Accuracy by selector, % ({show.plural(result.n, 'target')})",
        ["Selector", *models],
        [
            [name, *(_rate(by_model.get(model)) for model in models)]
            for name, by_model in result.accuracy.items()
        ],
    )
    return [effects, accuracies]


def _effect(effect: SelfEffect) -> Cell:
    if effect.effect is None:
        return undefined(effect.reason or "undetermined")
    if effect.ci is None:
        return Cell(show.points(effect.effect), effect.reason or "no interval")
    return Cell(show.points(effect.effect), show.points_range(effect.ci))


def _rate(value: float | None) -> Cell:
    return undefined("this model did not answer") if value is None else Cell(show.rate(value))
