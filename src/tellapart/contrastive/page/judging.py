"""A run of judges in a terminal, as JSON, as Markdown and as a page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.judging.criteria import PAIRWISE, POINTWISE
from tellapart.contrastive.judging.results import FamilyBias, JudgeReport, PositionBias, WriterScores
from tellapart.core.comparison import Comparison, ComparisonSettings, Verdict, to_json
from tellapart.core.estimate import Estimate
from tellapart.report import comparison as block
from tellapart.report import model_parameters
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Row, rows
from tellapart.report.document import Document, Links, Section, present
from tellapart.report.missing_reasons import by_cause
from tellapart.report.tables import Cell, Table, figure, table, undefined
from tellapart.report.terminal import fitted_table, rich_list
from tellapart.store import RunDirectory, load_record

WHERE_REPLIES_LIE = (
    "Every message and reply is in calls.jsonl of the run directory, every verdict in judgements.parquet."
)
ON_THE_SCALE = "Scores from 1 to 5 count as 0 to 100 %: 25 percentage points are one point of that scale."
NOT_JUDGED = "no judge counts for this writer"
NO_FAMILY = "not known"
NO_INTERVAL = "no interval"


@dataclass(frozen=True)
class JudgeView:
    """A run of judges to be reported.

    Attributes:
        report: Its figures, as the suite wrote them.
    """

    run: RunDirectory
    report: JudgeReport
    settings: ComparisonSettings

    @cached_property
    def comparison(self) -> Comparison | None:
        """What the scores that count say of the writers; None where fewer than two have one."""
        return self.run.comparison(self.settings)

    @property
    def language_models(self) -> list[tuple[str, str, dict[str, Any]]]:
        """The judges as they were asked."""
        return [(name, "judging", model) for name, model in self.run.record.models.items()]


def load_judges(run: RunDirectory, settings: ComparisonSettings) -> JudgeView:
    """Read a run of judges."""
    report = load_record(run.artifacts / "judging.json", JudgeReport, "part of a run")
    return JudgeView(run, report, settings)


def json_of_judges(view: JudgeView) -> dict[str, Any]:
    """Give all figures for scripts: those stored, and the comparison of the writers."""
    compared = {} if view.comparison is None else {"comparison": to_json(view.comparison)}
    return {**view.report.to_json(), **compared}


def terminal_of_judges(view: JudgeView) -> list[RenderableType]:
    """Show the verdict with its pairs, then writers, meetings, biases, agreement and judges."""
    verdict: list[RenderableType] = [Text(f"{headline(view)}.", style="bold")]
    if view.comparison is not None:
        verdict = block.terminal(view.comparison, strata=False, what="writers")
    shown = [*_all_tables(view), model_parameters.usage(view.language_models, WHERE_REPLIES_LIE)]
    return [
        *verdict,
        rich_list(sentences(view)),
        *map(fitted_table, shown),
        Text(f"\nbenchmark {view.report.fingerprint}", style="dim"),
    ]


def judging_document(view: JudgeView, links: Links = ()) -> Document:
    """Arrange a run of judges as a page."""
    report = view.report
    return Document(
        "contrastive: judges of summaries",
        headline(view),
        tuple(sentences(view)),
        {
            "Benchmark": report.fingerprint,
            "Writers": show.listed([writer.writer for writer in report.writers]),
            "Judges": show.listed([judge.judge for judge in report.judges]),
            "Units": f"{show.count(report.units)} of {show.plural(report.targets, 'target')}",
        },
        tuple(_sections(view)),
        {
            "tellapart": view.run.record.tellapart_version,
            "Benchmark": report.fingerprint,
            "Seed": str(view.run.record.seed),
        },
        _commands(view),
        links,
    )


def headline(view: JudgeView) -> str:
    """Give the verdict on the writers in one sentence."""
    if view.comparison is not None:
        return block.headline(view.comparison)
    scored = [writer.writer for writer in view.report.writers if writer.judges]
    return block.nothing_to_compare(scored, "writer", "verdicts that count")


def sentences(view: JudgeView) -> list[str]:
    """Say what to know before a verdict is believed."""
    return [
        *_unknown_families(view.report),
        *(_family_line(bias) for bias in view.report.family),
        *(_position_line(bias) for bias in view.report.position if bias.verdict in _PLACE),
        *_missing_lines(view),
        *model_parameters.parameter_lines(view.language_models),
    ]


def _unknown_families(report: JudgeReport) -> list[str]:
    """Name judges that count for every writer since their family is unknown; none where no writer has one."""
    unknown = [use.judge for use in report.judges if not use.families]
    if not unknown or not any(writer.families for writer in report.writers):
        return []
    return [
        f"The family of {show.listed(unknown)} is not known, so all verdicts count; "
        "--family MODEL=NAME sets it."
    ]


_FAMILY = {
    Verdict.A_BETTER: "prefers its own family",
    Verdict.B_BETTER: "is harder on its own family",
    Verdict.EQUIVALENT: "treats its own family like the others",
    Verdict.NOT_SEPARATED: "cannot tell",
    Verdict.WITHHELD: "cannot tell",
}
_PLACE = {Verdict.A_BETTER: "prefers the first", Verdict.B_BETTER: "prefers the second"}


def _family_line(bias: FamilyBias) -> str:
    """Such as ``judge X prefers its own family (Y) by +0.6 (+0.4 to +0.8) points of 5, pointwise``."""
    whose = f"{show.listed(bias.writers)}, {bias.method}"
    about, left_out = f"{bias.judge} and its own family ({whose})", "Its verdicts on it do not count."
    if bias.preference is None:
        return f"{about}: no preference can be measured, because {bias.reason}. {left_out}"
    size = _gap(bias, bias.preference)
    span = (
        f"{_gap(bias, bias.interval[0])} to {_gap(bias, bias.interval[1])}" if bias.interval else bias.reason
    )
    unit = "points on the scale from 1 to 5" if bias.method == POINTWISE else "points of 100"
    if bias.verdict in (Verdict.A_BETTER, Verdict.B_BETTER):
        return f"{bias.judge} {_FAMILY[bias.verdict]} ({whose}) by {size} {unit} ({span}). {left_out}"
    return f"{about}: {_FAMILY[bias.verdict]}; {size} {unit} ({span}). {left_out}"


def _gap(bias: FamilyBias, value: float) -> str:
    if bias.method == PAIRWISE:
        return show.points(value)
    return f"{'+' if value > 0 else ''}{show.decimal(value, 2)}"


def _position_line(bias: PositionBias) -> str:
    share = f"{show.rate(bias.first_share or 0.0)} % of the points"
    span = f" ({show.rate_range(bias.interval)} %)" if bias.interval else ""
    return (
        f"{bias.judge} {_PLACE[bias.verdict]} of two summaries, whatever they say: the first gets "
        f"{share}{span}. Both orders are asked, so that this helps and hurts every writer alike."
    )


def _missing_lines(view: JudgeView) -> list[str]:
    judges = [f"{use.judge} {by_cause(use.failures)}" for use in view.report.judges if use.failures]
    writers = [
        f"{writer.writer} {by_cause(writer.no_summary)}"
        for writer in view.report.writers
        if writer.no_summary
    ]
    return [
        *([f"Verdicts missing: {'; '.join(judges)}."] if judges else []),
        *([f"Units without a summary: {'; '.join(writers)}."] if writers else []),
    ]


def _sections(view: JudgeView) -> list[Section]:
    sections = []
    if view.comparison is not None:
        section = block.section(view.comparison, title="Which writers differ", what="writers")
        sections.append(replace(section, text=f"{section.text} {ON_THE_SCALE}"))
    sections.append(
        Section(
            "writers",
            "Writers",
            "A judge does not count for writers of its own family.",
            charts=present(_chart(view)),
            tables=present(writers(view), strengths(view), meetings(view)),
        )
    )
    bias = present(families(view), positions(view))
    if bias:
        sections.append(
            Section("bias", "Biases of the judges", "What else than quality moves them.", tables=bias)
        )
    sections.append(Section("judges", "Judges", tables=(judges(view),)))
    return [*sections, model_parameters.section(view.language_models, WHERE_REPLIES_LIE)]


def _all_tables(view: JudgeView) -> list[Table]:
    parts = (writers, strengths, meetings, families, positions, judges)
    return [*present(*(part(view) for part in parts))]


def _score(estimate: Estimate | None) -> Cell:
    if estimate is None or estimate.value is None:
        return undefined(NOT_JUDGED)
    ends = estimate.interval
    span = f"{show.decimal(ends.low, 2)} to {show.decimal(ends.high, 2)}" if ends else NO_INTERVAL
    return Cell(show.decimal(estimate.value, 2), span)


def writers(view: JudgeView) -> Table | None:
    """The mean scores of each writer; None where no scores were asked for."""
    if POINTWISE not in view.report.methods:
        return None
    table_rows: list[list[Cell | str]] = [
        [
            result.writer,
            _score(result.score),
            *(_score(result.criteria.get(name)) for name in view.report.weights),
            _judges_of(view, result),
            show.count(result.score.n if result.score else 0),
        ]
        for result in view.report.writers
    ]
    weights = ", ".join(f"{_words(name)} {weight:g}" for name, weight in view.report.weights.items())
    several = len(view.report.severity) > 1
    adjusted = (
        " A judge's leniency, as the table of judges has it, is taken off its scores." if several else ""
    )
    return table(
        "scores",
        "Mean scores, from 1 to 5",
        ["Writer", "Score", *map(_words, view.report.weights), "Judges", "Units"],
        table_rows,
        note=f"The score weighs the criteria: {weights}.{adjusted} Intervals at 95 %, clustered by file."
        f"{_why_none(result for writer in view.report.writers for result in writer.criteria.values())}",
    )


def _why_none(estimates: Iterable[Estimate | None]) -> str:
    """Say why some estimates with a value lack an interval or an end, in a sentence after a blank."""
    bare = [
        estimate
        for estimate in estimates
        if estimate is not None and estimate.value is not None and estimate.interval is None
    ]
    why = list(dict.fromkeys(estimate.reason for estimate in bare if estimate.reason))
    return f" Where an interval or an end of one is missing: {'; '.join(why)}." if why else ""


def _words(name: str) -> str:
    return show.capital(name.replace("_", " "))


def _judges_of(view: JudgeView, writer: WriterScores) -> str:
    return f"{len(writer.judges)} of {len(view.report.judges)}"


def strengths(view: JudgeView) -> Table | None:
    """Shares of points and strengths of each writer; None where no pairs were judged."""
    if PAIRWISE not in view.report.methods:
        return None
    table_rows: list[list[Cell | str]] = [
        [writer.writer, _share(writer.win_share), _strength(writer.strength), _judges_of(view, writer)]
        for writer in view.report.writers
    ]
    return table(
        "strengths",
        "Pairs: share of points, %, and strength",
        ["Writer", "Share of points", "Strength", "Judges"],
        table_rows,
        note="A win is a point, a tie half a point; each opponent weighs the same. Strength: Bradley and "
        "Terry's, as a natural logarithm with mean 0; of two writers the one that is stronger by 1 gets 73 % "
        "of the points. Intervals at 95 %, clustered by file."
        f"{_why_none(writer.strength for writer in view.report.writers)}",
    )


def _share(estimate: Estimate | None) -> Cell:
    if estimate is None or estimate.value is None:
        return undefined(NOT_JUDGED if estimate is None else estimate.reason or "")
    span = show.rate_range(estimate.interval) if estimate.interval else NO_INTERVAL
    return Cell(show.rate(estimate.value), span)


def _strength(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return undefined(NOT_JUDGED)
    if estimate.value is None:
        return undefined(estimate.reason or "")
    return Cell(_signed(estimate.value), _span(estimate))


def _span(estimate: Estimate) -> str:
    low, high = (None if end is None else _signed(end) for end in (estimate.low, estimate.high))
    if low and high:
        return f"{low} to {high}"
    return f"{low} or more" if low else f"{high} or less" if high else NO_INTERVAL


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{show.decimal(value, 2)}"


def meetings(view: JudgeView) -> Table | None:
    """Who beats whom: a row's share of the points against each column; None where no pairs were judged."""
    if not view.report.meetings:
        return None
    names = [meeting.writer for meeting in view.report.writers]
    cells: dict[tuple[str, str], Cell] = {}
    for meeting in view.report.meetings:
        if meeting.share.value is None:
            cells[meeting.a, meeting.b] = cells[meeting.b, meeting.a] = undefined(meeting.share.reason or "")
            continue
        counts = (meeting.wins, meeting.ties, meeting.losses)
        cells[meeting.a, meeting.b] = Cell(show.rate(meeting.share.value), "–".join(map(show.count, counts)))
        cells[meeting.b, meeting.a] = Cell(
            show.rate(1 - meeting.share.value), "–".join(map(show.count, counts[::-1]))
        )
    table_rows: list[list[Cell | str]] = [
        [row, *(cells.get((row, column), Cell("")) for column in names)] for row in names
    ]
    return table(
        "meetings",
        "Share of points of the row against the column, %",
        ["Writer", *names],
        table_rows,
        note="Below: wins, ties and losses of the row. A pair of summaries has two verdicts of each judge, "
        "one for each order.",
    )


