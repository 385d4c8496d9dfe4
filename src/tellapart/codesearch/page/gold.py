"""System, explorers and judge beside the files that issues are known to be about."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.figures import GoldSummary
from tellapart.codesearch.page.tables import Rows, estimate, to
from tellapart.codesearch.page.view import ROLES, View
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.tables import Table, table

CAUSES = {
    "no_gold": "nobody gives gold",
    "not_in_tree": "no gold file is in the searched tree",
    "left_out": "all gold files are left out as tests, new files or the like",
    "search": "the search failed",
}
"""Why a conversation has no score, in words."""

RULES = {
    "test": "tests",
    "lock": "lock files",
    "added": "added by the fix",
    "outside": "outside the approved directory",
    "unusable": "no usable path",
}
"""Why a gold file does not count, in words."""


def headline(gold: GoldSummary) -> str | None:
    """The figures of the order, or without one the recall of all files; None where there are neither."""
    figures = {"recall@10": gold.recall_at["10"], "Acc@5": gold.acc_at["5"]}
    if gold.recall_at["10"].value is None:
        figures = {"recall": gold.system_against_gold.recall}
    shown = [
        f"{name}\N{NO-BREAK SPACE}{show.decimal(figure.value, 2)}"
        for name, figure in figures.items()
        if figure.value is not None
    ]
    of = show.plural(gold.conversations, "conversation")
    return f"{show.capital(show.listed(shown))} against {gold.form}, over {of}" if shown else None


def sentences(view: View) -> Iterator[str]:
    """Say how well we do against gold, and how far gold bears out the explorations."""
    gold = view.evaluation.gold
    if gold is None:
        return
    figures = {"recall@10": gold.recall_at["10"], "Acc@5": gold.acc_at["5"], "MRR": gold.mrr}
    shown = [_with_interval(name, figure) for name, figure in figures.items() if figure.value is not None]
    if shown:
        yield f"Against gold ({gold.form}): {show.listed(shown)}."
    if gold.missing:
        of = show.plural(len(view.cases) + gold.missing.get("search", 0), "conversation")
        most_first = sorted(gold.missing.items(), key=lambda item: -item[1])
        without = [f"{CAUSES.get(cause, cause)} ({show.count(count)})" for cause, count in most_first]
        lacking = show.count(sum(gold.missing.values()))
        yield f"{lacking} of {of} have no figure against gold: {show.listed(without)}."
    explorers = gold.explorers_against_gold
    if explorers["union"].recall.value is not None:
        alone = [f"{view.runs[role]} {_percent(explorers[role].recall)}" for role in ROLES]
        yield (
            "The two runs together, which are the ground truth, find "
            f"{_percent(explorers['union'].recall)} of the gold files; {', '.join(alone)}."
        )


def tables(view: View, gold: GoldSummary) -> list[Table]:
    """The order of our files, who finds gold, the judge on gold, and what counts as gold."""
    judged = [_judged(gold)] if gold.judge_against_gold else []
    return [*brief(view, gold), *judged, _counted(gold)]


def brief(view: View, gold: GoldSummary) -> list[Table]:
    """The order of our files and who finds gold, for a terminal."""
    measures = {f"Acc@{k}": figure for k, figure in gold.acc_at.items()}
    measures |= {f"recall@{k}": figure for k, figure in gold.recall_at.items()}
    measures |= {"MRR": gold.mrr, "nDCG@10": gold.ndcg}
    measures |= {"lines in a hunk": gold.lines} if gold.lines else {}
    ranked: Rows = [[name, estimate(figure), show.count(figure.n)] for name, figure in measures.items()]
    found = {view.runs[role]: gold.explorers_against_gold[role] for role in ROLES}
    found = {"we": gold.system_against_gold, **found, "either run": gold.explorers_against_gold["union"]}
    sources: Rows = [
        [name, *map(estimate, (scores.recall, scores.precision, scores.f1)), show.count(scores.recall.n)]
        for name, scores in found.items()
    ]
    return [
        table(
            "gold",
            f"What we found against gold: {gold.form} (95 % intervals)",
            ["Measure", "Files", "Conversations"],
            ranked,
            note="Acc@k: all gold files are among the first k. recall@k: share of the gold files among the "
            "first k. MRR: one over the place of the first gold file. Lines in a hunk: share of the lines "
            "that we named.",
        ),
        table(
            "gold-sources",
            "Who finds the gold files (95 % intervals)",
            ["Who", "Recall", "Precision", "F1", "Conversations"],
            sources,
            note="Of all files that somebody found, whatever their order. What either run finds is the "
            "ground truth of this report: its recall says how far that can be trusted. A fix seldom touches "
            "all that is relevant, so precision against gold is a lower bound.",
        ),
    ]


def _judged(gold: GoldSummary) -> Table:
    judge = gold.judge_against_gold
    assert judge is not None
    shares = {
        "gold files that the judge calls relevant": judge.recall,
        "files it calls relevant that are gold": judge.precision,
        "verdicts that agree with gold": judge.agreement,
    }
    return table(
        "gold-judge",
        "The judge against gold, on the files that only we found (95 % intervals)",
        ["", "Share", "Files"],
        [[name, estimate(share), show.count(share.n)] for name, share in shares.items()],
    )


def _counted(gold: GoldSummary) -> Table:
    counts = {"gold files that count": gold.files, "not in the searched tree": gold.absent}
    counts |= {f"left out: {RULES.get(rule, rule)}": count for rule, count in gold.left_out.items()}
    counts |= {"conversations with a score": gold.conversations}
    counts |= {
        f"conversations without one: {CAUSES.get(cause, cause)}": n for cause, n in gold.missing.items()
    }
    rows = [[name, show.count(count)] for name, count in counts.items()]
    return table("gold-counted", "What counts as gold", ["", "n"], rows)


def _with_interval(name: str, figure: Estimate) -> str:
    ends = figure.interval
    interval = f"95 % interval {to(ends)}" if ends else "no interval"
    return f"{name} {show.decimal(figure.value or 0.0)} ({interval})"


def _percent(figure: Estimate) -> str:
    if figure.value is None:
        return show.DASH
    ends = figure.interval
    interval = f" (95 % interval {show.between(ends, show.whole_percent)})" if ends else ""
    return show.whole_percent(figure.value) + interval
