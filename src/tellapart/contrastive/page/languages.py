"""What the page says about distractors of another language than the target's."""

from __future__ import annotations

from tellapart.contrastive.other_languages import SAME
from tellapart.contrastive.page.tables import NO_ITEMS, rate_with_interval
from tellapart.contrastive.page.view import View
from tellapart.contrastive.results import MissesByLanguage, OtherLanguages, OverlapAccuracy
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined


def tables(view: View) -> list[Table]:
    """Accuracy with and without such distractors, and what was taken; empty where there are none."""
    split = view.other_languages
    if split is None:
        return []
    return [_accuracy(view, split), _misses(view, split)]


def _accuracy(view: View, split: OtherLanguages) -> Table:
    rows: list[list[Cell | str]] = [
        [model, *(_rate(split.accuracy[name].get(model)) for name in ("with", "without"))]
        for model in view.models
    ]
    return table(
        "other-languages",
        "Accuracy by whether an item has a distractor of another language, % (95 % interval)",
        ["Model", "With", "Without"],
        rows,
        note="Items with and without may differ in level and language too. Intervals are Wilson's, clustered "
        "on the file.",
    )


def _rate(result: OverlapAccuracy | None) -> Cell:
    if result is None or result.accuracy is None:
        return undefined(NO_ITEMS)
    chance = f"chance {show.rate(result.chance)}; " if result.chance is not None else ""
    return rate_with_interval(result.accuracy, result.ci, f"{chance}n {show.count(result.n)}")


def _misses(view: View, split: OtherLanguages) -> Table:
    """Shares of distractors by language, and of the misses of each model."""
    languages = sorted({name for counts in split.distractors.values() for name in counts} - {SAME})
    languages = [SAME, *languages]
    rows: list[list[Cell | str]] = []
    for level, counts in split.distractors.items():
        total = sum(counts.values())
        shares = [Cell(show.rate(counts.get(name, 0) / total)) for name in languages]
        rows.append([level, "all distractors", "", *shares])
        by_model = split.misses.get(level, {})
        for model in (model for model in view.models if model in by_model):
            missed = by_model[model]
            rows.append([level, model, show.count(missed.n), *(_taken(missed, name) for name in languages)])
    return table(
        "languages-taken",
        "What was taken for the target, % of the missed items by the distractor's language (95 % interval)",
        ["Level", "Model", "Missed", *languages],
        rows,
        words=2,
        note="A language with a smaller share of a model's misses than of all distractors is easy for it.",
    )


def _taken(missed: MissesByLanguage, language: str) -> Cell:
    if language not in missed.by_language:
        return undefined("no such distractor in a missed item")
    misses = missed.by_language[language]
    return rate_with_interval(misses.share, misses.ci, f"expected {show.rate(misses.expected)}")
