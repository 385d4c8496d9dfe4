"""What to know before a verdict is believed: the control, missing answers, slots, chance, parameters."""

from __future__ import annotations

from tellapart.contrastive.page.llm_tables import flip_lines
from tellapart.contrastive.page.slots import slot_lines
from tellapart.contrastive.page.tables import WITHIN
from tellapart.contrastive.page.view import View, full_name, reasons_of
from tellapart.core.comparison import ChanceOutcome
from tellapart.report.missing_reasons import in_words
from tellapart.report.model_parameters import parameter_lines
from tellapart.report.numbers import listed


def control_lines(view: View) -> list[str]:
    """Say how models score when they are given the summary of another unit; nothing where none was."""
    shuffled = view.report.controls.get("shuffled", {})
    by_outcome: dict[ChanceOutcome, list[str]] = {}
    for model in (model for model in view.models if model in shuffled):
        by_outcome.setdefault(shuffled[model].reading, []).append(model)
    if not by_outcome:
        return []
    if set(by_outcome) == {ChanceOutcome.AT}:
        return [f"Control: given the summary of another unit, every model scores at chance, {WITHIN}."]
    off = [*by_outcome.get(ChanceOutcome.ABOVE, []), *by_outcome.get(ChanceOutcome.BELOW, [])]
    unclear = by_outcome.get(ChanceOutcome.UNCLEAR, [])
    lines = []
    if off:
        lines.append(
            f"Check the benchmark: given the summary of another unit, {_are(off)} not at chance, not even "
            f"{WITHIN}."
        )
    if unclear:
        lines.append(
            f"Control: given the summary of another unit, whether {_are(unclear)} at chance, {WITHIN}, "
            "cannot be told: too few items."
        )
    return lines


def missing_lines(view: View) -> list[str]:
    """Say how many answers are missing, and why."""
    causes = [
        f"{full_name(view, model)} {in_words(reasons_of(view, model))}"
        for model, result in view.report.overall.items()
        if result.answers_missing
    ]
    return [f"Answers missing: {'; '.join(causes)}."] if causes else []


def _are(models: list[str]) -> str:
    return f"{listed(models)} {'is' if len(models) == 1 else 'are'}"


def cautions(view: View) -> list[str]:
    """Say what may explain a lead other than the models: slots, chance, parameters."""
    return [*slot_lines(view), *flip_lines(view), *parameter_lines(view.language_models)]
