"""What can be said of a search, and what cannot, in words."""

from __future__ import annotations

from tellapart.codesearch.figures import MeasureSummary
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.metrics.warnings import interval_of
from tellapart.codesearch.page import gold
from tellapart.codesearch.page.tables import is_open, to
from tellapart.codesearch.page.view import View
from tellapart.report import numbers as show

MOST_WARNINGS = 6
"""So many warnings stand at the top; the others have a table."""


def headline(view: View) -> str:
    """Say in one sentence what to make of the figures; a doubt goes before any number."""
    where = _where(view)
    if not view.reliable:
        failed = sum(view.judging.failed.values())
        share = show.whole_percent(view.judging.share_failed or 0.0)
        verdicts = show.count(failed + view.judging.judged)
        return f"Unreliable: {show.count(failed)} of {verdicts} verdicts failed ({share}), {where}"
    measures = view.metrics.measures
    if not view.judged:
        against_gold = view.evaluation.gold and gold.headline(view.evaluation.gold)
        ends = [f"{name} {_between(measures[name])}" for name in ("precision", "recall")]
        return against_gold or f"{show.capital(show.listed(ends))}, {where}, without a judge"
    values = [_value(name, measures[name]) for name in ("precision", "recall")]
    return f"{show.capital(show.listed(values))}, {where}"


def _value(name: str, measure: MeasureSummary) -> str:
    if measure.macro is None:
        return f"{name} {_between(measure)}"
    return f"{name}\N{NO-BREAK SPACE}{show.decimal(measure.macro, 2)}"


def sentences(view: View) -> list[str]:
    """Say what the headline rests on, then what to beware of."""
    lines = [*_reliability(view), *gold.sentences(view), *_means(view), *_trend(view)]
    lines += [*_sampled_recall(view), *_agreement(view)]
    shown, rest = view.warnings[:MOST_WARNINGS], view.warnings[MOST_WARNINGS:]
    lines += [f"Beware: {warning.removesuffix('.')}." for warning in shown]
    if rest:
        lines.append(f"{show.plural(len(rest), 'further warning')} below, under Warnings.")
    return lines


def _where(view: View) -> str:
    count = show.plural(len(view.cases), "conversation")
    return f"over {count}, iteration {view.iteration}" if view.iterations > 1 else f"over {count}"


def _between(measure: MeasureSummary) -> str:
    low, high = measure.bounds
    if low is None or high is None:
        return "unknown"
    ends = list(dict.fromkeys(show.decimal(end, 2) for end in (low, high)))
    return f"between {' and '.join(ends)}" if len(ends) > 1 else ends[0]


def _reliability(view: View) -> list[str]:
    if view.reliable:
        return []
    return [
        f"More than {show.whole_percent(MOST_FAILED)} of the verdicts failed, so there are bounds and no "
        "values. The original pipeline counts a failed verdict as not relevant, so its figures measure the "
        "judge's failures too."
    ]


def _means(view: View) -> list[str]:
    measures = view.metrics.measures
    means = []
    for name in view.names:
        measure = measures[name]
        if measure.macro is not None:
            ends = interval_of(measure)
            interval = f"95 % interval {to(ends)}" if ends else "no interval"
            means.append(f"{measure_in_words(name)} {show.decimal(measure.macro)} ({interval})")
    lines = [f"{show.capital(show.listed(means))}, means over conversations."] if means else []
    open_ = [
        f"{name} {to((low, high))}"
        for name in ("precision", "recall")
        for low, high in [measures[name].bounds]
        if is_open(measures[name]) and low is not None and high is not None
    ]
    if open_:
        if view.judged:
            lines.append(f"Bounds if all missing verdicts were wrong, and right: {show.listed(open_)}.")
        else:
            files = show.plural(view.judging.not_asked, "file")
            lines.append(
                f"Nobody judged the {files} that only we found: depending on them {show.listed(open_)}. "
                "--judge PROVIDER/MODEL decides."
            )
    return lines


def _trend(view: View) -> list[str]:
    stopped = view.history.stopped if view.history else None
    return [f"The loop stopped after iteration {stopped.iteration}: {stopped.text}"] if stopped else []


def _sampled_recall(view: View) -> list[str]:
    sampled = view.metrics.sampled_recall
    if sampled is None or sampled.recall_at_least is None:
        return []
    drawn = sum(part.sampled for part in sampled.strata.values())
    return [
        f"Recall of all conversations together is at least {show.decimal(sampled.recall_at_least)} (95 %): "
        f"{show.plural(drawn, 'file')} that nobody returned were drawn and judged."
    ]


def _agreement(view: View) -> list[str]:
    agreement = view.metrics.agreement
    shared = agreement.jaccard if agreement else None
    if agreement is None or shared is None or shared.value is None:
        return []
    a, b = view.runs["run_a"], view.runs["run_b"]
    ends = shared.interval
    interval = f" (95 % interval {show.between(ends, show.whole_percent)})" if ends else ""
    lines = [
        f"{show.capital(a)} and {b} share {show.whole_percent(shared.value)} of what they find{interval}"
        + ("." if view.metrics.sampled_recall else "; what both missed is in no recall (--sample-rest).")
    ]
    retests = list(agreement.retest.values())
    if retests and all(retest.differs for retest in retests):
        return [*lines, "An explorer agrees with itself better than with the other."]
    return lines + [f"{show.capital(retest.verdict)}." for retest in retests]
