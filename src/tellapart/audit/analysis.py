"""The whole audit, from files or a table to findings, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tellapart.audit.causes import explain
from tellapart.audit.evidence import Evidence
from tellapart.audit.fixes import recommend
from tellapart.audit.items import examine, item_scores
from tellapart.audit.options import AuditOptions
from tellapart.audit.ranking import means_of, rank, rank_stability
from tellapart.audit.results import PARTS, Caution, Findings, Flag, Pair, Stratum, finite_ends
from tellapart.cli.settings import words
from tellapart.core.arrays import F64
from tellapart.core.comparison import PairComparison, Secondary, compare
from tellapart.core.comparison.compare import (
    secondary_family,
    sorting_columns,
    with_notes,
    within_primary,
)
from tellapart.core.comparison.judge import judge_card
from tellapart.core.comparison.pairs import pair_key
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.paired_parts import VarianceComponents, variance_components
from tellapart.errors import ANOTHER_MODEL, InputError, UsageError, option, placed
from tellapart.readers import Reading, Source, read_scores
from tellapart.readers.settings import ReadingSettings
from tellapart.report import numbers as show


@dataclass(frozen=True)
class Audit:
    """An audit of files.

    Attributes:
        findings: What was found, with its ``sources``, how they were read (``read_as``, words of the command
            line) and ``notes``.
    """

    reading: Reading
    findings: Findings


def audit_files(
    paths: Sequence[Source],
    options: AuditOptions | None = None,
    reading: ReadingSettings | None = None,
    *,
    progress: Progress = SILENT,
) -> Audit:
    """Read scores and audit them."""
    reading = reading or ReadingSettings()
    scores = read_scores(paths, reading, progress=progress)
    return Audit(scores, audit_reading(scores, options, words(reading), progress=progress))


def audit_reading(
    reading: Reading,
    options: AuditOptions | None = None,
    read_as: Sequence[str] = (),
    *,
    progress: Progress = SILENT,
) -> Findings:
    """Audit scores as they were read."""
    with placed(reading.where):
        findings = analyse(reading.table, options, progress=progress)
    notes = (*findings.notes, *reading.notes)
    return findings.model_copy(update={"sources": reading.forms, "read_as": tuple(read_as), "notes": notes})


def analyse(
    table: ScoreTable, options: AuditOptions | None = None, *, progress: Progress = SILENT
) -> Findings:
    """Audit a table of scores: what it separates, and if not, why not and what to do."""
    options = options or AuditOptions()
    with progress.step("arranging scores", None):
        all_items = score_grid(table)
    findings = analyse_grid(all_items, options, progress=progress)
    of_verdict = within_primary(all_items, with_notes(options, all_items))
    return findings.model_copy(update={"item_scores": item_scores(table, of_verdict)})


def analyse_grid(all_items: ScoreGrid, options: AuditOptions, *, progress: Progress = SILENT) -> Findings:
    """Audit scores that are arranged already; without ``item_scores``."""
    prices = options.prices
    check(all_items)
    options = options.on(*all_items.ends)
    _check_sesoi(options.least, *all_items.limits)
    if options.prices and all_items.human is None:
        raise UsageError(
            "prices of items and labels are given, and there are no labels",
            next_step=f"Give labels by people: {option('human', 'FILE')}, or no prices",
        )
    comparison = compare(all_items, options, progress=progress)
    # From here on only the items that the verdict is about; the strata compare within all.
    grid = within_primary(all_items, with_notes(options, all_items))
    with progress.step("examining items", None):
        items = examine(grid)
    families = strata_families(all_items, options, comparison.secondary)
    compared = comparison.primary.pairs
    evidence = Evidence(grid, options, compared, items)
    pairs = tuple(
        _explained(pair, evidence) for pair in counted(compared, progress, "looking for causes", unit="pairs")
    )
    ranking = rank(grid, compared)
    with progress.step("trying other items", None):
        order = rank_stability(grid, items.of(Flag.NEGATIVE), options)
    return Findings(
        models=grid.models,
        items=len(grid.items),
        limits=finite_ends(grid.limits),
        options=options,
        cautions=cautions(grid),
        missing=grid.missing,
        comparison=comparison,
        pairs=pairs,
        separated_paired=share_separated(compared),
        separated_arena_hard=ranking.separated_arena_hard,
        signal_to_noise=ranking.signal_to_noise,
        by_stratum=by_stratum(all_items, families),
        ranking=ranking.models,
        items_flagged=items.flagged,
        suspects=items.suspects,
        reliability=items.reliability,
        variance=components(grid),
        order=order,
        labels=None if grid.human is None else judge_card(grid, comparison, options, prices),
        item_table=items.table,
    )


def _explained(pair: PairComparison, evidence: Evidence) -> Pair:
    why = explain(pair, evidence)
    return Pair.explained(pair, why, recommend(pair, why, evidence))


def _check_sesoi(sesoi: float, low: float, high: float) -> None:
    # An infinite width is never reached.
    if sesoi >= high - low:
        raise UsageError(
            f"the smallest difference that matters is {sesoi:g}, but scores are from {low:g} to {high:g}, so "
            f"that all models would be equivalent; expected less than {high - low:g}",
            next_step="Give it in the units of the scores, such as "
            f"{option('sesoi', 0.02)} for scores in [0, 1]",
        )


# What each kind of items separates.


def strata_families(
    grid: ScoreGrid, options: AuditOptions, compared: Secondary | None = None
) -> dict[str, Secondary]:
    """Compare the models within each kind of items; items without a value are of no kind."""
    families = {
        column: compared
        if compared is not None and compared.by == column
        else secondary_family(grid, options, column)
        for column in sorting_columns(grid, options.by)
    }
    return {column: family for column, family in families.items() if family is not None}


def by_stratum(grid: ScoreGrid, families: Mapping[str, Secondary]) -> dict[str, dict[str, Stratum]]:
    """Summarise what each kind of items separates, by column and value."""
    return {
        column: {
            value: _stratum(grid, column, k, [pair for pair in family.pairs if pair.stratum == value])
            for k, value in enumerate(grid.strata[column].values)
        }
        for column, family in families.items()
    }


def share_separated(pairs: Sequence[PairComparison]) -> float | None:
    """Give the share of pairs in which one model is better, or None without a pair."""
    return sum(pair.is_separated for pair in pairs) / len(pairs) if pairs else None


def _stratum(grid: ScoreGrid, column: str, k: int, pairs: Sequence[PairComparison]) -> Stratum:
    part = grid.only(grid.strata[column].codes == k)
    means = dict(zip(part.models, means_of(part), strict=True))
    return Stratum(
        separated_paired=share_separated(pairs),
        items=len(part.items),
        means=means,
        items_needed={pair_key(pair.a, pair.b): pair.items_needed for pair in pairs},
    )


def components(grid: ScoreGrid) -> VarianceComponents:
    """Split the variance of the scores, with 0 for an estimate below it, and say what could not be."""
    estimates = variance_components(grid)
    parts = {name: None if part is None else max(0.0, part) for name, part in estimates.parts.items()}
    return replace(estimates, **parts, reason="; ".join([*_not_recorded(estimates), *_below_zero(estimates)]))


def _not_recorded(estimates: VarianceComponents) -> list[str]:
    reasons = []
    if estimates.model_item is None:
        reasons.append(
            "cannot separate models from items: that takes two models scored on the same two items"
        )
    if estimates.replicate is None and estimates.grading is None:
        reasons.append(
            "no item was answered or graded twice, so model × item includes the noise of single answers"
        )
    elif estimates.replicate is None:
        reasons.append("no item was answered twice, so model × item includes the noise of single answers")
    elif estimates.grading is None:
        reasons.append("no answer was graded twice, so the noise of answers includes that of gradings")
    return reasons


def _below_zero(estimates: VarianceComponents) -> list[str]:
    parts = estimates.parts.items()
    below = [PARTS[name].removeprefix("between ") for name, part in parts if part is not None and part < 0]
    return [f"the estimate for {name} is below 0 and is given as 0" for name in below]


MUCH_MISSING = 0.03
"""A model that lacks a greater share of its scores than this is named."""

_NAMED = 5


def check(grid: ScoreGrid) -> None:
    """Refuse scores in which there are no two models to compare."""
    if len(grid.models) < 2:
        which = f"one model, {grid.models[0]!r}" if grid.models else "no model"
        raise InputError(
            f"the scores are of {which}; a comparison needs two",
            next_step=ANOTHER_MODEL,
        )
    if len(grid.items) < 2:
        raise InputError(
            f"there is only one item, {grid.items[0]!r}; a comparison needs two or more",
            next_step="Give a row for each item that was asked, not one of averages",
        )
    scored = ~np.isnan(grid.scores)
    with_scores = [grid.models[i] for i in np.flatnonzero(scored.any(axis=1))]
    if len(with_scores) < 2:
        causes: dict[str, int] = {}
        for counts in grid.missing.values():
            for cause, n in counts.items():
                causes[cause] = causes.get(cause, 0) + n
        who = f"only {with_scores[0]!r} has any score" if with_scores else "no model has any score"
        raise InputError(f"{who}; missing: {_counted(causes)}")
    if scored.sum(axis=0).max(initial=0) < 2:
        raise InputError(
            "no item has scores of two models, so none can be compared: each was given different items",
            next_step="Check that the same question has the same item id for every model; there are "
            + " and ".join(f"{grid.items[i]!r} of {grid.models[m]!r}" for m, i in _first_items(scored)[:2]),
        )


def _first_items(scored: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Each model that has scores, and the place of its first item."""
    return [(model, int(row.argmax())) for model, row in enumerate(scored) if row.any()]


