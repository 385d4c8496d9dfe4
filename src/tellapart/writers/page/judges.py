"""The section of a ranking about its judges: scores, pairs, and what else than quality moves a judge."""

from __future__ import annotations

from collections.abc import Iterable

from tellapart.core.comparison import Verdict
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.document import Section, present
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.writers.judge_figures import Judging, PositionBias
from tellapart.writers.judgements import PAIRWISE, POINTWISE
from tellapart.writers.page.cells import number, percent, signed

NOT_JUDGED = "no judge was asked about this writer"

_PLACE = {Verdict.A_BETTER: "prefers the first", Verdict.B_BETTER: "prefers the second"}


def section(judging: Judging) -> Section:
    """Arrange the figures of judges."""
    text = (
        f"Summaries of {show.count(judging.units)} of {show.plural(judging.targets, 'target')} were judged. "
        "Judges see the code and never who wrote the summary, and are not asked about writers of their own "
        "family. Every message and reply is in run.db of the run, every verdict in judgements.parquet."
    )
    return Section("judges", "Judges", text, tables=tables(judging))


def tables(judging: Judging) -> tuple[Table, ...]:
    """Scores, pairs, biases and the judges themselves."""
    parts = (_scores, _strengths, _meetings, _positions, _judges)
    return present(*(part(judging) for part in parts))


def sentences(judging: Judging) -> list[str]:
    """Say what to know of the judges before a verdict is believed."""
    unknown = [use.judge for use in judging.judges if not use.families]
    lines = []
    if unknown and any(writer.families for writer in judging.writers):
        lines.append(
            f"The family of {show.listed(unknown)} is not known, so they judge every writer; "
            "--family MODEL=NAME sets it."
        )
    lines += [_position_line(bias) for bias in judging.position if bias.verdict in _PLACE]
    failed = [f"{use.judge} {by_cause(use.failures)}" for use in judging.judges if use.failures]
    absent = [f"{one.writer} {by_cause(one.no_summary)}" for one in judging.writers if one.no_summary]
    if failed:
        lines.append(f"Verdicts missing: {'; '.join(failed)}.")
    if absent:
        lines.append(f"Units without a summary: {'; '.join(absent)}.")
    return lines


def _position_line(bias: PositionBias) -> str:
    span = f" ({show.rate_range(bias.interval)} %)" if bias.interval else ""
    return (
        f"{bias.judge} {_PLACE[bias.verdict]} of two summaries, whatever they say: the first gets "
        f"{show.rate(bias.first_share or 0.0)} % of the points{span}. Both orders are asked, so that this "
        "helps and hurts every writer alike."
    )


def _words(name: str) -> str:
    return show.capital(name.replace("_", " "))


def _scores(judging: Judging) -> Table | None:
    if POINTWISE not in judging.methods:
        return None
    rows: list[list[Cell | str]] = [
        [
            one.writer,
            number(one.score, NOT_JUDGED),
            *(number(one.criteria.get(name), NOT_JUDGED) for name in judging.weights),
            f"{len(one.judges)} of {len(judging.judges)}",
            show.count(one.score.n if one.score else 0),
        ]
        for one in judging.writers
    ]
    weights = ", ".join(f"{_words(name)} {weight:g}" for name, weight in judging.weights.items())
    adjusted = (
        " A judge's leniency, as the table of judges has it, is taken off its scores."
        if len(judging.severity) > 1
        else ""
    )
    return table(
        "scores",
        "Mean scores, from 1 to 5",
        ["Writer", "Score", *map(_words, judging.weights), "Judges", "Units"],
        rows,
        note=f"The score weighs the criteria: {weights}.{adjusted} Intervals at 95 %, clustered by file."
        f"{_why_none(criterion for one in judging.writers for criterion in one.criteria.values())}",
    )


def _why_none(estimates: Iterable[Estimate | None]) -> str:
    """Say why some estimates with a value lack an interval or an end of one."""
    bare = [one for one in estimates if one is not None and one.value is not None and one.interval is None]
    why = list(dict.fromkeys(one.reason for one in bare if one.reason))
    return f" Where an interval or an end of one is missing: {'; '.join(why)}." if why else ""


