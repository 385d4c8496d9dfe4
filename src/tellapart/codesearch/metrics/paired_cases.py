"""Lists of cases paired by conversation, and their measures in one score table.

Whether a difference is beyond chance is decided by `core.comparison`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.codesearch.figures import Explorers
from tellapart.codesearch.metrics.conversation import Figure
from tellapart.codesearch.metrics.explorations import explorer_names
from tellapart.codesearch.metrics.score_tables import AREA, measure_of, measured_rows, score_notes
from tellapart.codesearch.model import Case, Evaluation
from tellapart.core.comparison import (
    ALPHA,
    Comparison,
    ComparisonSettings,
    compare,
)
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED


@dataclass(frozen=True)
class SharedCases:
    """The conversations that each of several lists of cases has.

    Attributes:
        lists: Of each list its cases of these conversations, in ascending order of ids.
        left_out: Of each list, how many cases are of other conversations.
    """

    lists: tuple[tuple[Case, ...], ...]
    left_out: tuple[int, ...]

    def __len__(self) -> int:
        """How many conversations there are."""
        return len(self.lists[0])

    @property
    def conversations(self) -> tuple[tuple[Case, ...], ...]:
        """Of each conversation the cases, in the order of the lists."""
        return tuple(zip(*self.lists, strict=True))

    @property
    def areas(self) -> tuple[str, ...]:
        """Of each conversation the product area, as the last list has it."""
        return tuple(case.product_area for case in self.lists[-1])

    @property
    def explorers(self) -> tuple[Explorers, ...]:
        """Of each list who explored."""
        return tuple(map(explorer_names, self.lists))

    @property
    def same_explorers(self) -> bool:
        """Whether these are the same in all lists."""
        return len({(each.run_a, each.run_b) for each in self.explorers}) == 1

    @property
    def areas_of_other_truth(self) -> tuple[str, ...]:
        """The area of each conversation of which explorations did not find the same files in all lists."""
        return tuple(
            area
            for area, cases in zip(self.areas, self.conversations, strict=True)
            if len({case.ground_truth for case in cases}) > 1
        )


def share_cases(*lists: Iterable[Case]) -> SharedCases:
    """Pair lists of cases by the ids of their conversations."""
    by_id = [{case.id: case for case in cases} for cases in lists]
    ids = sorted(set.intersection(*map(set, by_id)))
    return SharedCases(
        tuple(tuple(cases[id_] for id_ in ids) for cases in by_id),
        tuple(len(cases) - len(ids) for cases in by_id),
    )


def joint_scores(
    names: Sequence[str],
    lists: Sequence[Sequence[Case]],
    measured: Sequence[Sequence[Figure]],
    notes: ScoreNotes | None = None,
) -> ScoreTable:
    """Put a measure of several lists of cases into one score table.

    A conversation is an item, and its area as the last list that has it says the stratum; the areas are the
    secondary family where there are several.
    """
    areas = {case.id: case.product_area for cases in lists for case in cases}
    rows = [
        measured_rows(cases, of_cases, system=name, areas=areas)
        for name, cases, of_cases in zip(names, lists, measured, strict=True)
    ]
    by = AREA if len(set(areas.values())) > 1 else None
    notes = (notes or ScoreNotes()).model_copy(update={"by": by})
    return ScoreTable.from_frame(pl.concat(rows), notes=notes)


def joint_scores_of(evaluations: Mapping[str, Evaluation], measure: str) -> ScoreTable:
    """Put a measure of several evaluations into one score table, with what must stay with it."""
    lists = [evaluation.cases for evaluation in evaluations.values()]
    measured = [[measure_of(measure)(case) for case in cases] for cases in lists]
    notes = ScoreNotes.together(
        score_notes(evaluation, system=name, measure=measure) for name, evaluation in evaluations.items()
    )
    return joint_scores(tuple(evaluations), lists, measured, notes)


def compare_scores(
    scores: ScoreTable, *, alpha: float = ALPHA, seed: int = SEED, cautions: Sequence[str] = ()
) -> Comparison:
    """Compare what `joint_scores` gives, as an audit would; see `core.comparison.compare`."""
    return compare(scores, ComparisonSettings(alpha=alpha, seed=seed), cautions=cautions)
