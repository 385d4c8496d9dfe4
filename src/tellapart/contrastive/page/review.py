"""Suspects of label noise in a terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tellapart.contrastive.review.results import Review, Suspect
from tellapart.report import numbers as show
from tellapart.report.plain_text import plain


def review_listing(review: Review) -> list[RenderableType]:
    """List suspects with both texts, after a line on how much of the benchmark they are in."""
    return [Text(headline(review), style="bold"), *(part for one in review.suspects for part in _entry(one))]


def headline(review: Review) -> str:
    """Say how many items have a suspect."""
    if not review.suspected_items:
        return f"No suspects among {show.count(review.pairs)} pairs of a target and a distractor."
    share = show.percent(review.suspected_items / review.items)
    return (
        f"{show.count(review.suspected_items)} of {show.count(review.items)} items ({share}) have a "
        "distractor that may be a second right answer."
    )


def _entry(suspect: Suspect) -> list[RenderableType]:
    other = suspect.distractor_summary or "(no summary)"
    lines = [
        f"target      {plain(suspect.target)}",
        f"            {plain(suspect.summary)}",
        f"distractor  {plain(suspect.distractor)}",
        f"            {plain(other)}",
        f"because     {'; '.join(suspect.reasons)}; in {show.plural(len(suspect.items), 'item')}",
    ]
    return [Text(f"\n{suspect.score:.2f}"), *(Padding(Text(line), (0, 0, 0, 2)) for line in lines)]
