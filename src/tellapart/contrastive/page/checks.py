"""What to know about a run besides who is better: the control, and answers that are missing."""

from __future__ import annotations

from tellapart.contrastive.page.llm.names import named
from tellapart.contrastive.page.llm.reasons import reasons_of
from tellapart.contrastive.page.record import Figures, View
from tellapart.core.comparison import CHANCE_MARGIN, ChanceOutcome, chance_outcome
from tellapart.report.missing_reasons import in_words
from tellapart.report.numbers import listed

WITHIN = f"within {100 * CHANCE_MARGIN:g} points"
"""Of chance."""


def askings_missing(figures: Figures) -> int:
    """Count the missing answers of a model; an item asked several times may miss some and have a score."""
    number: int = figures["askings_missing"] if "askings_missing" in figures else figures["missing"]
    return number


def control_lines(view: View) -> list[str]:
    """Say how models score when they are given the summary of another unit; nothing where none was."""
    shuffled = view.figures["controls"].get("shuffled", {})
    by_outcome: dict[ChanceOutcome, list[str]] = {}
    for model in (model for model in view.models if model in shuffled):
        by_outcome.setdefault(chance_outcome(shuffled[model]), []).append(model)
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
        f"{named(view, model)} {in_words(reasons_of(view, model))}"
        for model, figures in view.figures["overall"].items()
        if askings_missing(figures)
    ]
    return [f"Answers missing: {'; '.join(causes)}."] if causes else []


def _are(models: list[str]) -> str:
    return f"{listed(models)} {'is' if len(models) == 1 else 'are'}"
