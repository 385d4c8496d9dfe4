"""Tables of an evaluation: measures, areas, order, conversations, learnings; three decimals."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.codesearch.figures import AreaAggregate, GapBelow, Measure, MeasureSummary, SampledRecall
from tellapart.codesearch.learn import Learnings
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.metrics.warnings import interval_of
from tellapart.codesearch.page.view import View
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.missing_reasons import KINDS, by_cause
from tellapart.report.tables import Cell, Table, table, undefined

FAILURES = KINDS | {"turns": "turns used up", "recorded": "recorded as failed"}
"""Kinds of failures in words; those of explorers and of other pipelines' evaluations too."""

UNKNOWN = "it is not known"
NOT_JUDGED = "verdicts are missing"
NO_INTERVAL = "no interval"

_OURS_ALONE = "the original pipeline has no such figure"
_FOUND_NOTHING = "nothing was found, or nothing is known to be relevant"
_MOST_LEARNT = 15
"""Rows of terms and of places; learnings.json has all."""

Rows = list[list[Cell | str]]


def number(value: float | None, reason: str | None = None, detail: str = "") -> Cell:
    """A figure, or a dash with the reason why there is none."""
    return undefined(reason or UNKNOWN, detail) if value is None else Cell(show.decimal(value), detail)


def span(ends: Sequence[float | None] | None) -> str:
    """An interval or bounds: ``0.454–1.000``; a dash stands for an end that is not known."""
    if ends is None:
        return NO_INTERVAL
    low, high = (show.DASH if end is None else show.decimal(end) for end in ends)
    return f"{low}–{high}"


def bounds(ends: Sequence[float | None]) -> str:
    """Bounds, or the one figure that they leave: ``0.454–1.000``, ``0.454``."""
    shown = span(ends)
    low, _, high = shown.partition("–")
    return low if low == high and ends[0] is not None else shown


def to(ends: Sequence[float]) -> str:
    """An interval in a sentence: ``0.454 to 1.000``."""
    return " to ".join(show.decimal(end) for end in ends)


def estimate(record: Estimate | None) -> Cell:
    """A value, its interval below it."""
    if record is None:
        return undefined("it was not measured")
    return number(record.value, record.reason, "" if record.value is None else span(record.interval))


def is_open(measure: MeasureSummary) -> bool:
    """Whether missing verdicts or explorations could change a mean."""
    low, high = measure.bounds
    return low is not None and high is not None and round(high - low, 9) > 0


def measures(view: View) -> Table:
    """Every measure: the original figure, our mean with its interval, its bounds, and what is missing."""
    aggregate = view.metrics.aggregate
    documented = {"precision": aggregate.precision, "recall": aggregate.recall}
    rows: Rows = [
        [
            measure_in_words(name),
            number(documented[name], NOT_JUDGED) if name in documented else undefined(_OURS_ALONE),
            _macro(measure),
            bounds(measure.bounds),
            Cell(show.count(measure.conversations), by_cause(measure.missing)),
        ]
        for name, measure in view.metrics.measures.items()
    ]
    return table(
        "measures",
        "Precision and recall (95 % intervals)",
        ["Measure", "Original", "Mean", "Bounds of the mean", "Conversations"],
        rows,
        note="Original: as the original pipeline computes it; a verdict that failed counts as not relevant. "
        "Below the mean: Student's t over conversations. "
        "Where verdicts are missing there is no mean, only its bounds. "
        "Bounds: all that is missing taken as not relevant, and as relevant. Without verdicts: only files "
        "that an exploration found count as relevant. Below the conversations: those without a value, by "
        "cause.",
    )


def sampled_recall(sampled: SampledRecall) -> Table:
    """Recall with the sample of what nobody returned, and what it rests on."""
    rows: Rows = [
        ["recall, at least", number(sampled.recall_at_least, "nobody knows a relevant file")],
        ["recall, estimate", number(sampled.recall, NOT_JUDGED)],
        ["recall by the overlap of the explorers (Chapman)", number(sampled.chapman_recall, NOT_JUDGED)],
        ["relevant files that we found", show.count(sampled.found)],
        ["files that only an explorer found", show.count(sampled.missed)],
        ["relevant files in all, at most", show.count(sampled.relevant_at_most)],
    ]
    for words, part in (("near", sampled.strata["near"]), ("far from", sampled.strata["far"])):
        verdicts = {"relevant": part.relevant, "without a verdict": part.without_verdict}
        shown = [f"{show.count(n)} {what}" for what, n in verdicts.items() if n or what == "relevant"]
        drawn = Cell(f"{show.count(part.sampled)} of {show.count(part.files)}", ", ".join(shown))
        rows.append([f"sampled {words} the issue, of files that nobody returned", drawn])
    return table(
        "sampled-recall",
        f"Recall with a sample of what nobody returned (95 %, {show.plural(sampled.conversations, 'issue')})",
        ["", "Value"],
        rows,
        note="All conversations together. The lower bound holds for these conversations and this judge, "
        "whatever the explorers missed. Near: by the words that issue and file share.",
    )


