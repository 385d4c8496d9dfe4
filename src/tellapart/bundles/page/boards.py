"""Scoreboards of an eval as a report: the verdict, the ranking, the differences, and the figures by tier."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tellapart.audit.ranking import rank_as_compared
from tellapart.bundles.cautions import MANY
from tellapart.bundles.compare import compare_boards
from tellapart.bundles.figures import MARGINS, SHOWN, Summary, TierStats
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.scoreboards import Boards, Scored
from tellapart.bundles.slices import SliceRecord, Slices, SlicesRecord, slices_of
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL, TIERS
from tellapart.core.comparison import Comparison
from tellapart.core.figure_units import FigureKind, FigureUnit
from tellapart.core.record import Record
from tellapart.core.score_grid import score_grid
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening, present
from tellapart.report.screen import differences, ranking
from tellapart.report.tables import Cell, Table, table, undefined

STAMP = "Exploratory, the evals differ: "
"""Stands before every statement about scoreboards of different evals."""


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
    slices: SlicesRecord | None = None


@dataclass(frozen=True, eq=False)
class Report:
    """Scoreboards to be reported; a comparison for two or more, slices where they were requested."""

    boards: Boards
    comparison: Comparison | None = None
    slices: Slices | None = None

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

    def record(self) -> ReportRecord:
        """Give what the report shows as it stands in its JSON."""
        return ReportRecord(
            verdict=". ".join(headline_sentences(self)),
            exploratory=self.boards.is_exploratory,
            scope=self.scope,
            comparison=self.comparison,
            cautions=self.cautions,
            models={
                label: ReportedModel(
                    scoreboard=str(scored.path),
                    fingerprint=scored.fingerprint,
                    tiers=dict(scored.board.tiers),
                    tiers_by_own_margins=scored.is_own_cut,
                    units=scored.board.units,
                )
                for label, scored in self
            },
            bundles_in_different_tiers=self.boards.moved,
            slices=self.slices.record if self.slices else None,
        )


def report_of(boards: Boards, by: str | None = None) -> Report:
    """Compare scoreboards, where there are two or more."""
    slices = None if by is None else slices_of(boards, by)
    comparison = compare_boards(boards, slices=slices) if len(boards.boards) > 1 else None
    return Report(boards, comparison, slices)


def headline_sentences(report: Report) -> list[str]:
    """Give the verdict, without full stops; of one model, how often it passes."""
    if report.comparison is not None:
        first, *others = block.headline_sentences(report.comparison)
        return [f"{STAMP if report.boards.is_exploratory else ''}{first}", *others]
    ((label, scored),) = report
    if not scored.board.tiers[report.scope].n:
        return ["There are no bundles: nothing passes or fails"]
    return [f"{label} passes {_rate(scored, report.scope)} {_where(report)}"]


def verdict(report: Report) -> list[str]:
    """Give the pass rates on the adversarial tier, then the cautions that the headline does not give."""
    lines, cautions = [], report.cautions[1:] if report.comparison else report.cautions
    if report.comparison and report.scope == ADVERSARIAL:
        rates = {label: scored.board.tiers[ADVERSARIAL].pass_rate or 0.0 for label, scored in report}
        ranked = sorted(report, key=lambda named: -rates[named[0]])
        shown = "; ".join(f"{label} {_rate(scored, ADVERSARIAL)}" for label, scored in ranked)
        lines.append(f"Pass rate {_where(report)}: {shown}.")
    lines += [f"{show.capital(block.sentence(caution))}." for caution in cautions]
    units = {label: scored.board.margin_unit for label, scored in report if scored.scores.height}
    if len(set(units.values())) > 1:
        listed = ", ".join(f"{label} {unit}" for label, unit in units.items())
        lines.append(f"Margins are in different units: {listed}. Compare their signs, not their sizes.")
    overall = {label: scored.board.overall for label, scored in report if scored.board.overall.n}
    tied = [f"{label} {show.percent(s.ties / s.n)}" for label, s in overall.items() if s.ties > MANY * s.n]
    if tied:
        why = "A tie fails and still ranks first; see the expected rank."
        lines.append(f"Positives that tie with a negative: {show.listed(tied)}. {why}")
    return lines


def _rate(scored: Scored, scope: str) -> str:
    stats = scored.board.tiers[scope]
    rate, interval = show.percent(stats.pass_rate or 0.0), stats.ci95.get("pass_rate")
    if scope != OVERALL and scored.is_own_cut:
        return f"{rate} (by its own cut)"
    return f"{rate} (95 % interval {show.rate_range(interval)})" if interval else f"{rate} (no interval)"


def _where(report: Report) -> str:
    sizes = sorted({scored.board.tiers[report.scope].n for scored in report.boards.boards})
    n = show.between(sizes, lambda size: show.count(int(size)))
    return f"on the adversarial tier (n {n})" if report.scope == ADVERSARIAL else f"over all bundles (n {n})"


def document(report: Report) -> Document:
    """Arrange scoreboards: the verdict, the ranking, pairs, slices, and the figures by tier."""
    sections: list[Section] = []
    places = None
    if report.comparison:
        places = ranking(rank_as_compared(score_grid(report.boards.table), report.comparison), block.Scale())
        strata = block.strata_table(report.comparison, order=report.slices.values if report.slices else TIERS)
        pairs = block.pair_table(report.comparison)
        sections = [Section("comparison", "Which models differ", tables=(pairs,), folded=present(strata))]
    if report.slices:
        by = "kind of negative" if report.slices.record.is_by_kind else block.words(report.slices.by)
        sections.append(Section("slices", f"By {by}", tables=(slice_table(report.slices.record),)))
    details = tuple(
        replace(figures_by_tier(scored.board), name=f"figures-{i}") for i, (_, scored) in enumerate(report)
    )
    sections.append(Section("tiers", "Figures by tier", tables=(pass_rates(report),), folded=details))
    if report.boards.is_exploratory:
        sections = [replace(section, title=STAMP + section.title) for section in sections]
    title, rest = opening(headline_sentences(report))
    return Document(
        "bundles: is the positive nearer to its anchor than every negative",
        title,
        (*rest, *verdict(report)),
        _facts(report),
        tuple(sections),
        _origin(report),
        _commands(report),
        ranking=places,
        differences=differences(report.comparison),
    )


def _facts(report: Report) -> dict[str, str]:
    header = report.boards.boards[0].board.eval_header
    models = {"Models": show.listed(report.boards.labels)}
    if report.boards.is_exploratory:
        return {**models, "Evals": "differ, see how this was made"}
    counts = ", ".join(f"{tier} {show.count(n)}" for tier, n in header.tier_distribution.items())
    return {
        "Eval": header.eval_path,
        **models,
        **({"Version": header.version} if header.version else {}),
        "Bundles": show.count(header.item_count),
        **({} if report.boards.moved else {"By tier": counts}),
    }


def _origin(report: Report) -> dict[str, str]:
    versions = dict.fromkeys(scored.board.tellapart_version for scored in report.boards.boards)
    origin = {"tellapart": ", ".join(versions)}
    for label, scored in report:
        name = f"EVAL_FINGERPRINT of {label}" if report.boards.is_exploratory else "EVAL_FINGERPRINT"
        origin[name] = scored.fingerprint
        if scored.board.checkpoint_path:
            origin[f"Checkpoint of {label}"] = scored.board.checkpoint_path
    return origin


def _commands(report: Report) -> tuple[str, ...]:
    """Lines that make this report again, as far as the record knows."""
    lines = []
    for _, scored in report:
        header = scored.board.eval_header
        words = ["score", header.eval_path, "--model", scored.board.model]
        lines.append([*words, "--seed", str(header.seed), "--out", str(scored.path)])
    last = ["report", *(str(scored.path) for _, scored in report)]
    last += ["--by", report.slices.by] if report.slices else []
    last += ["--allow-fingerprint-mismatch"] if report.boards.is_exploratory else []
    lines.append([*last, "--html", "report.html", "--markdown", "report.md"])
    return tuple(f"tellapart bundles {shlex.join(words)}" for words in lines)


def pass_rates(report: Report) -> Table:
    """Pass rates and margins of each tier and model."""
    rows: list[list[Cell | str]] = []
    for scope in (OVERALL, *TIERS):
        for label, scored in report:
            stats = scored.board.tiers[scope]
            rate, *margins = (
                _figure_cell(stats, name)
                for name in ("pass_rate", "q10_margin", "median_margin", "q90_margin")
            )
            if scope != OVERALL and scored.is_own_cut and not rate.reason:
                rate = Cell(rate.text, "by its own cut")
            rows.append([scope, label, show.count(stats.n), rate, *margins])
    return table(
        "tiers",
        "Pass rate, %, and margins by tier (95 % interval)",
        ["Tier", "Model", "n", "Pass rate, %", "Margin Q10", "Median", "Q90"],
        rows,
        words=2,
        note="A bundle passes where its positive is strictly more similar to the anchor than every negative: "
        "margin > 0. Q10 and Q90: 10th and 90th percentile. Intervals are clustered on the anchor.",
    )


def figures_by_tier(board: Scoreboard) -> Table:
    """Every figure of a scoreboard, overall and by tier, with its interval."""
    scopes = board.tiers.values()
    rows: list[list[Cell | str]] = [["bundles", *(show.count(stats.n) for stats in scopes)]]
    queries: list[list[Cell | str]] = [["queries", *(show.count(stats.queries) for stats in scopes)]]
    for name, figure in SHOWN.items():
        title = f"{figure.title}, %" if figure.summary is Summary.SHARE else figure.title
        row: list[Cell | str] = [title, *(_figure_cell(stats, name) for stats in scopes)]
        (queries if figure.of_queries else rows).append(row)
    rows += [["ties", *(show.count(stats.ties) for stats in scopes)], *queries]
    header = board.eval_header
    version = f", version {header.version}" if header.version else ""
    return table(
        "scoreboard",
        f"{board.model} on {header.eval_path}{version} (95 % interval)",
        ["Figure", *(show.capital(block.words(tier)) for tier in board.tiers)],
        rows,
        note="Intervals are clustered on the anchor. A tie fails but ranks 1; figures from expected rank on "
        "average over ties. A query is an anchor with all its positives.",
    )


def _figure_cell(stats: TierStats, name: str) -> Cell:
    """A figure with its interval: shares in percent, ranks with two decimals."""
    value, interval, figure = getattr(stats, name), stats.ci95.get(name), SHOWN[name]

    def form(number: float) -> str:
        if name in MARGINS:
            return show.any_size(number)
        if figure.summary is Summary.SHARE:
            return show.rate(number)
        return show.decimal(number, 2 if figure.kind is FigureKind.RANK else 3)

    if value is None:
        return undefined("no bundles")
    return Cell(form(value), " to ".join(map(form, interval)) if interval else "no interval")


def slice_table(slices: SlicesRecord) -> Table:
    """Pass rates by a field of the metadata, or against the negatives of each kind."""
    if slices.is_by_kind:
        title, first = "Pass rate against the negatives of one kind alone", "Kind of negative"
        note = (
            "n: bundles that have a negative of the kind, the same for every model. A bundle passes against "
            "a kind if its positive is more similar to the anchor than every negative of that kind."
        )
    else:
        title, first = f"Pass rate by {block.words(slices.by)}", show.capital(block.words(slices.by))
        note = (
            "Each interval stands for itself: which models differ in a slice is in the pairs, corrected for "
            "all of them together."
        )
    if any(record.reason for record in slices.slices):
        note += " One bundle, or bundles of one anchor, have no interval."
    rows: list[list[Cell | str]] = []
    for value in slices.values:
        records = [record for record in slices.slices if record.value == value]
        sizes, anchors = [record.n for record in records], [record.clusters for record in records]
        counts = (show.between(numbers, lambda n: show.count(int(n))) for numbers in (sizes, anchors))
        rows.append([value, *counts, *map(_slice_cell, records)])
    headings = [first, "n", "Anchors", *dict.fromkeys(record.model for record in slices.slices)]
    return table("slices", f"{title}, % (95 % interval)", headings, rows, note=note)


def _slice_cell(record: SliceRecord) -> Cell:
    if record.pass_rate is None:
        return undefined(record.reason or "no bundles")
    ends = show.rate_range(record.interval) if record.interval else "no interval"
    return Cell(show.rate(record.pass_rate), ends)
