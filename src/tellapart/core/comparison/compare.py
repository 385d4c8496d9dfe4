"""Models compared: the primary family, the secondary one, and nothing that is decided elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil

import numpy as np

from tellapart.core.comparison.decision import correct_together, could_be_undone
from tellapart.core.comparison.labels import check_labels, corrected_difference
from tellapart.core.comparison.looks import LookPlan, compare_at_looks
from tellapart.core.comparison.pair_tests import run_tests
from tellapart.core.comparison.pairs import Comparison, Primary, Secondary
from tellapart.core.comparison.plan import resolution
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_grid import ScoreGrid, Stratum, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import ANOTHER_MODEL, InputError, near_match, option

ALL_ITEMS = "all items"
"""The scope of a primary family that is about every item."""
MOST_VALUES = 50
"""A column of more values than this is a label, not a stratum, unless it is asked for by name."""


def compare(
    scores: ScoreTable | ScoreGrid,
    settings: ComparisonSettings | None = None,
    *,
    cautions: Sequence[str] = (),
    secondary: bool = True,
    progress: Progress = SILENT,
) -> Comparison:
    """Say of every two models whether they differ, how sure that is, and how many items it would take.

    Two families are claimed about, each with Holm's correction over its own pairs. The primary one is every
    pair of models (or each against the baseline) on all items, or on the part that was declared. The
    secondary one is every pair in every value of one column, corrected all together; it is detail. A pair
    with fewer than two common items or clusters has no test, and its reason says so.

    Args:
        scores: At least two models with scores.
        settings: The defaults where None. What the notes of the scores say is asked for where the settings do
            not: the column of the secondary family, and the part that was declared.
        cautions: Further sentences than those in the notes that stand wherever a verdict does.
        secondary: Whether there is a secondary family; of many models it is what takes long.
        progress: Receives how many pairs are compared.
    """
    grid = scores if isinstance(scores, ScoreGrid) else score_grid(scores)
    settings = with_notes(settings or ComparisonSettings(), grid)
    check_models(grid, settings.baseline)
    column = secondary_column(grid, settings) if secondary else None
    primary = primary_family(grid, settings, progress)
    of_looks = [grid.notes.looks.caution] if grid.notes.looks else []
    of_primary = _rare_failures(within_primary(grid, settings), primary)
    every = (*grid.notes.cautions, *cautions, *of_looks, *_of_labels(grid), *of_primary)
    return Comparison(
        alpha=settings.alpha,
        power=settings.power,
        sesoi=settings.least,
        baseline=settings.baseline,
        primary=primary,
        secondary=secondary_family(grid, settings, column, progress),
        cautions=tuple(dict.fromkeys(every)),
        resolution=resolution(primary.pairs, settings, grid.span),
    )


def compare_scored(scores: ScoreTable, settings: ComparisonSettings | None = None) -> Comparison | None:
    """Compare as `compare` does; None below two models with a score, unless a baseline or part is named."""
    chosen = settings or ComparisonSettings()
    if len(scores.scored_models) < 2 and chosen.baseline is None and chosen.primary is None:
        return None
    return compare(scores, chosen)


def with_notes(settings: ComparisonSettings, grid: ScoreGrid) -> ComparisonSettings:
    """Fill in what the notes of the scores say and the settings leave open.

    A part of the items that the notes declare is the primary family unless another is asked for. One that is
    asked for and not declared there was chosen after the scores were known, unless the settings say that it
    was not. The smallest difference that matters is a share of the range of the scores.
    """
    by = settings.by
    if by is None and grid.notes.by in grid.strata and grid.strata[grid.notes.by].values:
        by = grid.notes.by
    primary = settings.primary or grid.notes.primary
    declared = settings.primary_declared or (primary is not None and primary == grid.notes.primary)
    filled = replace(settings, by=by, primary=primary, primary_declared=declared)
    return filled.on(*grid.ends)


def check_models(grid: ScoreGrid, baseline: str | None = None) -> None:
    """Raise InputError unless two models have a score, the baseline is one, and labels can correct them."""
    scored = [model for model, row in zip(grid.models, grid.scores, strict=True) if not np.isnan(row).all()]
    if len(scored) < 2:
        whose = f"only {scored[0]!r} has scores" if scored else "no model has a score"
        raise InputError(f"{whose}, and it takes two models to compare", next_step=ANOTHER_MODEL)
    if baseline is not None and baseline not in grid.models:
        raise InputError(
            f"the baseline {baseline!r} is not among the models", next_step=near_match(baseline, grid.models)
        )
    check_labels(grid)


def primary_family(grid: ScoreGrid, settings: ComparisonSettings, progress: Progress = SILENT) -> Primary:
    """Compare on all items, or on the part that ``settings.primary`` names.

    Where items were left out after the scores were known, the family counts them and was not declared. Scores
    of a run that was to stop when models were told apart are compared at its looks, as they were there.
    """
    excluded, looks, part = grid.notes.excluded, grid.notes.looks, settings.primary
    if part is None and not excluded and looks is not None:
        columns = {item: column for column, item in enumerate(grid.items)}
        places = np.array([columns[item] for item in looks.order if item in columns], dtype=np.int64)
        looked = compare_at_looks(grid, places, LookPlan(looks.max_items), settings, progress)
        return Primary(looked.pairs, ALL_ITEMS)
    tested = run_tests(within_primary(grid, settings), settings, part=part or (), progress=progress)
    pairs = tuple(correct_together([tested], settings, progress))
    declared = (part is None or settings.primary_declared) and not excluded
    return Primary(pairs, "=".join(part) if part else ALL_ITEMS, declared=declared, left_out=excluded)


def _rare_failures(grid: ScoreGrid, family: Primary) -> list[str]:
    """Say which verdicts a failure could undo that is too rare to have been seen."""
    shares = {pair: could_be_undone(grid, pair, pair.ahead) for pair in family.separated}
    pairs = [pair for pair, share in shares.items() if share]
    if not pairs:
        return []
    what = "item" if all(pair.clusters == pair.n for pair in pairs) else "source"
    few, rare = min(pair.clusters for pair in pairs), ceil(1 / min(shares[pair] for pair in pairs))
    lead, model = (
        ("A rare failure would undo this", pairs[0].ahead)
        if len(pairs) == 1
        else (f"Rare failures would undo {len(pairs)} of these verdicts", "a model")
    )
    return [f"{lead}: if {model} fails completely on 1 {what} in {rare:,}, these {few:,} may not show it"]


def _of_labels(grid: ScoreGrid) -> list[str]:
    """Say where labels alone make a verdict, and what planned numbers of items assume."""
    if grid.human is None:
        return []
    labelled, n = int(np.count_nonzero(~np.isnan(grid.human).all(axis=0))), len(grid.items)
    of_pairs = [corrected_difference(grid, i, j) for i, j in combinations(range(len(grid.models)), 2)]
    alone = [pair.weight == 0 for pair in of_pairs if pair is not None]
    assumed = f"Numbers of items assume that people label {100 * labelled / n:.2g} % of them, as here."
    if not any(alone):
        return [assumed]
    where = "" if all(alone) else f"In {sum(alone)} of {len(alone)} pairs "
    text = f"{where}the judge's scores add nothing to people's labels, and the verdict rests on these alone."
    return [f"{text[0].upper()}{text[1:]}", assumed]


def within_primary(grid: ScoreGrid, settings: ComparisonSettings) -> ScoreGrid:
    """Keep the items that the primary family is about."""
    if settings.primary is None:
        return grid
    column, value = settings.primary
    stratum = _stratum(grid, column)
    if value not in stratum.values:
        raise InputError(
            f"the stratum {column!r} has no value {value!r}", next_step=near_match(value, stratum.values)
        )
    return grid.only(stratum.codes == stratum.values.index(value))


def secondary_family(
    grid: ScoreGrid, settings: ComparisonSettings, column: str | None, progress: Progress = SILENT
) -> Secondary | None:
    """Compare within every value of a column, corrected all together; None without a column."""
    if column is None:
        return None
    stratum = grid.strata[column]
    parts = [
        run_tests(
            grid.only(stratum.codes == k),
            settings,
            part=(column, value),
            stratum=value,
            parts=len(stratum.values),
            progress=progress,
        )
        for k, value in enumerate(counted(stratum.values, progress, f"comparing by {column}", unit="values"))
    ]
    return Secondary(tuple(correct_together(parts, settings, progress)), column)


def sorting_columns(grid: ScoreGrid, by: str | None = None) -> list[str]:
    """Name the columns that sort the items: the one asked for, or all of 2 to ``MOST_VALUES`` values."""
    if by is None:
        return [name for name, s in grid.strata.items() if 2 <= len(s.values) <= MOST_VALUES]
    _stratum(grid, by)
    return [by]


def secondary_column(grid: ScoreGrid, settings: ComparisonSettings) -> str | None:
    """Name the column of the secondary family; None where none sorts the items."""
    return next(iter(sorting_columns(grid, settings.by)), None)


def _stratum(grid: ScoreGrid, column: str) -> Stratum:
    if column in grid.answer_strata:
        raise InputError(
            f"the stratum {column!r} differs between answers to one item, so it cannot group items"
        )
    if column not in grid.strata:
        choices = near_match(column, grid.strata) if grid.strata else "There is none."
        raise InputError(
            f"there is no stratum {column!r}",
            next_step=f"{choices} To group items by a column of numbers, name it: {option('columns', '…')}",
        )
    if not grid.strata[column].values:
        raise InputError(f"the stratum {column!r} has no value for any item, so it cannot group items")
    return grid.strata[column]