def areas(view: View, brief: bool = False) -> Table:
    """Original and own figures of each product area, and how far it is below the whole."""
    with_documented = view.judged and not brief
    rows: Rows = []
    for area, figures in view.metrics.areas.items():
        row: list[Cell | str] = [area, show.count(figures.count)]
        documented = view.metrics.by_product_area.get(area, AreaAggregate())
        for name in view.names:
            if with_documented:
                row.append(number(getattr(documented, name), NOT_JUDGED))
            row += [_macro(figures.measures[name], brief=True), _below(figures.below_aggregate[name])]
        rows.append(row)
    headings = ["Area", "n"]
    for name in view.names:
        words = show.capital(measure_in_words(name))
        headings += [*([f"{words}, original"] if with_documented else []), words, "Below the whole"]
    return table(
        "areas",
        "By product area (95 % intervals, bounds in brackets)",
        headings,
        rows,
        note="n: conversations; one or two say nothing of an area. Original: as the original pipeline "
        "computes it. Far below: by more than 0.15, the original threshold. Whether chance could do that "
        "with so few conversations is tested by assigning areas at random, corrected for their number.",
    )


def _below(area: GapBelow) -> Cell:
    """How far an area is below the whole, and whether chance does that."""

    def signed(value: float) -> str:
        return f"{value:+.3f}".replace("-", show.MINUS)

    if area.gap is None:
        ends = [signed(end) for end in area.gap_bounds or () if end is not None]
        shown = " to ".join(dict.fromkeys(ends))
        far = "; far below" if area.anomaly else ""
        return undefined(NOT_JUDGED, f"[{shown}]{far}" if ends else "")
    beyond = area.beyond_chance
    if not area.anomaly:
        return Cell(signed(area.gap))
    if beyond is None or area.p is None:
        return Cell(signed(area.gap), "far below; chance not testable")
    chance = f"{'beyond' if beyond else 'within'} chance; p {show.p_value(area.p)}"
    return Cell(signed(area.gap), f"far below; {chance}", beyond)


def _macro(measure: MeasureSummary, brief: bool = False) -> Cell:
    left = f"[{bounds(measure.bounds)}]"
    if measure.macro is None:
        reason = NOT_JUDGED if "judge" in measure.missing else _FOUND_NOTHING
        return undefined(reason, left if brief else "")
    if not brief:
        return Cell(show.decimal(measure.macro), span(measure.interval))
    ends = [span(interval_of(measure)), left if is_open(measure) else ""]
    return Cell(show.decimal(measure.macro), "; ".join(filter(None, ends)))


def conversations(view: View) -> Table:
    """Each conversation in a line."""
    rows: Rows = []
    for case in view.cases:
        relevant, open_ = len(case.our_unique_relevant), len(case.without_verdict)
        known = (len(case.intersection), relevant, len(case.our_unique) - relevant - open_, open_)
        doubts = [
            f"{name} ({run.explorer}) {'failed' if run.failure else 'is suspect'}"
            for name, run in (("Run A", case.run_a), ("Run B", case.run_b))
            if run.failure or run.suspect
        ]
        rows.append(
            [
                Cell(case.id, "; ".join(doubts)),
                case.product_area,
                *(_share(case.measures.get(name, Measure())) for name in view.names),
                show.count(len(case.files)),
                *map(show.count, known),
                Cell(show.count(len(case.ground_truth)), f"{show.count(len(case.in_both_runs))} by both"),
                show.count(len(case.ground_truth_unique)),
            ]
        )
    headings = ["Conversation", "Area", *(show.capital(measure_in_words(name)) for name in view.names)]
    headings += ["We found", "Known to a run"]
    headings += ["Relevant by the judge", "Not relevant", "No verdict", "The runs found", "We missed"]
    return table("conversations", "Every conversation", headings, rows, words=2)


def _share(measure: Measure) -> Cell:
    left = f"[{span(measure.bounds)}]" if measure.bounds[0] != measure.bounds[1] else ""
    return number(measure.value, NOT_JUDGED if measure.missing == "judge" else _FOUND_NOTHING, left)


def ranking(ranked: dict[str, Estimate]) -> Table:
    """Measures of the order in which we return files."""
    return table(
        "ranking",
        "How good the ranking is (95 % interval)",
        ["Measure", "Mean", "Conversations"],
        [[name, estimate(measure), show.count(measure.n)] for name, measure in ranked.items()],
        note="A file of both runs gains 2, one of a single run or of the judge 1. Judged@10: share of the "
        "first ten that have a verdict. Only it and bpref need not every verdict.",
    )


def warnings(view: View, shown: int) -> Table:
    """Warnings that the top of the report has no room for."""
    rows = [[str(i), text] for i, text in enumerate(view.warnings[shown:], start=shown + 1)]
    return table("warnings", "Further warnings", ["", "Warning"], rows, words=2)


def unusable(view: View) -> Table:
    """Conversations that could not be used."""
    rows = [[left.conversation, left.why] for left in view.evaluation.unusable]
    return table("unusable", "Conversations left out", ["Conversation", "Why"], rows, words=2)


def learnt(learnings: Learnings) -> tuple[Table, Table]:
    """Search terms by the noise that they led to, and places by the relevant files that were missed there."""
    terms: Rows = [
        [
            row.term,
            *map(show.count, (row.noise, row.relevant, row.without_verdict)),
            estimate(row.noise_share),
            show.count(row.conversations),
        ]
        for row in learnings.terms[:_MOST_LEARNT]
        if row.noise
    ]
    places: Rows = [
        [row.place, *map(show.count, (row.missed, row.found, row.noise)), estimate(row.recall)]
        for row in learnings.places[:_MOST_LEARNT]
    ]
    of_terms = ["Search term", "Noise", "Relevant", "No verdict", "Share of noise", "Conversations"]
    of_places = ["Place", "Missed", "Found", "Noise", "Recall there"]
    return (
        table("terms", "Search terms that led to most noise (95 % intervals)", of_terms, terms),
        table("places", "Where most was missed (95 % intervals)", of_places, places),
    )
