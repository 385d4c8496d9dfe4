"""What may make a verdict about models worth less, kept with their scores."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.item_table import Figures
from tellapart.core.comparison import (
    CHANCE_MARGIN,
    ChanceOutcome,
    Comparison,
    PairComparison,
    chance_outcome,
)


def cautions(figures: Figures, comparison: Comparison | None, items: pl.DataFrame) -> tuple[str, ...]:
    """Say what else than the models could be behind a verdict.

    Args:
        figures: Of ``report_figures``, perhaps by an earlier version.
        comparison: Of the models; None where there are no two.
        items: Rows of ``ITEM_SCHEMA``.

    Returns:
        A sentence where models answer shuffled summaries better or worse than by guessing, beyond the margin,
        and one for each two writers of whom one leads by no more than leaked names alone could give.
    """
    leaks = _leaks(figures.get("summaries") or {}, comparison, items)
    return (*_off_chance(figures["controls"].get("shuffled", {})), *leaks)


def _off_chance(shuffled: Figures) -> tuple[str, ...]:
    off = [
        f"{model} {100 * abs(control['accuracy'] - control['chance']):.1f} points {outcome.value}"
        for model, control in shuffled.items()
        if (outcome := chance_outcome(control)) in (ChanceOutcome.ABOVE, ChanceOutcome.BELOW)
    ]
    if not off:
        return ()
    return (
        f"Given the summary of another unit, a model must score chance within {100 * CHANCE_MARGIN:g} "
        f"points, which these do not: {', '.join(off)}.",
    )


def _leaks(summaries: Figures, comparison: Comparison | None, items: pl.DataFrame) -> tuple[str, ...]:
    if comparison is None or len(summaries) < 2:
        return ()
    matchers, sources = (
        dict(items.select("model", name).unique().iter_rows()) for name in ("matcher", "source")
    )
    found: dict[tuple[str, str], float] = {}
    for pair in comparison.primary.separated:
        if matchers[pair.ahead] == matchers[pair.behind]:
            ahead, behind = sources[pair.ahead], sources[pair.behind]
            more = leak_share(summaries[ahead]) - leak_share(summaries[behind])
            if more > 0 and leak_share(summaries[ahead]) >= _lead(pair):
                found[ahead, behind] = max(found.get((ahead, behind), 0.0), _lead(pair))
    return tuple(
        f"{_leaked(summaries[ahead])} summaries by {ahead} name the unit, {_leaked(summaries[behind])} by "
        f"{behind}: a lead of up to {100 * lead:.1f} points could come from that alone."
        for (ahead, behind), lead in found.items()
    )


def leak_share(of_source: Figures) -> float:
    """Share of a writer's summaries that name their unit; 0 without any."""
    share: float = of_source["names_leaked"] / of_source["n"] if of_source["n"] else 0.0
    return share


def _lead(pair: PairComparison) -> float:
    return abs(pair.difference or 0.0)


def _leaked(of_source: Figures) -> str:
    return f"{of_source['names_leaked']:,} of {of_source['n']:,}"
