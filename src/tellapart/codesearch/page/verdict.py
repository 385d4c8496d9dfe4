"""What can be said of a search, what limits it, and what to do next, in words."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.figures import GoldSummary, MeasureSummary
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.page.tables import bounds_of, interval_in_words, percent
from tellapart.codesearch.page.view import View
from tellapart.core.comparison import GateOutcome
from tellapart.report import numbers as show
from tellapart.report.figures import in_words

WITHOUT_GOLD = {
    "no_gold": "nobody gives gold",
    "not_in_tree": "no gold file is in the searched tree",
    "left_out": "all gold files are left out as tests, new files or the like",
    "search": "the search failed",
}
"""Why a conversation has no score against gold, in words."""


def headline(view: View) -> str:
    """Say in one sentence what to make of the figures; a doubt goes before any number."""
    judging, measures, gold = view.metrics.judging, view.metrics.measures, view.evaluation.gold
    where = f"over {show.plural(len(view.evaluation.cases), 'conversation')}"
    if view.history and len(view.history.iterations) > 1:
        where += f", iteration {view.evaluation.iteration}"
    if judging.reliable is False:
        failed = sum(judging.failed.values())
        share = show.whole_percent(judging.share_failed or 0.0)
        verdicts = show.count(failed + judging.judged)
        return f"Unreliable: {show.count(failed)} of {verdicts} verdicts failed ({share}), {where}"
    if not view.judged and gold and (against_gold := _headline_of_gold(gold)):
        return against_gold
    values = show.capital(show.listed([_value(name, measures[name]) for name in ("precision", "recall")]))
    return f"{values}, {where}" if view.judged else f"{values}, {where}, without a judge"


def _headline_of_gold(gold: GoldSummary) -> str | None:
    """The figures of the order, or without one the recall of all files; None where there are neither."""
    figures = {"recall@10": gold.recall_at["10"], "Acc@5": gold.acc_at["5"]}
    if gold.recall_at["10"].value is None:
        figures = {"recall": gold.system_against_gold.recall}
    shown = [
        f"{name}\N{NO-BREAK SPACE}{show.decimal(figure.value)}"
        for name, figure in figures.items()
        if figure.value is not None
    ]
    of = show.plural(gold.conversations, "conversation")
    return f"{show.capital(show.listed(shown))} against {gold.form}, over {of}" if shown else None


def _value(name: str, measure: MeasureSummary) -> str:
    low, high = measure.bounds
    if measure.macro is not None:
        return f"{name}\N{NO-BREAK SPACE}{show.decimal(measure.macro)}"
    if low is None or high is None:
        return f"{name} unknown"
    ends = list(dict.fromkeys(show.decimal(end) for end in (low, high)))
    return f"{name} between {' and '.join(ends)}" if len(ends) > 1 else f"{name} {ends[0]}"


def sentences(view: View) -> list[str]:
    """Say what the headline rests on, what limits it most, and what to do next."""
    stopped = view.history.stopped if view.history else None
    why = [f"The loop stopped after iteration {stopped.iteration}: {stopped.text}"] if stopped else []
    sampled, warnings = view.metrics.sampled_recall, view.evaluation.warnings
    limit = []
    if sampled and sampled.recall_at_least is not None:
        drawn = show.plural(sum(part.sampled for part in sampled.strata.values()), "file")
        limit = [
            f"Recall of all conversations together is at least {show.decimal(sampled.recall_at_least)} "
            f"(95 %): {drawn} that nobody returned were drawn and judged."
        ]
    elif warnings and view.metrics.judging.reliable is not False:
        limit = [f"Beware: {_in_sentence(warnings[0])}."]
    return [*why, *_figures(view), *limit, f"Next: {_next_step(view)}."]


def _figures(view: View) -> list[str]:
    """The figures of the headline with their intervals, or why there are only bounds."""
    measures, gold = view.metrics.measures, view.evaluation.gold
    if view.metrics.judging.reliable is False:
        return [
            f"More than {show.whole_percent(MOST_FAILED)} of the verdicts failed, so there are bounds and no "
            f"values: {_bounds(measures)} if all of them were wrong, and right. The original pipeline counts "
            "a failed verdict as not relevant, so its figures measure the judge's failures too."
        ]
    if gold and not view.judged:
        figures = {"recall@10": gold.recall_at["10"], "Acc@5": gold.acc_at["5"], "MRR": gold.mrr}
        shown = [
            f"{name} {show.decimal(figure.value)} ({interval_in_words('mrr', figure.interval)})"
            for name, figure in figures.items()
            if figure.value is not None
        ]
        if shown:
            return [f"Against gold ({gold.form}): {show.listed(shown)}."]
    means = [
        f"{in_words(name)} {show.decimal(macro)} ({interval_in_words(name, measures[name].interval)})"
        for name in view.names
        if (macro := measures[name].macro) is not None
    ]
    if means and view.judged:
        return [f"{show.capital(show.listed(means))}, means over conversations."]
    if files := view.metrics.judging.not_asked:
        whole = show.plural(files, "file")
        alone = f"; {show.listed(means)} without them" if means else ""
        return [f"Nobody judged the {whole} that only we found: {_bounds(measures)} depend on them{alone}."]
    return [f"Bounds if all missing verdicts were wrong, and right: {_bounds(measures)}."]


def _bounds(measures: dict[str, MeasureSummary]) -> str:
    return show.listed([f"{name} {bounds_of(measures[name])}" for name in ("precision", "recall")])


def _next_step(view: View) -> str:
    judging, history = view.metrics.judging, view.history
    if history and history.outcome is not GateOutcome.PASSED:
        return "do as the first sentence says"
    if judging.reliable is False:
        return "once the judge works, the same evaluate with --reuse RUN asks for what failed"
    if judging.not_asked:
        return (
            f"evaluate with --judge PROVIDER/MODEL, which rules on {show.plural(judging.not_asked, 'file')}"
        )
    below = [area for area, figures in view.metrics.areas.items() if any(m.anomaly for m in figures.values())]
    if below:
        return f"look at {show.listed(below, most=3)}, far below the whole, and at what learn tabulates"
    return "learn tabulates which terms led to noise and which places were missed"


def remarks(view: View) -> list[str]:
    """What else to know, and all that to beware of."""
    return [*_against_gold(view), *_agreement(view), *view.evaluation.warnings]


def _in_sentence(warning: str) -> str:
    text = warning.removesuffix(".")
    return text[:1].lower() + text[1:] if text.startswith(("The ", "Run ")) else text


def _against_gold(view: View) -> Iterator[str]:
    """Say what has no gold, and how far gold bears out the explorations."""
    gold = view.evaluation.gold
    if gold is None:
        return
    if gold.missing:
        of = show.plural(len(view.evaluation.cases) + gold.missing.get("search", 0), "conversation")
        most_first = sorted(gold.missing.items(), key=lambda item: -item[1])
        without = [f"{WITHOUT_GOLD.get(cause, cause)} ({show.count(count)})" for cause, count in most_first]
        lacking = show.count(sum(gold.missing.values()))
        yield f"{lacking} of {of} have no figure against gold: {show.listed(without)}."
    explorers = gold.explorers_against_gold
    if explorers.union.recall.value is not None:
        alone = {"run_a": explorers.run_a, "run_b": explorers.run_b}
        yield (
            "The two explorations together, on which recall rests, find "
            f"{percent(explorers.union.recall)} of the gold files; "
            f"{', '.join(f'{view.runs[role]} {percent(found.recall)}' for role, found in alone.items())}."
        )


def _agreement(view: View) -> Iterator[str]:
    agreement = view.metrics.agreement
    if agreement and agreement.jaccard and agreement.jaccard.value is not None:
        a, b = view.runs["run_a"], view.runs["run_b"]
        missed = "; recall leaves out what both missed (--sample-rest bounds it)"
        rest = "" if view.metrics.sampled_recall else missed
        yield f"{show.capital(a)} and {b} share {percent(agreement.jaccard)} of what they find{rest}."
        yield from (f"{show.capital(retest.verdict)}." for retest in agreement.retest.values())