def families(view: JudgeView) -> Table | None:
    """What each judge gives its own family, beside what others give the same summaries."""
    if not view.report.family:
        return None
    table_rows: list[list[Cell | str]] = []
    for bias in view.report.family:
        span = f"{_gap(bias, bias.interval[0])} to {_gap(bias, bias.interval[1])}" if bias.interval else ""
        reason = bias.reason or "cannot be measured"
        no_others = reason if bias.method == POINTWISE else "in pairs a judge cannot be lenient"
        table_rows.append(
            [
                bias.judge,
                bias.method,
                show.listed(bias.writers),
                _FAMILY[bias.verdict] if bias.preference is not None else undefined(reason),
                figure(bias.own, lambda value, of=bias: _gap(of, value), reason),  # type: ignore[misc]
                figure(bias.others, lambda value, of=bias: _gap(of, value), no_others),  # type: ignore[misc]
                figure(bias.preference, lambda value, of=bias: _gap(of, value), reason, span),  # type: ignore[misc]
                figure(bias.p_adjusted, show.p_value, reason),
                show.count(bias.units),
            ]
        )
    headings = ["Judge", "Method", "Its family", "Verdict", "More to its own", "More to others", "Preference"]
    return table(
        "family",
        "Judges and their own families",
        [*headings, "Adjusted p", "Units"],
        table_rows,
        words=4,
        note="More than judges who count give the same summaries: pointwise in points of the scale from 1 to "
        "5, pairwise in percentage points of what the family gets against others. Preference: the former "
        "less the latter. Paired by unit, clustered by file; Holm's correction over the rows.",
    )


