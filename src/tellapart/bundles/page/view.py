"""Scoreboards to be reported: the verdict on them, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.compare import compare_boards
from tellapart.bundles.figures import TierStats
from tellapart.bundles.scoreboards import Boards, Scored
from tellapart.bundles.slices import Slices, SlicesRecord, slices_of
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL
from tellapart.core.comparison import Comparison
from tellapart.core.figure_units import FigureUnit
from tellapart.core.record import Record
from tellapart.report import comparison as block
from tellapart.report import numbers as show

TIES = 0.01
"""Above this share of ties, pass rate and mean rank disagree enough to be worth a sentence."""

STAMP = "Exploratory, the evals differ: "
"""Stands before every statement about scoreboards of different evals."""

HARDEST = 20
"""Bundles in the table of the hardest."""


@dataclass(frozen=True, eq=False)
class Report:
    """Scoreboards to be reported.

    Attributes:
        comparison: Of their pass rates; None for one scoreboard.
        slices: Where they were requested.
    """

    boards: Boards
    comparison: Comparison | None = None
    slices: Slices | None = None
    _sorted: dict[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[str, Scored]]:
        """Each scoreboard with what tables call it."""
        return zip(self.boards.labels, self.boards.boards, strict=True)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What decides how much the verdict is worth."""
        return self.comparison.cautions if self.comparison else self.boards.boards[0].notes.cautions

    @cached_property
    def scope(self) -> str:
        """What sentences conclude on: the adversarial tier, or all bundles where it would mislead."""
        boards = self.boards.boards
        usable = all(scored.board.tiers[ADVERSARIAL].n for scored in boards)
        by_itself = all(scored.is_own_cut for scored in boards)
        return ADVERSARIAL if usable and not self.boards.moved and not by_itself else OVERALL

    def margins(self, label: str, scored: Scored, scope: str = OVERALL) -> NDArray[np.float64]:
        """Margins of a tier's bundles, or of all, in ascending order."""
        # Sorted once: with millions of bundles that is what takes the time.
        if (label, scope) not in self._sorted:
            inside = pl.lit(True) if scope == OVERALL else pl.col("tier") == scope
            self._sorted[label, scope] = np.sort(scored.scores.filter(inside)["margin"].to_numpy())
        return self._sorted[label, scope]

    def largest_margin(self, label: str, scored: Scored) -> float:
        """The largest size of a margin; 0 without bundles."""
        return float(np.abs(self.margins(label, scored)[[0, -1]]).max()) if scored.scores.height else 0.0

    def typical_margin(self, label: str, scored: Scored) -> float:
        """The median size of a margin; 0 without bundles."""
        return float(np.median(np.abs(self.margins(label, scored)))) if scored.scores.height else 0.0

    @cached_property
    def hardest(self) -> pl.DataFrame:
        """The bundles lowest in the margins of all models: ``item``, ``tier``, and by model a margin."""
        joined = self.boards.boards[0].scores.select("item", "tier")
        for i, scored in enumerate(self.boards.boards):
            margins = scored.scores.select("item", pl.col("margin").alias(f"margin_{i}"))
            joined = joined.join(margins, on="item", how="inner", maintain_order="left")
        places = [pl.col(f"margin_{i}").rank("average") for i in range(len(self.boards.boards))]
        return joined.with_columns(place=pl.sum_horizontal(places)).sort("place", "item").head(HARDEST)


def report_of(boards: Boards, by: str | None = None) -> Report:
    """Compare scoreboards, where there are two or more."""
    slices = None if by is None else slices_of(boards, by)
    comparison = compare_boards(boards, slices=slices) if len(boards.boards) > 1 else None
    return Report(boards, comparison, slices)


class HardestBundle(Record):
    """One of the bundles that lie lowest in the models' margins; ``tier`` on the first scoreboard."""

    item: str
    tier: str | None
    margins: dict[str, float]


class ReportedModel(Record):
    """A scoreboard in a report.

    Attributes:
        tiers: Its figures by tier, after ``overall``.
        tiers_by_own_margins: Whether the tiers were cut by the model's own margins.
    """

    scoreboard: str
    fingerprint: str
    tiers: dict[str, TierStats]
    tiers_by_own_margins: bool
    units: dict[str, FigureUnit]


class ReportRecord(Record):
    """What ``bundles report --json`` prints.

    Attributes:
        exploratory: Whether the scoreboards are of different evals, or of different bundles of one.
        scope: What the sentences conclude on: a tier, or ``overall``.
        comparison: Of the pass rates; None for one scoreboard.
        cautions: What decides how much the verdict is worth.
        bundles_in_different_tiers: Bundles that two scoreboards put in different tiers.
        slices: What ``--by`` requested; None without it.
    """

    verdict: str
    exploratory: bool
    scope: str
    comparison: Comparison | None
    cautions: tuple[str, ...]
    models: dict[str, ReportedModel]
    bundles_in_different_tiers: int
    hardest: tuple[HardestBundle, ...]
    slices: SlicesRecord | None = None


