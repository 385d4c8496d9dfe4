"""The scores of a system as rows of a score table: a conversation is an item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.codesearch.case import Case, sorted_cases
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.conversation import (
    INFEASIBLE,
    JUDGE,
    RUN_MEASURES,
    Figure,
    no_run,
    not_shown,
)
from tellapart.codesearch.metrics.conversation import MEASURES as MEASURES_OF
from tellapart.codesearch.metrics.explorations import ROLES
from tellapart.codesearch.metrics.gold import MEASURES as GOLD_MEASURES
from tellapart.codesearch.metrics.gold import PREFIX as GOLD
from tellapart.codesearch.metrics.gold import has_gold, score
from tellapart.codesearch.metrics.independence import Circular, circular, withheld_because
from tellapart.codesearch.metrics.judge import MOST_FAILED, share_failed
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import UsageError, near_match
from tellapart.report.numbers import whole_percent

MEASURES = (*MEASURES_OF, *RUN_MEASURES, *GOLD_MEASURES)
"""Names of the measures that a system can be scored by; those against gold where there is any."""


def measure_of(name: str) -> Callable[[Case], Figure]:
    """The measure of a name.

    Raises:
        UsageError: There is none.
    """
    if name in GOLD_MEASURES:
        return lambda case: score(case, GOLD_MEASURES[name])
    measures = MEASURES_OF | RUN_MEASURES
    if name not in measures:
        raise UsageError(f"the measure is {name!r}", next_step=near_match(name, MEASURES))
    return measures[name]


def rests_on(measure: str) -> tuple[str, ...]:
    """The explorations that a measure rests on, as attributes of a case; none for those against gold."""
    if measure.startswith(GOLD):
        return ()
    return tuple(role for role in ROLES if measure == f"f1_{role}") or ROLES


AREA = "product_area"
"""The column whose values are the secondary family."""

DIRECTORY = "artifacts/scores"
"""Where a run keeps a table of each measure, ``MEASURE.parquet``."""

_GROUND_TRUTH_DIGITS = 15


def default_measure(cases: Sequence[Case]) -> str:
    """The measure to compare systems by: ``f1``, or ``recall_union`` where verdicts are needed and none is.

    Recall counts relevant files of ours in its denominator too, and a system that gives every file has a
    perfect one; F1 holds both ends.
    """
    needed = any(case.our_unique for case in cases)
    there = any(verdict.relevant is not None for case in cases for verdict in case.verdicts.values())
    return "f1" if there or not needed else "recall_union"


def common_measure(evaluations: Iterable[Evaluation]) -> str:
    """The measure to compare systems by that all evaluations can bear: theirs, or ``recall_union``."""
    chosen = {default_measure(evaluation.cases) for evaluation in evaluations}
    return chosen.pop() if len(chosen) == 1 else "recall_union"


GOLD_DEFAULT = f"{GOLD}recall_at_10"
"""The measure against gold where nothing else can tell."""


def free_measure(evaluations: Sequence[Evaluation]) -> str | None:
    """The measure to tell evaluations apart by that rests on no explorer that searches as the system does.

    Returns:
        `common_measure` where no explorer does; ``f1_run_a`` or ``f1_run_b`` where the other one does; where
        both do ``GOLD_DEFAULT``, or None unless all have gold.
    """
    roles = {one.role for evaluation in evaluations for one in circular(evaluation)}
    if not roles:
        return common_measure(evaluations)
    free = [role for role in ROLES if role not in roles]
    if free:
        return f"f1_{free[0]}"
    return GOLD_DEFAULT if all(has_gold(evaluation.cases) for evaluation in evaluations) else None


def score_table_rows(cases: Sequence[Case], *, system: str, measure: str) -> pl.DataFrame:
    """Put one measure as ``core.scores.ScoreTable.from_frame`` takes it.

    Args:
        cases: Of one evaluation.
        system: The name of the system under test, which is the model.
        measure: One of ``MEASURES``.

    Returns:
        A row a conversation, in ascending order of ids: ``model``, ``item``, ``score`` as the measure's
        value, ``missing`` and the stratum ``product_area``; beside these, and no part of a score table, its
        bounds ``low`` and ``high`` and ``ground_truth``, a number by which equal ground truths are
        recognised. A score is missing by the cause of run A where both explorations failed, by ``judge``
        where a missing verdict could move it, and as ``infeasible`` where it is undefined or the only
        verdicts missing are on files that nobody may be shown.

    Raises:
        UsageError: There is no such measure.
    """
    of = measure_of(measure)
    ordered = sorted_cases(cases)
    measured = [of(case) for case in ordered]
    areas = {case.conversation.id: case.conversation.product_area for case in ordered}
    return measured_rows(ordered, measured, system=system, areas=areas).with_columns(
        low=pl.Series([figure.low for figure in measured], dtype=pl.Float64),
        high=pl.Series([figure.high for figure in measured], dtype=pl.Float64),
        ground_truth=pl.Series([_ground_truth(case) for case in ordered], dtype=pl.Int64),
    )


def measured_rows(
    cases: Sequence[Case], measured: Sequence[Figure], *, system: str, areas: Mapping[str, str]
) -> pl.DataFrame:
    """Put the measures of some cases as rows of a score table.

    Args:
        cases: The conversations.
        measured: One a case.
        system: The model.
        areas: By conversation, the stratum.

    Returns:
        ``model``, ``item``, ``score``, ``missing`` and ``product_area``, rows in the order of the cases.
    """
    columns = {
        "model": [system] * len(cases),
        "item": [case.conversation.id for case in cases],
        "score": [figure.value for figure in measured],
        "missing": [_cause(case, figure) for case, figure in zip(cases, measured, strict=True)],
        AREA: [areas[case.conversation.id] for case in cases],
    }
    types = {name: pl.Float64 if name == "score" else pl.String for name in columns}
    return pl.DataFrame(columns, schema=types)


def _cause(case: Case, figure: Figure) -> str | None:
    """Why a score is missing; where verdicts lack just on files that nobody may be shown, not the judge."""
    verdicts = [case.verdicts.get(file) for file in case.without_verdict]
    return INFEASIBLE if figure.missing == JUDGE and all(map(not_shown, verdicts)) else figure.missing


@dataclass(frozen=True)
class Scores:
    """One measure of a system.

    Attributes:
        frame: See `score_table_rows`.
        notes: What must stay with it.
    """

    frame: pl.DataFrame
    notes: ScoreNotes


def scores_of(
    evaluation: Evaluation, *, system: str, measure: str, found: Sequence[Circular] | None = None
) -> Scores:
    """Put one measure of a system with what must stay with it; see `score_table_rows` and `score_notes`."""
    frame = score_table_rows(evaluation.cases, system=system, measure=measure)
    return Scores(frame, score_notes(evaluation, system=system, measure=measure, found=found))


def score_tables(evaluation: Evaluation, *, system: str) -> dict[str, Scores]:
    """The tables of a run directory, by file: that of the default measure, and one of each measure."""
    names = [name for name in MEASURES if has_gold(evaluation.cases) or not name.startswith(GOLD)]
    found = circular(evaluation)
    tables = {name: scores_of(evaluation, system=system, measure=name, found=found) for name in names}
    by_file = {f"{DIRECTORY}/{name}.parquet": table for name, table in tables.items()}
    return {"scores.parquet": tables[default_measure(evaluation.cases)], **by_file}


def _ground_truth(case: Case) -> int | None:
    """A hash of what the explorations found; None where both failed."""
    if no_run(case):
        return None
    return int(sha256(canonical_json(sorted(case.ground_truth)))[:_GROUND_TRUTH_DIGITS], 16)


def score_notes(
    evaluation: Evaluation, *, system: str, measure: str, found: Sequence[Circular] | None = None
) -> ScoreNotes:
    """Note what must stay with the scores of a system by one measure.

    Args:
        evaluation: With its cases.
        system: What the system is called.
        measure: One of ``MEASURES``.
        found: What `independence.circular` says of the evaluation, where that is known.
    """
    roles = rests_on(measure)
    found = (circular(evaluation) if found is None else found) if roles else ()
    why = withheld_because(found, system, roles)
    areas = {case.conversation.product_area for case in evaluation.cases}
    return ScoreNotes(
        by=AREA if len(areas) > 1 else None,
        cautions=tuple(_cautions(evaluation, system, measure)),
        withheld={system: why} if why else {},
    )


def _cautions(evaluation: Evaluation, system: str, measure: str) -> Iterator[str]:
    # Gold rests neither on explorers nor on a judge.
    if not measure.startswith(GOLD):
        share = share_failed(evaluation.cases)
        if not measure.endswith("_union") and share is not None and share > MOST_FAILED:
            failed = whole_percent(share)
            yield f"the judge failed on {failed} of the files of {system} that it was asked about"
    left = len(evaluation.unusable)
    if left:
        yield (
            f"{left} of {left + len(evaluation.cases)} conversations of {system} have no scores, since their "
            "search failed or they could not be used: a system that fails where it is hard looks better "
            "than it is"
        )
