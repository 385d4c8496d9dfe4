"""What decides how much a verdict on a system is worth; it is stored with its scores."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.evaluation import SEARCHED_BY, SYSTEM, Evaluation
from tellapart.codesearch.metrics.judging import MOST_FAILED, share_failed
from tellapart.codesearch.metrics.warnings import judged_by_itself
from tellapart.codesearch.searching import JUDGES_ITSELF, LexicalSystem
from tellapart.core.score_notes import ScoreNotes

AREA = "product_area"
"""The column whose values are the secondary family."""


def score_notes(evaluation: Evaluation, *, system: str, measure: str) -> ScoreNotes:
    """Note what must stay with the scores of a system by one measure.

    Args:
        evaluation: With its cases.
        system: What the system is called.
        measure: One of ``score_rows.MEASURES``.
    """
    areas = {case.conversation.product_area for case in evaluation.cases}
    return ScoreNotes(
        by=AREA if len(areas) > 1 else None,
        cautions=tuple(_cautions(evaluation, system, needs_verdicts=not measure.endswith("_union"))),
    )


def searches_like_its_explorer(evaluation: Evaluation) -> bool:
    """Whether the system and one of the explorers that judge it search in the same way."""
    facts = evaluation.facts or {}
    explorers = {name for case in evaluation.cases for name in (case.run_a.explorer, case.run_b.explorer)}
    itself = LexicalSystem.name in (facts.get(SYSTEM), facts.get(SEARCHED_BY))
    return itself and LexicalSystem.name in explorers


def _cautions(evaluation: Evaluation, system: str, *, needs_verdicts: bool) -> Iterator[str]:
    if searches_like_its_explorer(evaluation):
        yield JUDGES_ITSELF
    yield from judged_by_itself(evaluation.cases, system)
    share = share_failed(evaluation.cases)
    if needs_verdicts and share is not None and share > MOST_FAILED:
        yield f"the judge failed on {share:.0%} of the files of {system} that it was asked about"
    left = len(evaluation.unusable)
    if left:
        yield (
            f"{left} of {left + len(evaluation.cases)} conversations of {system} have no scores, since their "
            "search failed or they could not be used: a system that fails where it is hard looks better "
            "than it is"
        )