def cautions(grid: ScoreGrid) -> tuple[Caution, ...]:
    """Name what makes figures worth less, or not what they seem."""
    texts = {
        "no_scores": _no_scores(grid),
        "not_asked": _not_asked(grid),
        "no_common_items": _no_common_items(grid),
        "constant": _constant(grid),
        "missing": _missing(grid),
        "no_model_scored": _no_model_scored(grid),
        "uneven_replicates": _uneven_replicates(grid),
        "sorts_no_items": _sorts_no_items(grid),
    }
    return tuple(Caution(kind=kind, text=text) for kind, text in texts.items() if text)


def _no_scores(grid: ScoreGrid) -> str:
    empty = np.flatnonzero(np.isnan(grid.scores).all(axis=1))
    named = [f"{grid.models[i]} ({_counted(grid.missing[grid.models[i]])})" for i in empty]
    return f"No scores: {_few(named)}." if named else ""


def _not_asked(grid: ScoreGrid) -> str:
    n = (~grid.attempted).sum(axis=1)
    lacking = sorted(np.flatnonzero(n), key=lambda i: (-n[i], i))
    named = [f"{grid.models[i]} {n[i]}" for i in lacking]
    if not named:
        return ""
    return (
        f"The models were not given the same items. Of {len(grid.items)} items, not given: {_few(named)}. "
        "Pairs are compared on their common items; means and ranks cover different items."
    )


