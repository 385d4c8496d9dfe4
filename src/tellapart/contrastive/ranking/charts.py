"""Charts of a ranking of writers, each with the sentence that it proves."""

from __future__ import annotations

from tellapart.contrastive.evidence_kinds import SOURCES
from tellapart.contrastive.ranking.ranked import Ranked
from tellapart.contrastive.ranking.results import WriterResult
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Row, rows

_SHARE = (0.0, 100.0)


def forest(ranking: Ranked) -> Chart:
    """Combined score of each writer with its interval, and each source in a panel of its own."""
    writers = [writer for writer in ranking.record.writers if writer.combined.value is not None]
    parts = ["combined", *(source for source in SOURCES if source in ranking.combined.evidence)]
    panels = parts if len(parts) > 2 else parts[:1]
    drawn = [_row(writer, panel) for panel in panels for writer in writers]
    best, last = writers[0], writers[-1]
    title = (
        f"{best.name} has the highest combined score, {show.rate(best.combined.value or 0.0)} of 100; "
        f"{last.name} the lowest, {show.rate(last.combined.value or 0.0)}"
    )
    description = (
        f"Scores of {show.listed([writer.name for writer in writers])} with 95 % intervals: "
        f"{show.listed(panels)}."
    )
    return Chart(
        "forest",
        title,
        description,
        lambda width: rows(drawn, width, Axis("Score, of 100", _SHARE, grid=True), title="Writer", least=150),
    )


def _row(writer: WriterResult, panel: str) -> Row:
    estimate = getattr(writer, panel)
    if estimate.value is None:
        return Row(writer.name, figure="–", panel=show.capital(panel))
    low, high = (None if end is None else 100 * end for end in (estimate.low, estimate.high))
    figure = show.rate(estimate.value)
    return Row(
        writer.name, 100 * estimate.value, low=low, high=high, figure=figure, panel=show.capital(panel)
    )
