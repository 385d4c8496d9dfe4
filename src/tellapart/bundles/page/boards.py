"""Scoreboards of an eval as a report: the verdict, the ranking, the differences, and the figures by tier."""

from __future__ import annotations

from dataclasses import replace

from tellapart.audit.ranking import rank_as_compared
from tellapart.bundles.cautions import MANY
from tellapart.bundles.compare import compare_boards
from tellapart.bundles.figures import SHOWN
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.scoreboards import Boards, Scored
from tellapart.bundles.slices import SlicesRecord, slice_rates
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.bundles.tier_stats import TierStats
from tellapart.core.comparison import Comparison
from tellapart.core.figure_units import FigureUnit
from tellapart.core.record import Record
from tellapart.core.score_grid import score_grid
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section, opening, present
from tellapart.report.figures import FIGURES, headings, interval_cell
from tellapart.report.screen import differences, ranking
from tellapart.report.tables import Cell, Table, table

STAMP = "Exploratory, the evals differ: "
"""Stands before every verdict on scoreboards of different evals."""


class ReportedModel(Record):
    """A scoreboard in a report, its figures by tier after ``overall``."""

    scoreboard: str
    fingerprint: str
    tiers: dict[str, TierStats]
    tiers_by_own_margins: bool
    units: dict[str, FigureUnit]


class ReportRecord(Record):
    """What ``bundles report --json`` prints.

    Attributes:
        exploratory: Whether the scoreboards are of different evals, or of different bundles of one.
        comparison: Of the pass rates; None for one scoreboard.
        cautions: What decides how much the verdict is worth.
        bundles_in_different_tiers: Bundles that two scoreboards put in different tiers.
        slices: What ``--by`` requested; None without it.
    """

    verdict: str
    exploratory: bool
    comparison: Comparison | None
    cautions: tuple[str, ...]
    models: dict[str, ReportedModel]
    bundles_in_different_tiers: int
    slices: SlicesRecord | None = None


def report_of(boards: Boards, by: str | None = None) -> ReportRecord:
    """Compare scoreboards, where there are two or more."""
    comparison = compare_boards(boards, by=by) if len(boards.boards) > 1 else None
    return ReportRecord(
        verdict=". ".join(headline_sentences(boards, comparison)),
        exploratory=boards.is_exploratory,
        comparison=comparison,
        cautions=comparison.cautions if comparison else boards.boards[0].notes.cautions,
        models={
            label: ReportedModel(
                scoreboard=str(scored.path),
                fingerprint=scored.fingerprint,
                tiers=dict(scored.board.tiers),
                tiers_by_own_margins=scored.is_own_cut,
                units=scored.board.units,
            )
            for label, scored in boards
        },
        bundles_in_different_tiers=boards.moved,
        slices=None if by is None else slice_rates(boards, by),
    )


def headline_sentences(boards: Boards, comparison: Comparison | None) -> list[str]:
    """Give the verdict, without full stops; of one model, how often it passes."""
    if comparison is not None:
        first, *others = block.headline_sentences(comparison)
        return [f"{STAMP if boards.is_exploratory else ''}{first}", *others]
    return [passes(boards.labels[0], boards.boards[0].board.overall)]


def passes(model: str, stats: TierStats) -> str:
    """Say how often a model passes."""
    if stats.pass_rate is None:
        return "There are no bundles: nothing passes or fails"
    interval = stats.ci95["pass_rate"]
    span = f"95 % interval {show.rate_range(interval)}" if interval else "no interval"
    return f"{model} passes {show.percent(stats.pass_rate)} of {show.plural(stats.n, 'bundle')} ({span})"


def document(boards: Boards, report: ReportRecord, command: str = "") -> Document:
    """Arrange scoreboards: verdict, ranking, pairs, slices, figures by tier; ``command`` makes it anew."""
    sections: list[Section] = []
    places = None
    if report.comparison:
        places = ranking(rank_as_compared(score_grid(boards.table), report.comparison), block.Scale())
        strata = block.strata_table(report.comparison, order=report.slices.values if report.slices else TIERS)
        pairs = block.pair_table(report.comparison)
        title, folded = "Which models differ", present(strata)
        sections = [Section("comparison", title, tables=(pairs,), folded=folded, in_terminal=True)]
    if report.slices:
        title, tables_by = f"By {block.words(report.slices.by)}", (slice_table(report.slices),)
        sections.append(Section("slices", title, tables=tables_by, in_terminal=True))
    details = tuple(
        replace(figures_by_tier(scored.board), name=f"figures-{i}") for i, (_, scored) in enumerate(boards)
    )
    rates = (pass_rates(boards),)
    sections.append(Section("tiers", "Figures by tier", tables=rates, folded=details, in_terminal=True))
    title, rest = opening(headline_sentences(boards, report.comparison))
    cautions = report.cautions[1:] if report.comparison else report.cautions
    return Document(
        "bundles: is the positive nearer to its anchor than every negative",
        title,
        (*rest, *(f"{show.capital(block.sentence(caution))}." for caution in cautions)),
        _facts(boards),
        tuple(sections),
        _origin(boards),
        (command,) if command else (),
        ranking=places,
        differences=differences(report.comparison),
    )


def _facts(boards: Boards) -> dict[str, str]:
    header = boards.boards[0].board.eval_header
    models = {"Models": show.listed(boards.labels)}
    if boards.is_exploratory:
        return {**models, "Evals": "differ, see how this was made"}
    counts = ", ".join(f"{tier} {show.count(n)}" for tier, n in header.tier_distribution.items())
    return {
        "Eval": header.eval_path,
        **models,
        **({"Version": header.version} if header.version else {}),
        "Bundles": show.count(header.item_count),
        **({} if boards.moved else {"By tier": counts}),
    }


