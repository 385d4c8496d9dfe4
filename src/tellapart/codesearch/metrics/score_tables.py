"""The scores of systems as rows of a score table: a conversation is an item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from tellapart.codesearch.evaluation import UNRANKED, Evaluation
from tellapart.codesearch.figures import Explorers, Measure
from tellapart.codesearch.metrics.explorations import explorer_names, withheld_because
from tellapart.codesearch.metrics.gold import MEASURES as GOLD_MEASURES
from tellapart.codesearch.metrics.gold import PREFIX as GOLD
from tellapart.codesearch.metrics.gold import RANKED_MEASURE, UNRANKED_MEASURE, has_gold, score
from tellapart.codesearch.metrics.judge import MOST_FAILED, share_failed
from tellapart.codesearch.metrics.measures import INFEASIBLE, JUDGE, SCORED, no_run, not_shown
from tellapart.codesearch.model import Case, sorted_cases
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError, near_match
from tellapart.report.numbers import whole_percent

MEASURES: dict[str, Callable[[Case], Measure]] = SCORED | {
    name: partial(score, measure=ranking) for name, ranking in GOLD_MEASURES.items()
}
"""The measures that a system can be scored by; those against gold where there is any."""

AREA = "product_area"  # The column whose values are the secondary family
DIRECTORY = "artifacts/scores"  # Where a run keeps a table of each measure, MEASURE.parquet
_GROUND_TRUTH_DIGITS = 15


def measure_of(name: str) -> Callable[[Case], Measure]:
    """The measure of a name."""
    if name not in MEASURES:
        raise UsageError(f"the measure is {name!r}", next_step=near_match(name, MEASURES))
    return MEASURES[name]


def default_measure(evaluations: Sequence[Evaluation]) -> str:
    """Default measure to compare systems by; none of these rewards whoever returns more."""
    if all(has_gold(evaluation.cases) for evaluation in evaluations):
        ranked = not any(evaluation.facts.get(UNRANKED) for evaluation in evaluations)
        return RANKED_MEASURE if ranked else UNRANKED_MEASURE
    return "f1" if all(_is_judged(evaluation.cases) for evaluation in evaluations) else "f1_union"


def _is_judged(cases: Sequence[Case]) -> bool:
    needed = any(case.our_unique for case in cases)
    return not needed or any(v.relevant is not None for case in cases for v in case.verdicts.values())


@dataclass(frozen=True)
class Scores:
    """One measure of a system, and what must stay with it."""

    frame: pl.DataFrame
    notes: ScoreNotes


def score_tables(evaluation: Evaluation, *, system: str) -> dict[str, Scores]:
    """The tables of a run directory, by file: that of the default measure, and one of each measure."""
    names = [name for name in MEASURES if has_gold(evaluation.cases) or not name.startswith(GOLD)]
    tables = {
        name: Scores(
            score_table_rows(evaluation.cases, system=system, measure=name), _notes(evaluation, system, name)
        )
        for name in names
    }
    chosen = default_measure([evaluation])
    notes = tables[chosen].notes.model_copy(update={"measure": chosen})
    by_file = {f"{DIRECTORY}/{name}.parquet": table for name, table in tables.items()}
    return {"scores.parquet": Scores(tables[chosen].frame, notes), **by_file}


def score_table_rows(cases: Sequence[Case], *, system: str, measure: str) -> pl.DataFrame:
    """Put one measure as ``core.scores.ScoreTable.from_frame`` takes it, with bounds and ground truth."""
    areas = {case.id: case.product_area for case in cases}
    rows = _items(sorted_cases(cases), measure)
    return _frame(rows, system, areas).with_columns(
        low=pl.Series([figure.bounds[0] for _, figure in rows], dtype=pl.Float64),
        high=pl.Series([figure.bounds[1] for _, figure in rows], dtype=pl.Float64),
        ground_truth=pl.Series([_ground_truth(case) for case, _ in rows], dtype=pl.Int64),
    )


def joint_scores_of(evaluations: Mapping[str, Evaluation], measure: str) -> ScoreTable:
    """Put a measure of several evaluations into one score table, with what must stay with it."""
    areas = {case.id: case.product_area for each in evaluations.values() for case in each.cases}
    rows = [_frame(_items(each.cases, measure), name, areas) for name, each in evaluations.items()]
    notes = ScoreNotes.together(_notes(each, name, measure) for name, each in evaluations.items())
    by = AREA if len(set(areas.values())) > 1 else None
    return ScoreTable.from_frame(pl.concat(rows), notes=notes.model_copy(update={"by": by}))


def _items(cases: Iterable[Case], measure: str) -> list[tuple[Case, Measure]]:
    """The conversations that are items of a measure, each with it."""
    of = measure_of(measure)
    measured = [(case, of(case)) for case in cases]
    return [(case, each) for case, each in measured if each.value is not None or each.missing is not None]


def _frame(rows: Sequence[tuple[Case, Measure]], system: str, areas: Mapping[str, str]) -> pl.DataFrame:
    columns = {
        "model": [system] * len(rows),
        "item": [case.id for case, _ in rows],
        "score": [figure.value for _, figure in rows],
        "missing": [_cause(case, figure) for case, figure in rows],
        AREA: [areas[case.id] for case, _ in rows],
    }
    types = {name: pl.Float64 if name == "score" else pl.String for name in columns}
    return pl.DataFrame(columns, schema=types)


def _cause(case: Case, figure: Measure) -> str | None:
    """Why a score is missing; where verdicts lack just on files that nobody may be shown, not the judge."""
    verdicts = [case.verdicts.get(file) for file in case.without_verdict]
    return INFEASIBLE if figure.missing == JUDGE and all(map(not_shown, verdicts)) else figure.missing


def _ground_truth(case: Case) -> int | None:
    """A hash of what the explorations found; None where both failed."""
    if no_run(case):
        return None
    return int(sha256(canonical_json(sorted(case.ground_truth)))[:_GROUND_TRUTH_DIGITS], 16)


def _notes(evaluation: Evaluation, system: str, measure: str) -> ScoreNotes:
    """Note what must stay with the scores of a system by one measure; gold rests on no explorer."""
    areas = {case.product_area for case in evaluation.cases}
    withheld = "" if measure.startswith(GOLD) else withheld_because(evaluation, system)
    return ScoreNotes(
        by=AREA if len(areas) > 1 else None,
        cautions=tuple(_cautions(evaluation, system, measure)),
        withheld={system: withheld} if withheld else {},
    )


def _cautions(evaluation: Evaluation, system: str, measure: str) -> Iterator[str]:
    # Gold rests neither on explorers nor on a judge.
    if not measure.startswith(GOLD) and not measure.endswith("_union"):
        share = share_failed(evaluation.cases)
        if share is not None and share > MOST_FAILED:
            failed = whole_percent(share)
            yield f"the judge failed on {failed} of the files of {system} that it was asked about"
    left = len(evaluation.unusable)
    if left:
        yield (
            f"{left} of {left + len(evaluation.cases)} conversations of {system} have no scores, since their "
            "search failed or they could not be used: a system that fails where it is hard looks better "
            "than it is"
        )


@dataclass(frozen=True)
class SharedCases:
    """Of several lists the cases of the conversations that all have, by id; and how many others each has."""

    lists: tuple[tuple[Case, ...], ...]
    left_out: tuple[int, ...]

    def __len__(self) -> int:
        """How many conversations there are."""
        return len(self.lists[0])

    @property
    def explorers(self) -> tuple[Explorers, ...]:
        """Of each list who explored."""
        return tuple(map(explorer_names, self.lists))

    @property
    def same_explorers(self) -> bool:
        """Whether these are the same in all lists."""
        return len({(each.run_a, each.run_b) for each in self.explorers}) == 1

    @property
    def other_truths(self) -> int:
        """How many conversations there are of which explorations did not find the same files in all lists."""
        return sum(len({case.ground_truth for case in cases}) > 1 for cases in zip(*self.lists, strict=True))


def share_cases(*lists: Iterable[Case]) -> SharedCases:
    """Pair lists of cases by the ids of their conversations."""
    by_id = [{case.id: case for case in cases} for cases in lists]
    ids = sorted(set.intersection(*map(set, by_id)))
    return SharedCases(
        tuple(tuple(cases[id_] for id_ in ids) for cases in by_id),
        tuple(len(cases) - len(ids) for cases in by_id),
    )
