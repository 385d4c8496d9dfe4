"""Ways of making a benchmark, compared: the original method, its repair and the levels; selection bias."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tellapart.contrastive.figures import GapResult
from tellapart.contrastive.methods import SelectionBias, SetUp, SetUps
from tellapart.contrastive.page.accuracy import accuracy
from tellapart.core.comparison import ALPHA, POWER, PairComparison
from tellapart.report import comparison as block
from tellapart.report import figures
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening, present
from tellapart.report.screen import differences
from tellapart.report.tables import Cell, Table, table, undefined

SETUP_NAMES = {"baseline": "original method", "phase1": "its repair"}
"""What the set-ups that are no levels of this suite are called."""

SETUPS_ARE = (
    "The original method has four distractors: of the same file, with similar signatures, of middling "
    "similarity, else random. Its repair has nine, more similar ones."
)


def validation_document(result: SetUps, repositories: Sequence[str], options: Sequence[str]) -> Document:
    """Arrange a validation."""
    original = zip(SETUP_NAMES.values(), (result.baseline, result.phase1), strict=True)
    by_name = {**{name: setup for name, setup in original if setup}, **result.phase2}
    models = sorted({model for setup in by_name.values() for model in setup.models})
    answers = [row for setup in by_name.values() for row in setup.models.values()]
    comparison = result.comparison
    title, rest = opening(
        block.headline_sentences(comparison) if comparison else [block.nothing_to_compare(models)]
    )
    validation = Section(
        "validation",
        "Against the original method",
        "The same targets and models under the original method, its repair and this suite's levels.",
        tables=present(_accuracies(by_name, models), _needed(by_name)),
        in_terminal=True,
    )
    return Document(
        "contrastive: ways of choosing distractors",
        title,
        (*rest, SETUPS_ARE),
        {
            "Repositories": ", ".join(repositories),
            "Models": show.listed(models),
            "Targets": show.count(max((row.n + row.missing for row in answers), default=0)),
            "Set-ups": show.listed(list(by_name)),
        },
        present(block.section(comparison, order=list(by_name)) if comparison else None, validation),
        differences=differences(comparison),
        commands=(f"tellapart contrastive validate {shlex.join([*repositories, *options])}",),
    )


def _accuracies(by_name: dict[str, SetUp], models: Sequence[str]) -> Table:
    """Accuracy of each model under each set-up, and how well its confidence gap tells right from wrong."""
    rows: list[list[Cell | str]] = [
        [
            name,
            *(accuracy(setup.models[model]) for model in models),
            *(_gap(setup.confidence_gap[model]) for model in models),
        ]
        for name, setup in by_name.items()
    ]
    return table(
        "validation",
        "Accuracy by set-up on the same targets, % (95 % interval); AUROC of the confidence gap",
        ["Set-up", *models, *(f"AUROC of {model}" for model in models)],
        rows,
        note="Gap: score of the first option minus score of the second, when right and when wrong. AUROC: "
        "0.5 says nothing about being right, 1 says all.",
    )


def _gap(gap: GapResult) -> Cell:
    means = [figures.cell(name, getattr(gap, name)).text for name in ("mean_right", "mean_wrong")]
    return figures.cell("auroc", gap.auroc, "" if gap.auroc is None else f"gap {', '.join(means)}")


def _needed(by_name: dict[str, SetUp]) -> Table | None:
    """Items needed under each set-up; None without a pair."""
    cells = {
        (name, f"{pair.a} – {pair.b}"): _items_needed(pair)
        for name, setup in by_name.items()
        if setup.comparison
        for pair in setup.comparison.primary.pairs
    }
    pairs = list(dict.fromkeys(names for _, names in cells))
    if not pairs:
        return None
    missing = undefined("the two were not compared here")
    return table(
        "validation-needed",
        "Items needed, by set-up, for the differences seen (by their intervals; items there are)",
        ["Set-up", *pairs],
        [[name, *(cells.get((name, pair), missing) for pair in pairs)] for name in by_name],
        note="Each set-up is an experiment of its own. ● separated by it, ○ not, at "
        f"{show.whole_percent(ALPHA)} corrected for the number of its pairs. Items needed: for "
        f"{show.whole_percent(POWER)} power, were the difference the one seen, or an end of its "
        "95 % interval.",
    )


def _items_needed(pair: PairComparison) -> Cell:
    if pair.items_needed.value is None:
        return undefined(block.no_items(pair))
    sign = "●" if pair.is_separated else "○"
    known = f"{block.needed_range(pair.items_needed)}; {show.count(pair.n)}"
    return Cell(f"{sign} {show.items(pair.items_needed.value)}", known, strong=pair.is_separated)


def bias_tables(result: SelectionBias) -> list[Table]:
    """What each selector does to its own model, and the accuracies from which that is estimated."""
    models = sorted({model for by_model in result.accuracy.values() for model in by_model})
    effects: list[list[Cell | str]] = []
    for name, effect in result.self_effects.items():
        ends = show.points_range(effect.ci) if effect.ci else effect.reason or "no interval"
        why = effect.reason or "undetermined"
        effects.append([name, figures.cell("difference", effect.effect, ends, reason=why)])
    # Of several sources of summaries each has an item for a target.
    items = "" if result.n == result.targets else f"{show.plural(result.n, 'item')} of "
    rates: list[list[Cell | str]] = [
        [name, *(figures.cell("accuracy", by_model.get(model)) for model in models)]
        for name, by_model in result.accuracy.items()
    ]
    return [
        table(
            "bias",
            "Selection bias: change of accuracy on distractors of the model's own choice, in points",
            ["Selector", "Effect on itself"],
            effects,
            note="After the model's own accuracy and the selector's difficulty are taken out; below 0 the "
            "model punishes itself.",
        ),
        table(
            "bias-accuracy",
            f"Accuracy by selector, % ({items}{show.plural(result.targets, 'target')})",
            ["Selector", *models],
            rates,
        ),
    ]