def _origin(boards: Boards) -> dict[str, str]:
    versions = dict.fromkeys(scored.board.tellapart_version for scored in boards.boards)
    origin = {"tellapart": ", ".join(versions)}
    for label, scored in boards:
        name = f"EVAL_FINGERPRINT of {label}" if boards.is_exploratory else "EVAL_FINGERPRINT"
        origin[name] = scored.fingerprint
        if scored.board.checkpoint_path:
            origin[f"Checkpoint of {label}"] = scored.board.checkpoint_path
    return origin


def pass_rates(boards: Boards) -> Table:
    """Pass rates and margins of each tier and model."""
    names = ("pass_rate", "q10_margin", "median_margin", "q90_margin")
    rows: list[list[Cell | str]] = []
    for scope in (OVERALL, *TIERS):
        for label, scored in boards:
            stats = scored.board.tiers[scope]
            rate, *margins = (_cell(stats, name) for name in names)
            if scope != OVERALL and scored.is_own_cut and not rate.reason:
                rate = Cell(rate.text, "by its own cut")
            rows.append([scope, label, show.count(stats.n), rate, *margins])
    notes = [
        "A bundle passes where its positive is strictly more similar to the anchor than every negative: "
        "margin > 0. Q10 and Q90: 10th and 90th percentile. Intervals are clustered on the anchor.",
        *_beware(boards),
    ]
    heads = ["Tier", "Model", *headings(["n", *names])]
    title = "Pass rates and margins by tier (95 % interval)"
    return table("tiers", title, heads, rows, words=2, note=" ".join(notes))


def _beware(boards: Boards) -> list[str]:
    """Say where margins are in different units, and where positives tie."""
    with_bundles: list[tuple[str, Scored]] = [one for one in boards if one[1].board.overall.n]
    units = {label: scored.board.margin_unit for label, scored in with_bundles}
    lines = []
    if len(set(units.values())) > 1:
        listed = ", ".join(f"{label} {unit}" for label, unit in units.items())
        lines.append(f"Margins are in different units: {listed}. Compare their signs, not their sizes.")
    shares = {label: scored.board.overall.ties / scored.board.overall.n for label, scored in with_bundles}
    tied = [f"{label} {show.percent(share)}" for label, share in shares.items() if share > MANY]
    if tied:
        why = "A tie fails and still ranks first; see the expected rank."
        lines.append(f"Positives that tie with a negative: {show.listed(tied)}. {why}")
    return lines


def figures_by_tier(board: Scoreboard) -> Table:
    """Every figure of a scoreboard, overall and by tier, with its interval."""
    scopes, header = board.tiers.values(), board.eval_header
    rows: list[list[Cell | str]] = [
        [FIGURES["bundles"].label, *(show.count(stats.n) for stats in scopes)],
    ]
    for name in SHOWN:
        rows.append([FIGURES[name].heading, *(_cell(stats, name) for stats in scopes)])
    rows.append([FIGURES["ties"].label, *(show.count(stats.ties) for stats in scopes)])
    version = f", version {header.version}" if header.version else ""
    return table(
        "scoreboard",
        f"{board.model} on {header.eval_path}{version} (95 % interval)",
        ["Figure", *(show.capital(block.words(tier)) for tier in board.tiers)],
        rows,
        note="Intervals are clustered on the anchor. A tie fails but ranks 1; figures from expected rank on "
        "average over ties.",
    )


def scored_document(board: Scoreboard) -> Document:
    """Show one scoreboard, as it was just written."""
    section = Section("figures", "Figures", tables=(figures_by_tier(board),), in_terminal=True)
    fingerprint = fingerprint_line(board.eval_header.fingerprint)
    return Document("bundles score", passes(board.model, board.overall), (fingerprint,), {}, (section,))


def fingerprint_line(fingerprint: str) -> str:
    """Give the line that names the eval of a scoreboard or of a version record."""
    return f"EVAL_FINGERPRINT: {fingerprint}"


def _cell(stats: TierStats, name: str) -> Cell:
    return interval_cell(name, getattr(stats, name), stats.ci95.get(name), reason="no bundles")


def slice_table(slices: SlicesRecord) -> Table:
    """Pass rates by a field of the metadata."""
    note = (
        "Each interval stands for itself: which models differ in a slice is in the pairs, corrected for all "
        "of them together."
    )
    if any(record.reason for record in slices.slices):
        note += " One bundle, or bundles of one anchor, have no interval."
    rows: list[list[Cell | str]] = []
    for value in slices.values:
        records = [record for record in slices.slices if record.value == value]
        sizes, anchors = [record.n for record in records], [record.clusters for record in records]
        counts = (show.between(numbers, lambda n: show.count(int(n))) for numbers in (sizes, anchors))
        cells = (
            interval_cell("pass_rate", one.pass_rate, one.interval, reason=one.reason or "no bundles")
            for one in records
        )
        rows.append([value, *counts, *cells])
    models = dict.fromkeys(record.model for record in slices.slices)
    heads = [show.capital(block.words(slices.by)), FIGURES["n"].label, "Anchors", *models]
    title = f"{FIGURES['pass_rate'].heading} by {block.words(slices.by)} (95 % interval)"
    return table("slices", title, heads, rows, note=note)