def _no_common_items(grid: ScoreGrid) -> str:
    scored = (~np.isnan(grid.scores)).astype(np.int32)
    common = scored @ scored.T
    pairs = [
        f"{a} and {b}"
        for (i, a), (j, b) in combinations(enumerate(grid.models), 2)
        if common[i, j] == 0 and common[i, i] and common[j, j]
    ]
    named = _few(pairs, separator="; ")
    return f"No item in common, so they cannot be compared: {named}." if pairs else ""


def _constant(grid: ScoreGrid) -> str:
    least, most = _extremes(grid.scores)
    several = np.count_nonzero(~np.isnan(grid.scores), axis=1) > 1
    named = [f"{grid.models[i]} ({least[i]:g})" for i in np.flatnonzero(several & (least == most))]
    return f"Same score on every item: {_few(named)}." if named else ""


def _missing(grid: ScoreGrid) -> str:
    n_scored = grid.answers.sum(axis=1)
    named, few = [], []
    for i, model in enumerate(grid.models):
        n = sum(grid.missing[model].values())
        if n_scored[i] and n > MUCH_MISSING * (n + n_scored[i]):
            share = 100 * n / (n + n_scored[i])
            named.append(f"{model} {share:.3g} % ({_counted(grid.missing[model])})")
        elif n_scored[i] and n:
            few.append(n)
    if not named:
        return ""
    most = show.whole_percent(MUCH_MISSING)
    others = f"; {len(few)} more with up to {most} each ({sum(few):,} in all)" if few else ""
    return f"Scores are missing: {_few(named, separator='; ')}{others}."


def _no_model_scored(grid: ScoreGrid) -> str:
    empty = grid.items[np.isnan(grid.scores).all(axis=0)]
    if not len(empty):
        return ""
    return f"No model has a score on {len(empty)} of {len(grid.items)} items: {_few(empty.tolist())}."


def _uneven_replicates(grid: ScoreGrid) -> str:
    """Name the models whose items differ in the number of scored answers."""
    scored = grid.answers > 0
    counts = np.where(scored, grid.answers, 0)
    most = counts.max(axis=1, initial=0)
    least = np.where(scored, grid.answers, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    has_scores = scored.any(axis=1)
    if not has_scores.any() or (least[has_scores].min() == most[has_scores].max()):
        return ""
    named = [
        f"{grid.models[i]} {least[i]}" + (f" to {most[i]}" if most[i] > least[i] else "")
        for i in np.flatnonzero(has_scores)
    ]
    return (
        f"The number of scored answers per item differs: {_few(named)}. Each item counts once, as the mean "
        "of its answers; items with fewer answers are noisier."
    )


def _sorts_no_items(grid: ScoreGrid) -> str:
    if not grid.answer_strata:
        return ""
    return (
        "Not used to group items, because it differs between answers to the same item: "
        f"{_few(grid.answer_strata)}."
    )


def _extremes(scores: F64) -> tuple[F64, F64]:
    """Least and greatest score of each model; infinite without any."""
    missing = np.isnan(scores)
    return np.where(missing, np.inf, scores).min(axis=1), np.where(missing, -np.inf, scores).max(axis=1)


def _counted(causes: dict[str, int]) -> str:
    return ", ".join(f"{n} {cause}" for cause, n in sorted(causes.items())) or "none asked"


def _few(names: Iterable[str], separator: str = ", ") -> str:
    names = list(names)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return separator.join(names[:_NAMED]) + more
