"""What may make a verdict about models worth less, kept with their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from tellapart.contrastive.figures import MARGIN, ControlResult, Report
from tellapart.contrastive.llm_figures import WrittenSummaries
from tellapart.core.comparison import (
    ChanceOutcome,
    Comparison,
    PairComparison,
    compare,
)
from tellapart.core.scores import ScoreTable


def with_cautions(scores: ScoreTable, report: Report, items: pl.DataFrame) -> ScoreTable:
    """Give the scores of a run with `cautions` in their notes."""
    notes = scores.notes.model_copy(update={"cautions": ()})
    bare = replace(scores, notes=notes)
    comparison = compare(bare) if len(scores.scored_models) > 1 else None
    real = items.filter(pl.col("condition") == "summary")
    return replace(bare, notes=notes.model_copy(update={"cautions": cautions(report, comparison, real)}))


def cautions(report: Report, comparison: Comparison | None, items: pl.DataFrame) -> tuple[str, ...]:
    """Say what else than the models could be behind a verdict."""
    leaks = _leaks(report.summaries, comparison, items)
    return (*_off_chance(report.controls.get("shuffled", {})), *leaks)


def _off_chance(shuffled: Mapping[str, ControlResult]) -> tuple[str, ...]:
    off = [
        f"{model} {100 * abs(control.ratio - 1):.0f} % {control.outcome.value}"
        for model, control in shuffled.items()
        if control.outcome in (ChanceOutcome.ABOVE, ChanceOutcome.BELOW) and control.ratio is not None
    ]
    if not off:
        return ()
    return (
        f"Given another unit's summary, a model must score within {100 * MARGIN:g} % of chance. "
        f"These do not: {', '.join(off)}.",
    )


def _leaks(
    summaries: Mapping[str, WrittenSummaries], comparison: Comparison | None, items: pl.DataFrame
) -> tuple[str, ...]:
    if comparison is None or len(summaries) < 2:
        return ()
    matchers, sources = (
        dict(items.select("model", name).unique().iter_rows()) for name in ("matcher", "source")
    )
    # Where matchers are crossed, the writers themselves are compared, without a matcher.
    sources |= {source: source for source in summaries}
    leads: dict[tuple[str, str], float] = {}
    for pair in comparison.primary.separated:
        if matchers.get(pair.ahead) == matchers.get(pair.behind):
            ahead, behind = sources[pair.ahead], sources[pair.behind]
            share = summaries[ahead].leak_share
            if share > summaries[behind].leak_share and share >= _lead(pair):
                leads[ahead, behind] = max(leads.get((ahead, behind), 0.0), _lead(pair))
    return tuple(
        f"{_leaked(summaries[ahead])} summaries by {ahead} name the unit, {_leaked(summaries[behind])} by "
        f"{behind}: a lead of up to {100 * lead:.1f} points could come from that alone."
        for (ahead, behind), lead in leads.items()
    )


def _lead(pair: PairComparison) -> float:
    return abs(pair.difference or 0.0)


def _leaked(written: WrittenSummaries) -> str:
    return f"{written.names_leaked:,} of {written.n:,}"