def record(report: Report) -> ReportRecord:
    """Give what the report shows as it stands in its JSON."""
    labels = report.boards.labels
    return ReportRecord(
        verdict=". ".join(headline_sentences(report)),
        exploratory=report.boards.is_exploratory,
        scope=report.scope,
        comparison=report.comparison,
        cautions=report.cautions,
        models={
            label: ReportedModel(
                scoreboard=str(scored.path),
                fingerprint=scored.fingerprint,
                tiers=dict(scored.board.tiers),
                tiers_by_own_margins=scored.is_own_cut,
                units=scored.board.units,
            )
            for label, scored in report
        },
        bundles_in_different_tiers=report.boards.moved,
        hardest=tuple(
            HardestBundle(item=item, tier=tier, margins=dict(zip(labels, margins, strict=True)))
            for item, tier, *margins in report.hardest.drop("place").iter_rows()
        ),
        slices=report.slices.record if report.slices else None,
    )


def headline_sentences(report: Report) -> list[str]:
    """Give the verdict, without full stops; of one model, how often it passes."""
    if report.comparison is not None:
        first, *others = block.headline_sentences(report.comparison)
        return [f"{STAMP if report.boards.is_exploratory else ''}{first}", *others]
    ((label, scored),) = report
    if not scored.board.tiers[report.scope].n:
        return ["There are no bundles: nothing passes or fails"]
    return [f"{label} passes {_rate(scored, report.scope)} {_where(report, report.scope)}"]


def verdict(report: Report) -> list[str]:
    """Give the pass rates, then the cautions that the headline does not give."""
    scopes = dict.fromkeys((OVERALL, report.scope)) if report.comparison else ()
    cautions = report.cautions[1:] if report.comparison else report.cautions
    sentences = [_rates(report, scope) for scope in scopes]
    sentences += [f"{_capital(block.sentence(caution))}." for caution in cautions]
    return [*filter(None, (*sentences, units_differ(report), _ties(report)))]


def units_differ(report: Report) -> str:
    """Say that margins of different models are not in one unit; empty where they are."""
    typical = {label: report.typical_margin(label, scored) for label, scored in report}
    boards = [(label, scored.board.margin_unit) for label, scored in report if typical[label]]
    if len({unit for _, unit in boards}) < 2:
        return ""
    shown = (f"{label} {unit} (median size {show.significant(typical[label])})" for label, unit in boards)
    units = ", ".join(shown)
    return f"Margins are in different units: {units}. Compare their signs and shares, not their sizes."


def _rates(report: Report, scope: str) -> str:
    rates = {label: scored.board.tiers[scope].pass_rate for label, scored in report}
    ranked = sorted(report, key=lambda named: -(rates[named[0]] or 0.0))
    shown = [f"{label} {_rate(scored, scope)}" for label, scored in ranked if rates[label] is not None]
    return f"Pass rate {_where(report, scope)}: {'; '.join(shown)}." if shown else ""


def _rate(scored: Scored, scope: str) -> str:
    stats = scored.board.tiers[scope]
    rate = show.percent(stats.pass_rate or 0.0)
    if scope != OVERALL and scored.is_own_cut:
        return f"{rate} (by its own cut)"
    interval = stats.ci95.get("pass_rate")
    return f"{rate} (95 % interval {show.rate_range(interval)})" if interval else f"{rate} (no interval)"


def _where(report: Report, scope: str) -> str:
    sizes = sorted({scored.board.tiers[scope].n for scored in report.boards.boards})
    n = show.between(sizes, lambda size: show.count(int(size)))
    return f"on the adversarial tier (n {n})" if scope == ADVERSARIAL else f"over all bundles (n {n})"


def _ties(report: Report) -> str:
    shares = {
        label: scored.board.overall.ties / scored.board.overall.n
        for label, scored in report
        if scored.board.overall.n
    }
    many = [f"{label} {show.percent(share)}" for label, share in shares.items() if share > TIES]
    if not many:
        return ""
    return (
        f"Positives that tie with a negative: {show.listed(many)}. A tie fails and still ranks first; see "
        "the expected rank."
    )


def _capital(text: str) -> str:
    """Begin a sentence in upper case, unless it begins with a name that is not a word of ours."""
    return text if text.partition(" ")[0].endswith(":") else show.capital(text)
