"""System, explorers and judge beside the files that issues are known to be about."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.figures import GoldSummary, RankedAgainstGold, SetAgainstGold
from tellapart.codesearch.page.cells import bounds, estimate, to
from tellapart.codesearch.page.view import View
from tellapart.core.estimate import Estimate
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table

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

EITHER_RUN = "either run"


def headline(gold: GoldSummary) -> str | None:
    """The figures of the order, or without one the recall of all files; None where there are neither."""
    figures = [("recall@10", gold.recall_at["10"]), ("Acc@5", gold.acc_at["5"])]
    if figures[0][1].value is None:
        figures = [("recall", gold.system_against_gold.recall)]
    shown = [
        f"{name}\N{NO-BREAK SPACE}{show.decimal(figure.value, 2)}"
        for name, figure in figures
        if figure.value is not None
    ]
    of = show.plural(gold.conversations, "conversation")
    return f"{show.capital(show.listed(shown))} against {gold.form}, over {of}" if shown else None


def sentences(view: View) -> Iterator[str]:
    """Say how well we do against gold, and how far gold bears out the explorations."""
    gold = view.evaluation.gold
    if gold is None:
        return
    without = [
        f"{CAUSES.get(cause, cause)} ({show.count(count)})"
        for cause, count in sorted(gold.missing.items(), key=lambda item: -item[1])
    ]
    figures = {"recall@10": gold.recall_at["10"], "Acc@5": gold.acc_at["5"], "MRR": gold.mrr}
    shown = [_with_interval(name, figure) for name, figure in figures.items() if figure.value is not None]
    if shown:
        yield f"Against gold ({gold.form}): {show.listed(shown)}."
    if without:
        of = show.plural(len(view.cases) + gold.missing.get("search", 0), "conversation")
        lacking = show.count(sum(gold.missing.values()))
        yield f"{lacking} of {of} have no figure against gold: {show.listed(without)}."
    explorers = gold.explorers_against_gold
    if explorers.union.recall.value is not None:
        share = _percent(explorers.union.recall)
        alone = [
            f"{view.runs[role]} {_percent(scores.recall)}"
            for role, scores in (("run_a", explorers.run_a), ("run_b", explorers.run_b))
        ]
        yield (
            f"The two runs together, which are the ground truth, find {share} of the gold files; {alone[0]}, "
            f"{alone[1]}."
        )


def tables(view: View, gold: GoldSummary) -> list[Table]:
    """The order of our files, who finds gold, and what counts as gold."""
    shown = [_sources(view, gold), _judged(gold), _counted(gold)]
    return [_ranked(gold), *(shown_table for shown_table in shown if shown_table is not None)]


def brief(view: View, gold: GoldSummary) -> list[Table]:
    """The same without what counts, for a terminal."""
    return [_ranked(gold), _sources(view, gold)]


def _ranked(gold: GoldSummary) -> Table:
    lines: list[list[Cell | str]] = []
    for (name, stored), figure in zip(_NAMES.items(), _figures(gold), strict=True):
        ends = gold.bounds.get(stored)
        lines.append(
            [
                name,
                estimate(figure[1]),
                bounds(ends) if ends else Cell(show.DASH),
                show.count(figure[1].n),
            ]
        )
    return table(
        "gold",
        f"What we found against gold: {gold.form} (95 % intervals)",
        ["Measure", "Files", "Bounds of files", "Conversations"],
        lines,
        note="Acc@k: all gold files are among the first k. recall@k: share of the gold files among the first "
        "k. MRR: one over the place of the first gold file. Bounds: whatever failed searches, and gold "
        "files that are not in the tree, would have.",
    )


_NAMES = {
    **{f"Acc@{k}": f"gold_acc_at_{k}" for k in (1, 5, 10)},
    **{f"recall@{k}": f"gold_recall_at_{k}" for k in (5, 10, 20)},
    "MRR": "gold_mrr",
    "nDCG@10": "gold_ndcg_at_10",
}
"""Measures in words, and the names of their score tables."""


def _figures(ranked: RankedAgainstGold) -> list[tuple[str, Estimate]]:
    shares = {f"Acc@{k}": figure for k, figure in ranked.acc_at.items()}
    shares |= {f"recall@{k}": figure for k, figure in ranked.recall_at.items()}
    both = shares | {"MRR": ranked.mrr, "nDCG@10": ranked.ndcg}
    return [(name, both[name]) for name in _NAMES]


def _found(view: View, gold: GoldSummary) -> dict[str, SetAgainstGold]:
    explorers = gold.explorers_against_gold
    return {
        "we": gold.system_against_gold,
        view.runs["run_a"]: explorers.run_a,
        view.runs["run_b"]: explorers.run_b,
        EITHER_RUN: explorers.union,
    }


def _sources(view: View, gold: GoldSummary) -> Table:
    lines: list[list[Cell | str]] = [
        [name, *map(estimate, (scores.recall, scores.precision, scores.f1)), show.count(scores.recall.n)]
        for name, scores in _found(view, gold).items()
    ]
    return table(
        "gold-sources",
        "Who finds the gold files (95 % intervals)",
        ["Who", "Recall", "Precision", "F1", "Conversations"],
        lines,
        note="Of all files that somebody found, whatever their order. What either run finds is the "
        "ground truth of this report: its recall says how far that can be trusted. A fix seldom touches all "
        "that is relevant, so precision against gold is a lower bound.",
    )


def _judged(gold: GoldSummary) -> Table | None:
    judge = gold.judge_against_gold
    if judge is None:
        return None
    shares = {
        "gold files that the judge calls relevant": judge.recall,
        "files it calls relevant that are gold": judge.precision,
        "verdicts that agree with gold": judge.agreement,
    }
    lines: list[list[Cell | str]] = [
        [name, estimate(share), show.count(share.n)] for name, share in shares.items()
    ]
    return table(
        "gold-judge",
        "The judge against gold, on the files that only we found (95 % intervals)",
        ["", "Share", "Files"],
        lines,
    )


def _counted(gold: GoldSummary) -> Table:
    files = {"gold files that count": gold.files, "not in the searched tree": gold.absent}
    files |= {f"left out: {RULES.get(rule, rule)}": count for rule, count in gold.left_out.items()}
    conversations = {"conversations with a score": gold.conversations}
    conversations |= {
        f"conversations without one: {CAUSES.get(cause, cause)}": n for cause, n in gold.missing.items()
    }
    lines: list[list[Cell | str]] = [
        [name, show.count(count)] for name, count in (files | conversations).items()
    ]
    return table("gold-counted", "What counts as gold", ["", "n"], lines)


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
