"""Distractors: where they came from, how long they are, and which may be right as well."""

from __future__ import annotations

from tellapart.contrastive.page.view import View
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.report import numbers as show
from tellapart.report.document import Section
from tellapart.report.tables import Cell, Table, table

MOST_SUSPECTS = 30
"""So many suspects are in the table; the others are in the JSON."""

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
        "'tellapart contrastive bias' measures what that costs a model."
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
    """What may be a second right answer, with both summaries; None without any."""
    if not view.suspects:
        return None
    held = {item for suspect in view.suspects for item in suspect.items}
    of = view.benchmark.sets.height
    left = len(view.suspects) - MOST_SUSPECTS
    more = f" {show.plural(left, 'more suspect')} in the JSON." if left > 0 else ""
    rows: list[list[Cell | str]] = [
        [
            Cell(suspect.target, suspect.summary),
            Cell(suspect.distractor, suspect.distractor_summary),
            ", ".join(item.partition("/")[0] for item in suspect.items),
        ]
        for suspect in view.suspects[:MOST_SUSPECTS]
    ]
    shown = table(
        "suspects",
        "Distractors whose summary has every word of the target's",
        ["Target", "Distractor", "Levels"],
        rows,
        note=f"An item's id is its level, a slash and the target.{more}",
        words=3,
    )
    text = (
        f"{show.count(len(held))} of {show.count(of)} items ({show.percent(len(held) / of)}) have a "
        "distractor that may be a second right answer; '--exclude FILE' leaves items out."
    )
    return Section("suspects", "Second right answers", text, tables=(shown,))
