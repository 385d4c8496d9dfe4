"""How many relevant files there are, how many of them are known, and how many we found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tellapart.codesearch.page.cells import UNKNOWN, ends_of, number, span
from tellapart.codesearch.page.conversations import Conversation
from tellapart.codesearch.page.record import View
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

NO_ESTIMATE = "two explorations that share files are needed"


@dataclass(frozen=True)
class Found:
    """Relevant files of ours, in the conversations that have an estimate.

    Attributes:
        known: Those that a run found too.
        alone: Those that only we found, by the judge's word.
        unjudged: Files that only we found and that have no verdict; they may be relevant.
    """

    known: int
    alone: int
    unjudged: int

    @property
    def all(self) -> int:
        """All that are known to be relevant."""
        return self.known + self.alone


def found(view: View) -> Found:
    """Count our relevant files in the conversations that the estimate rests on."""
    used = [one for one in view.conversations if _is_used(one)]
    return Found(
        sum(len(_relevant(one, one.union) & one.ours) for one in used),
        sum(one.counts["relevant"] for one in used),
        sum(one.counts["open"] for one in used),
    )


def estimates(view: View) -> Table:
    """The estimate with its interval, coverage and recall given it."""
    told = view.block("completeness")
    left = told["left_out"]
    counts = [told[name] for name in ("run_a_files", "run_b_files", "both_files", "known_files")]
    words = ("run A", "run B", "both", "known: either")
    rows: list[list[Cell | str]] = [
        [f"relevant files, {word}", show.count(n)] for word, n in zip(words, counts, strict=True)
    ]
    rows += [
        ["relevant files, estimate", files(told["estimate"])],
        ["known, of the estimate", number(told["coverage"]["value"], NO_ESTIMATE, _ends(told["coverage"]))],
        ["recall, given the estimate", _recall(told["recall"])],
        ["the same from pooled counts", files(told["pooled"]["estimate"])],
        ["pooled, without runs that found nothing", files(told["pooled_clean"]["estimate"])],
        ["conversations", Cell(show.count(told["conversations"]), _left_out(left))],
    ]
    return table(
        "completeness",
        "Relevant files, known and unknown (95 % intervals)",
        ["", "files"],
        rows,
        note="Chapman's estimate from two explorations, summed over conversations. It holds where each finds "
        "files independently of the other; explorations that miss the same files make it too small.",
    )


def third_source(view: View) -> Table | None:
    """Hold the estimate against what our search found; None where no verdict allows that."""
    told = view.block("completeness").get("third_source")
    if not told or not told["conversations"]:
        return None
    expected, reading = told["expected_unique"], told["missed_more"]
    low, high = told["seen_unique_bounds"]
    seen = show.count(told["seen_unique"])
    words = {
        True: "more than estimated: explorations share a blind spot, or the judge calls too much relevant",
        False: "no sign that the explorations miss more than estimated",
        None: "cannot be said",
    }
    rows: list[list[Cell | str]] = [
        ["our relevant files", show.count(told["our_relevant_files"])],
        ["of them expected to be unknown", undefined(UNKNOWN) if expected is None else f"{expected:.0f}"],
        ["of them unknown to both runs", seen if low == high else f"{show.count(low)}–{show.count(high)}"],
        ["reading", words[reading]],
    ]
    title = "What only we found, against the estimate"
    return table("third", title, ["", "found"], rows, words=2)


def files(figure: Mapping[str, Any]) -> Cell:
    """An estimated number of files with its interval, which may have no end."""
    if figure["value"] is None:
        return undefined(figure["reason"] or NO_ESTIMATE)
    low, high = figure["low"], figure["high"]
    if low is None:
        interval = "no interval"
    elif high is None:
        interval = f"≥{show.count(round(low))}"
    else:
        interval = f"{show.count(round(low))}–{show.count(round(high))}"
    return Cell(show.count(round(figure["value"])), interval)


def _recall(figure: Mapping[str, Any]) -> Cell:
    open_ = f"[{span(figure['bounds'])}] by missing verdicts" if figure["without_verdict"] else ""
    return number(figure["value"], "verdicts are missing", "; ".join(filter(None, [_ends(figure), open_])))


def _ends(figure: Mapping[str, Any]) -> str:
    ends = ends_of(figure)
    return span(ends) if ends else ""


def _left_out(left: Mapping[str, int]) -> str:
    words = {"run_failed": "a run failed", "run_found_nothing": "a run found nothing"}
    said = [f"{n} left out: {words.get(why, why)}" for why, n in left.items() if n]
    return "; ".join(said)


def _is_used(one: Conversation) -> bool:
    if one.run_a.error is not None or one.run_b.error is not None:
        return False
    return bool(_relevant(one, one.in_a)) and bool(_relevant(one, one.in_b))


def _relevant(one: Conversation, files: frozenset[str]) -> frozenset[str]:
    """Files of a run count as relevant unless a judge ruled on them too and says otherwise."""
    said = ((file, one.verdicts.get(file)) for file in files)
    return frozenset(file for file, verdict in said if not verdict or verdict.failed or verdict.relevant)
