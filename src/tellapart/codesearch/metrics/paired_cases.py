"""Lists of cases paired by conversation, and their measures in one score table.

Whether a difference is beyond chance is decided by `core.comparison`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.figures import Explorers
from tellapart.codesearch.metrics.explorations import explorer_names
from tellapart.codesearch.metrics.score_tables import AREA, measure_of, measured_rows, score_notes
from tellapart.codesearch.model import Case
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable


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
        return sum(len({case.ground_truth for case in cases}) > 1 for cases in self.conversations)


def share_cases(*lists: Iterable[Case]) -> SharedCases:
    """Pair lists of cases by the ids of their conversations."""
    by_id = [{case.id: case for case in cases} for cases in lists]
    ids = sorted(set.intersection(*map(set, by_id)))
    return SharedCases(
        tuple(tuple(cases[id_] for id_ in ids) for cases in by_id),
        tuple(len(cases) - len(ids) for cases in by_id),
    )


def joint_scores_of(evaluations: Mapping[str, Evaluation], measure: str) -> ScoreTable:
    """Put a measure of several evaluations into one score table, with what must stay with it.

    A conversation is an item, and its area as the last evaluation that has it says the stratum; the areas are
    the secondary family where there are several.
    """
    areas = {case.id: case.product_area for each in evaluations.values() for case in each.cases}
    rows = [
        measured_rows(each.cases, list(map(measure_of(measure), each.cases)), system=name, areas=areas)
        for name, each in evaluations.items()
    ]
    notes = ScoreNotes.together(
        score_notes(each, system=name, measure=measure) for name, each in evaluations.items()
    )
    by = AREA if len(set(areas.values())) > 1 else None
    return ScoreTable.from_frame(pl.concat(rows), notes=notes.model_copy(update={"by": by}))