def positions(view: JudgeView) -> Table | None:
    """What the place of a summary does to each judge."""
    if not view.report.position:
        return None
    table_rows: list[list[Cell | str]] = []
    for bias in view.report.position:
        same = bias.same_in_both
        span = show.rate_range(bias.interval) if bias.interval else NO_INTERVAL
        table_rows.append(
            [
                bias.judge,
                _PLACE.get(bias.verdict, "no preference" if bias.first_share == 0.5 else "cannot tell"),
                figure(bias.first_share, show.rate, bias.reason or "no pair", span),
                figure(bias.p_adjusted, show.p_value, bias.reason or "no pair"),
                _share(same),
                show.count(bias.pairs),
            ]
        )
    return table(
        "position",
        "Judges and the place of a summary, %",
        ["Judge", "Verdict", "Points of the first", "Adjusted p", "Same in both orders", "Pairs"],
        table_rows,
        words=2,
        note="Every pair is shown in both orders, so without a bias the first gets 50 % of the points.",
    )


def judges(view: JudgeView) -> Table:
    """Each judge: its family, its verdicts, and what is missing."""
    table_rows: list[list[Cell | str]] = []
    for use in view.report.judges:
        severity = view.report.severity.get(use.judge)
        table_rows.append(
            [
                use.judge,
                show.listed(use.families) if use.families else undefined(NO_FAMILY),
                *(show.count(use.verdicts.get(method, 0)) for method in view.report.methods),
                show.count(use.not_counted),
                Cell(show.count(sum(use.failures.values())), by_cause(use.failures)),
                show.count(use.repaired),
                figure(severity, _signed, "no scores to compare"),
            ]
        )
    methods = [_words(method) for method in view.report.methods]
    return table(
        "judges-asked",
        "Judges",
        ["Judge", "Family", *methods, "On its own family", "Missing", "Repaired", "Leniency"],
        table_rows,
        words=2,
        note="Leniency: points, on the scale from 1 to 5, that a judge gives the same summaries more than "
        "the mean judge. Repaired: a second request brought the reply into the requested form.",
    )