def _strengths(judging: Judging) -> Table | None:
    if PAIRWISE not in judging.methods:
        return None
    rows: list[list[Cell | str]] = [
        [
            one.writer,
            percent(one.win_share, NOT_JUDGED),
            _strength(one.strength),
            f"{len(one.judges)} of {len(judging.judges)}",
        ]
        for one in judging.writers
    ]
    return table(
        "strengths",
        "Pairs: share of points, %, and strength",
        ["Writer", "Share of points", "Strength", "Judges"],
        rows,
        note="A win is a point, a tie half a point; each opponent weighs the same. Strength: Bradley and "
        "Terry's, as a natural logarithm with mean 0; of two writers the one that is stronger by 1 gets 73 % "
        f"of the points. Intervals at 95 %, clustered by file."
        f"{_why_none(one.strength for one in judging.writers)}",
    )


def _strength(estimate: Estimate | None) -> Cell:
    if estimate is None or estimate.value is None:
        return undefined((estimate and estimate.reason) or NOT_JUDGED)
    low, high = (None if end is None else signed(end) for end in (estimate.low, estimate.high))
    span = "no interval"
    if low and high:
        span = f"{low} to {high}"
    elif low or high:
        span = f"{low} or more" if low else f"{high} or less"
    return Cell(signed(estimate.value), span)


def _meetings(judging: Judging) -> Table | None:
    if not judging.meetings:
        return None
    names = [one.writer for one in judging.writers]
    cells: dict[tuple[str, str], Cell] = {}
    for meeting in judging.meetings:
        a, b, share = meeting.a, meeting.b, meeting.share.value
        counts = [show.count(number) for number in (meeting.wins, meeting.ties, meeting.losses)]
        if share is None:
            cells[a, b] = cells[b, a] = undefined(meeting.share.reason or "")
        else:
            cells[a, b] = Cell(show.rate(share), "–".join(counts))
            cells[b, a] = Cell(show.rate(1 - share), "–".join(counts[::-1]))
    rows: list[list[Cell | str]] = [
        [row, *(cells.get((row, column), Cell("")) for column in names)] for row in names
    ]
    return table(
        "meetings",
        "Share of points of the row against the column, %",
        ["Writer", *names],
        rows,
        note="Below: wins, ties and losses of the row. A pair of summaries has two verdicts of each judge, "
        "one for each order.",
    )


def _positions(judging: Judging) -> Table | None:
    if not judging.position:
        return None
    rows: list[list[Cell | str]] = []
    for bias in judging.position:
        reason = bias.reason or "no pair"
        span = show.rate_range(bias.interval) if bias.interval else "no interval"
        rows.append(
            [
                bias.judge,
                _PLACE.get(bias.verdict, "no preference" if bias.first_share == 0.5 else "cannot tell"),
                figure(bias.first_share, show.rate, reason, span),
                figure(bias.p_adjusted, show.p_value, reason),
                percent(bias.same_in_both),
                show.count(bias.pairs),
            ]
        )
    return table(
        "position",
        "Judges and the place of a summary, %",
        ["Judge", "Verdict", "Points of the first", "Adjusted p", "Same in both orders", "Pairs"],
        rows,
        words=2,
        note="Every pair is shown in both orders, so without a bias the first gets 50 % of the points.",
    )


def _judges(judging: Judging) -> Table:
    rows: list[list[Cell | str]] = [
        [
            use.judge,
            show.listed(use.families) if use.families else undefined("not known"),
            *(show.count(use.verdicts.get(method, 0)) for method in judging.methods),
            Cell(show.count(sum(use.failures.values())), by_cause(use.failures)),
            show.count(use.repaired),
            figure(judging.severity.get(use.judge), signed, "no scores to compare"),
        ]
        for use in judging.judges
    ]
    return table(
        "judges-asked",
        "Judges",
        [
            *("Judge", "Family", *map(_words, judging.methods)),
            *("Missing", "Repaired", "Leniency"),
        ],
        rows,
        words=2,
        note="Leniency: points, on the scale from 1 to 5, that a judge gives the same summaries more than "
        "the mean judge. Repaired: a second request brought the reply into the requested form.",
    )
