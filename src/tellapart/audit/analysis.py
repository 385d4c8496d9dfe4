"""The whole audit, from files or a table to findings, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tellapart.audit.causes import explain
from tellapart.audit.cautions import cautions, check
from tellapart.audit.evidence import Evidence
from tellapart.audit.fixes import recommend
from tellapart.audit.item_scores import item_scores
from tellapart.audit.items import examine
from tellapart.audit.noise import components
from tellapart.audit.options import AuditOptions
from tellapart.audit.rank_stability import rank_stability
from tellapart.audit.ranking import means_of, rank
from tellapart.audit.results import Findings, Flag, Pair, Stratum, finite_ends
from tellapart.cli.settings import words
from tellapart.core.comparison import PairComparison, Secondary, compare
from tellapart.core.comparison.compare import (
    secondary_family,
    sorting_columns,
    with_notes,
    within_primary,
)
from tellapart.core.comparison.judge import judge_card
from tellapart.core.pair_key import pair_key
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError, option, placed
from tellapart.readers import Reading, Source, read_scores
from tellapart.readers.settings import ReadingSettings


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
        labels=judge_card(grid, comparison, options, options.prices),
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