def _chart(view: JudgeView) -> Chart | None:
    """Mean scores with their intervals, best first; None without any."""
    scored = [
        (writer.writer, writer.score)
        for writer in view.report.writers
        if writer.score and writer.score.value is not None
    ]
    if not scored:
        return None
    best, score = scored[0]
    title = f"{best} has the highest mean score, {show.decimal(score.value or 0.0, 2)} of 5"
    if len(scored) == 1:
        title = f"Judges give {best} {show.decimal(score.value or 0.0, 2)} of 5 on average"
    description = (
        f"Mean score, from 1 to 5, with 95 % intervals, of {show.listed([name for name, _ in scored])}, by "
        "judges who are not of the writer's family."
    )
    return Chart("writer-scores", title, description, lambda width: _scores(scored, width))


def _scores(scored: Sequence[tuple[str, Estimate]], width: int) -> Drawing:
    drawn = [
        Row(name, score.value, low=score.low, high=score.high, figure=show.decimal(score.value or 0.0, 2))
        for name, score in scored
    ]
    return rows(drawn, width, Axis("Mean score, 1 to 5", domain=(1.0, 5.0), grid=True), title="Writer")


def _commands(view: JudgeView) -> tuple[str, ...]:
    config = view.run.record.config
    both = len(config["methods"]) > 1
    words = ["judge", "BENCH", "--method", "both" if both else config["methods"][0], "--out", "RUN"]
    words += [word for judge in config["judges"] for word in ("--judge", judge["model"])]
    words += ["--units", str(config["units"])] if config["units"] else []
    words += [
        word for name, family in config["families"].items() for word in ("--family", f"{name}={family}")
    ]
    report = ["report", "RUN", "--html", "report.html", "--markdown", "report.md"]
    return tuple(f"tellapart contrastive {shlex.join(line)}" for line in (words, report))
