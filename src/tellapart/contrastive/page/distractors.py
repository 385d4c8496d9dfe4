"""Distractors: where they came from, how long they are, and which may be right as well."""

from __future__ import annotations

from tellapart.contrastive.page.view import View
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.contrastive.suspects import ChangedVerdict, Suspect, SuspectEffect
from tellapart.core.comparison import Verdict
from tellapart.report import numbers as show
from tellapart.report.comparison import VERDICTS
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table

MOST_CHANGES, MOST_SUSPECTS = 3, 30
"""Verdicts that change which are put into words, and suspects in the table; the others are in the JSON."""

_PARTS_OF_FUSION = ("bm25", "lsa")


def section(view: View) -> Section:
    """Strategies and lengths."""
    return Section("distractors", "Distractors", tables=(_strategies(view),), in_terminal=True)


def selection_lines(view: View) -> list[str]:
    """Say which models had a part in choosing the options that the verdict is about."""
    selector = view.header.selector
    fusion, _, fourth = selector.partition("+")
    parts = (*_PARTS_OF_FUSION, fourth) if fusion == FUSION else (selector,)
    chose = [model for model in view.models if view.matchers[model] in parts]
    if not chose or view.level == POOL.name:
        return []
    had = "has" if len(chose) == 1 else "have"
    return [
        f"{show.listed(chose)} {had} a part in the selector {selector}, which chose the distractors; "
        "'tellapart contrastive bias' measures what that costs them."
    ]


def _strategies(view: View) -> Table:
    """Where the distractors of each level came from, and their lengths beside the target's."""
    rows: list[list[Cell | str]] = []
    for level in view.levels:
        counts, lengths = view.report.strategies[level], view.report.lengths[level]
        rows.append([level, "targets", "", f"{lengths['target']:,.0f}"])
        rows += [
            [level, name, show.rate(count / sum(counts.values())), f"{lengths[name]:,.0f}"]
            for name, count in counts.items()
        ]
    return table(
        "distractors",
        "Distractors by strategy",
        ["Level", "Strategy", "Of the level's, %", "Median characters"],
        rows,
        words=2,
        note="Longer code has more of any summary's words: distractors should be about as long as targets.",
    )


def suspects_section(view: View) -> Section | None:
    """The most likely second right answers with both summaries; None without any."""
    suspects = view.suspect_effect.suspects
    if not suspects:
        return None
    left = len(suspects) - MOST_SUSPECTS
    more = f" {show.plural(left, 'more suspect')} in the JSON." if left > 0 else ""
    shown = table(
        "suspects",
        "Distractors whose summary has every word of the target's",
        ["Target", "Distractor", "Items", "All models took it"],
        [_suspect(suspect) for suspect in suspects[:MOST_SUSPECTS]],
        note=f"An item's id is its level, a slash and the target.{more}",
        words=3,
    )
    text = " ".join(suspect_lines(view.suspect_effect))
    return Section("suspects", "Second right answers", text, tables=(shown,))


def suspect_lines(effect: SuspectEffect) -> list[str]:
    """Say how many items of a run have a suspect, and which verdicts change without these items."""
    if not effect.items:
        return ["No item has a distractor that looks like a second right answer."]
    have = "has" if effect.items == 1 else "have"
    line = (
        f"{show.count(effect.items)} of {show.count(effect.of)} items ({show.percent(effect.share)}) {have} "
        "a distractor that may be a second right answer; '--exclude FILE' leaves items out."
    )
    if effect.changed is None:
        return [line]
    if not effect.changed:
        return [f"{line} Without these items no verdict changes."]
    shown = [
        f"on {pair.a} and {pair.b} from '{_verdict(pair, pair.verdict)}' to '{_verdict(pair, pair.without)}'"
        for pair in effect.changed[:MOST_CHANGES]
    ]
    left = len(effect.changed) - len(shown)
    more = f", and {show.plural(left, 'more verdict')}" if left > 0 else ""
    return [f"{line} Without these items the verdict changes {show.listed(shown)}{more}."]


def _suspect(suspect: Suspect) -> list[Cell | str]:
    levels = ", ".join(item.partition("/")[0] for item in suspect.items)
    return [
        Cell(suspect.target, suspect.summary),
        Cell(suspect.distractor, suspect.distractor_summary),
        levels,
        show.plural(suspect.agreed, "time"),
    ]


def _verdict(pair: ChangedVerdict, verdict: Verdict) -> str:
    ahead = {Verdict.A_BETTER: pair.a, Verdict.B_BETTER: pair.b}.get(verdict)
    return f"{ahead} is better" if ahead else VERDICTS[verdict]
