"""The scores of a system as rows of a score table: a conversation is an item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import polars as pl

from tellapart.codesearch.evaluation import UNRANKED, Evaluation
from tellapart.codesearch.metrics.conversation import (
    F1_WITHOUT_VERDICTS,
    INFEASIBLE,
    JUDGE,
    Figure,
    no_run,
    not_shown,
)
from tellapart.codesearch.metrics.conversation import MEASURES as MEASURES_OF
from tellapart.codesearch.metrics.explorations import ROLES
from tellapart.codesearch.metrics.gold import MEASURES as GOLD_MEASURES
from tellapart.codesearch.metrics.gold import PREFIX as GOLD
from tellapart.codesearch.metrics.gold import RANKED_MEASURE, UNRANKED_MEASURE, has_gold, score
from tellapart.codesearch.metrics.independence import Circular, circular, withheld_because
from tellapart.codesearch.metrics.judge import MOST_FAILED, share_failed
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import UsageError, near_match
from tellapart.report.numbers import whole_percent

MEASURES = (*MEASURES_OF, *F1_WITHOUT_VERDICTS, *GOLD_MEASURES)
"""Names of the measures that a system can be scored by; those against gold where there is any."""

_WORDS = {
    "f1": "F1",
    "precision_union": "precision without verdicts",
    "recall_union": "recall without verdicts",
    "f1_union": "F1 without verdicts",
    "f1_run_a": "F1 against run A alone",
    "f1_run_b": "F1 against run B alone",
    "gold_mrr": "MRR against gold",
    "gold_f1": "F1 against gold",
    "acc": "Acc",
    "ndcg": "nDCG",
}


def measure_in_words(name: str) -> str:
    """What people read of a measure: ``gold_recall_at_10`` is ``recall@10 against gold``."""
    kind, at, k = name.removeprefix(GOLD).partition("_at_")
    if not at:
        return _WORDS.get(name, name)
    return f"{_WORDS.get(kind, kind)}@{k} against gold"


def measure_of(name: str) -> Callable[[Case], Figure]:
    """The measure of a name."""
    if name in GOLD_MEASURES:
        return lambda case: score(case, GOLD_MEASURES[name])
    measures = MEASURES_OF | F1_WITHOUT_VERDICTS
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


def default_measure(evaluations: Sequence[Evaluation]) -> str:
    """Default measure to compare systems by; none of these rewards whoever returns more."""
    return gold_measure(evaluations) or explored_measure(evaluations)


def gold_measure(evaluations: Sequence[Evaluation]) -> str | None:
    """The measure against gold that all can be compared by; None unless all have gold."""
    if not all(has_gold(evaluation.cases) for evaluation in evaluations):
        return None
    ranked = not any(evaluation.facts.get(UNRANKED) for evaluation in evaluations)
    return RANKED_MEASURE if ranked else UNRANKED_MEASURE


def explored_measure(evaluations: Iterable[Evaluation]) -> str:
    """The same whatever gold there is: ``f1``, or ``f1_union`` where verdicts are needed and one has none."""
    return "f1" if all(_is_judged(evaluation.cases) for evaluation in evaluations) else "f1_union"


def _is_judged(cases: Sequence[Case]) -> bool:
    needed = any(case.our_unique for case in cases)
    return not needed or any(v.relevant is not None for case in cases for v in case.verdicts.values())


def free_measure(evaluations: Sequence[Evaluation]) -> str | None:
    """The measure to tell evaluations apart by that rests on no explorer that searches as the system does."""
    roles = {suspect.role for evaluation in evaluations for suspect in circular(evaluation)}
    if not roles:
        return explored_measure(evaluations)
    free = [role for role in ROLES if role not in roles]
    if free:
        return f"f1_{free[0]}"
    return gold_measure(evaluations)


def score_table_rows(cases: Sequence[Case], *, system: str, measure: str) -> pl.DataFrame:
    """Put one measure as ``core.scores.ScoreTable.from_frame`` takes it."""
    of = measure_of(measure)
    figures = [(case, figure) for case in sorted_cases(cases) if _is_item(figure := of(case))]
    ordered, measured = [case for case, _ in figures], [figure for _, figure in figures]
    areas = {case.id: case.product_area for case in ordered}
    return measured_rows(ordered, measured, system=system, areas=areas).with_columns(
        low=pl.Series([figure.low for figure in measured], dtype=pl.Float64),
        high=pl.Series([figure.high for figure in measured], dtype=pl.Float64),
        ground_truth=pl.Series([_ground_truth(case) for case in ordered], dtype=pl.Int64),
    )


def measured_rows(
    cases: Sequence[Case], measured: Sequence[Figure], *, system: str, areas: Mapping[str, str]
) -> pl.DataFrame:
    """Put the measures of some cases as rows of a score table."""
    rows = [(case, figure) for case, figure in zip(cases, measured, strict=True) if _is_item(figure)]
    columns = {
        "model": [system] * len(rows),
        "item": [case.id for case, _ in rows],
        "score": [figure.value for _, figure in rows],
        "missing": [_cause(case, figure) for case, figure in rows],
        AREA: [areas[case.id] for case, _ in rows],
    }
    types = {name: pl.Float64 if name == "score" else pl.String for name in columns}
    return pl.DataFrame(columns, schema=types)


def _is_item(figure: Figure) -> bool:
    return figure.value is not None or figure.missing is not None


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
    evaluation: Evaluation, *, system: str, measure: str, suspects: Sequence[Circular] | None = None
) -> Scores:
    """Put one measure of a system with what must stay with it; see `score_table_rows` and `score_notes`."""
    frame = score_table_rows(evaluation.cases, system=system, measure=measure)
    return Scores(frame, score_notes(evaluation, system=system, measure=measure, suspects=suspects))


def score_tables(evaluation: Evaluation, *, system: str) -> dict[str, Scores]:
    """The tables of a run directory, by file: that of the default measure, and one of each measure."""
    names = [name for name in MEASURES if has_gold(evaluation.cases) or not name.startswith(GOLD)]
    suspects = circular(evaluation)
    tables = {name: scores_of(evaluation, system=system, measure=name, suspects=suspects) for name in names}
    by_file = {f"{DIRECTORY}/{name}.parquet": table for name, table in tables.items()}
    chosen = default_measure([evaluation])
    notes = tables[chosen].notes.model_copy(update={"measure": chosen})
    return {"scores.parquet": Scores(tables[chosen].frame, notes), **by_file}


def _ground_truth(case: Case) -> int | None:
    """A hash of what the explorations found; None where both failed."""
    if no_run(case):
        return None
    return int(sha256(canonical_json(sorted(case.ground_truth)))[:_GROUND_TRUTH_DIGITS], 16)


def score_notes(
    evaluation: Evaluation, *, system: str, measure: str, suspects: Sequence[Circular] | None = None
) -> ScoreNotes:
    """Note what must stay with the scores of a system by one measure."""
    roles = rests_on(measure)
    suspects = (circular(evaluation) if suspects is None else suspects) if roles else ()
    why = withheld_because(suspects, system, roles)
    areas = {case.product_area for case in evaluation.cases}
    favours = LENGTH_FAVOURED.get(measure.removesuffix("_union"))
    length = median_length(evaluation) if favours else None
    return ScoreNotes(
        by=AREA if len(areas) > 1 else None,
        cautions=tuple(_cautions(evaluation, system, measure)),
        withheld={system: why} if why else {},
        lengths={} if length is None else {system: length},
        favours=favours or "",
    )


LENGTH_FAVOURED = {
    "recall": "recall favours whoever returns more",
    "precision": "precision favours whoever returns fewer",
}
"""What the length of answers alone can do, by measure; F1 and the places of gold files hold both ends."""


def median_length(evaluation: Evaluation) -> float | None:
    """The median number of files that a system returns; None without a conversation."""
    lengths = [len(case.files) for case in evaluation.cases]
    return float(median(lengths)) if lengths else None


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
