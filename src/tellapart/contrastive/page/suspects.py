"""What the report says about distractors that may be second right answers."""

from __future__ import annotations

from tellapart.contrastive.suspects import ChangedVerdict, Suspect, SuspectEffect
from tellapart.core.comparison import Verdict
from tellapart.report import numbers as show
from tellapart.report.comparison import VERDICTS
from tellapart.report.tables import Cell, Table, table

MOST_CHANGES, MOST_SUSPECTS = 3, 30
"""Verdicts that change which are put into words, and suspects in the table; the others are in the JSON."""


def suspect_lines(effect: SuspectEffect) -> list[str]:
    """Say how many items of a run have a suspect, and which verdicts change without these items."""
    if not effect.items:
        return ["No item has a distractor that looks like a second right answer."]
    have = "has" if effect.items == 1 else "have"
    noise = (
        f"{show.count(effect.items)} of {show.count(effect.of)} items ({show.percent(effect.share)}) {have} "
        "a distractor that may be a second right answer; '--exclude FILE' leaves items out."
    )
    if effect.changed is None:
        return [noise]
    if not effect.changed:
        return [f"{noise} Without these items no verdict changes."]
    shown = [
        f"on {pair.a} and {pair.b} from '{_verdict(pair, pair.verdict)}' to '{_verdict(pair, pair.without)}'"
        for pair in effect.changed[:MOST_CHANGES]
    ]
    left = len(effect.changed) - len(shown)
    more = f", and {show.plural(left, 'more verdict')}" if left > 0 else ""
    return [f"{noise} Without these items the verdict changes {show.listed(shown)}{more}."]


def suspect_table(effect: SuspectEffect) -> Table | None:
    """List the most likely second right answers with both summaries; None without any."""
    if not effect.suspects:
        return None
    shown = effect.suspects[:MOST_SUSPECTS]
    left = len(effect.suspects) - len(shown)
    more = f" {show.plural(left, 'more suspect')} in the JSON." if left else ""
    return table(
        "suspects",
        "Distractors that may be second right answers, the most likely first",
        ["Target", "Distractor", "Why", "Items", "Score"],
        [_row(suspect) for suspect in shown],
        note="The score, from 0 to 1, orders the list and is no probability. An item's id is its level, a "
        f"slash and the target.{more}",
        words=3,
    )


def _row(suspect: Suspect) -> list[Cell | str]:
    levels = ", ".join(item.partition("/")[0] for item in suspect.items)
    return [
        Cell(suspect.target, suspect.summary),
        Cell(suspect.distractor, suspect.distractor_summary),
        "; ".join(suspect.reasons),
        levels,
        show.decimal(suspect.score, 2),
    ]


def _verdict(pair: ChangedVerdict, verdict: Verdict) -> str:
    ahead = {Verdict.A_BETTER: pair.a, Verdict.B_BETTER: pair.b}.get(verdict)
    return f"{ahead} is better" if ahead else VERDICTS[verdict]
