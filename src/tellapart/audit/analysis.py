"""The whole audit of a table, step by step."""

from __future__ import annotations

from dataclasses import replace

from tellapart.audit.causes import explain
from tellapart.audit.cautions import cautions, check
from tellapart.audit.evidence import Evidence
from tellapart.audit.findings import Findings
from tellapart.audit.fixes import recommend
from tellapart.audit.items import examine
from tellapart.audit.noise import components
from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Pair
from tellapart.audit.rank_stability import rank_stability
from tellapart.audit.ranking import rank, resample
from tellapart.audit.smallest_set import smallest_set
from tellapart.audit.strata import by_stratum, share_separated
from tellapart.core.comparison import compare
from tellapart.core.comparison.compare import with_notes, within_primary
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError


def analyse(table: ScoreTable, options: AuditOptions | None = None) -> Findings:
    """Say what a table of scores can tell apart, and if not, why and what to do.

    Args:
        table: At least two models that share an item.
        options: Settings; the defaults where None.

    Returns:
        The findings; the same table in any order of rows gives the same.

    Raises:
        InputError: Fewer than two items, or models with a score, no item that two models share, or an
            unknown stratum.
        UsageError: No two scores can be as far apart as the smallest difference that matters.
    """
    whole = score_grid(table)
    options = options or AuditOptions()
    check(whole)
    _check_sesoi(options.sesoi, *whole.limits)
    comparison = compare(whole, options)
    grid = within_primary(whole, with_notes(options, whole))
    items = examine(grid)
    judged = tuple(Pair(**vars(pair)) for pair in comparison.primary.pairs)
    strata = by_stratum(whole, options, comparison.secondary)
    evidence = Evidence(grid, options, judged, strata, items)
    pairs = [replace(pair, why=explain(pair, evidence)) for pair in judged]
    pairs = [replace(pair, fixes=recommend(pair, pair.why, evidence)) for pair in pairs]
    resamples = resample(grid, options)
    ranking = rank(grid, pairs, resamples)
    return Findings(
        models=grid.models,
        items=len(grid.items),
        missing=grid.missing,
        limits=grid.limits,
        cautions=cautions(grid),
        pairs=tuple(pairs),
        comparison=comparison,
        separated_paired=share_separated(pairs),
        separated_arena_hard=ranking.separated_arena_hard,
        signal_to_noise=ranking.signal_to_noise,
        strata=evidence.strata,
        ranking=ranking.models,
        item_findings=items,
        variance=components(grid),
        order=rank_stability(grid, items, options),
        smallest=smallest_set(grid, pairs, options),
    )


def _check_sesoi(sesoi: float, low: float, high: float) -> None:
    # An infinite width is never reached.
    if sesoi >= high - low:
        raise UsageError(
            f"the smallest difference that matters is {sesoi:g}, but scores are from {low:g} to {high:g}, so "
            f"that all models would be equivalent; expected less than {high - low:g}",
            next_step="Give it in the units of the scores, such as --sesoi 0.02 for scores in [0, 1]",
        )
