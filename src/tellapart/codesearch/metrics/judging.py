"""How the judging went, and what the verdicts say beyond relevance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tellapart.codesearch.case import Case, Verdict
from tellapart.codesearch.metrics.aggregate import Figures, as_pair
from tellapart.codesearch.metrics.conversation import JUDGE
from tellapart.core.stats import clustered_rate

MOST_FAILED = 0.05
"""Share of failed verdicts above which precision and recall are not to be relied on."""

ACTIONABLE = ("yes", "no", "maybe")

_Is: TypeAlias = Callable[[Verdict], bool]


def judging(cases: Sequence[Case]) -> Figures:
    """Count the verdicts, those on files that an exploration found as well included.

    Args:
        cases: In any order, which changes nothing.

    Returns:
        ``judged``, those with a verdict; ``relevant`` of them; ``actionable``, the judged by what the judge
        says; ``failed`` by cause; ``not_asked``, files that only we found and that were not put to the judge;
        ``share_failed`` of all that was put to it, None where nothing was; ``reliable``, whether that is at
        most ``MOST_FAILED``; the rates ``relevant_rate`` of the judged, and ``actionable_rate`` and
        ``maybe_actionable_rate`` (yes or maybe) of the relevant;
        ``relevant_bounds``, the share that is relevant if none and if each of the failed verdicts were; and
        ``unreliable_conversations``, whose own share of failed verdicts is above ``MOST_FAILED``.
    """
    put = [verdict for case in cases for verdict in asked(case)]
    judged = [verdict for verdict in put if _is_judged(verdict)]
    relevant = sum(map(_is_relevant, judged))
    failed = len(put) - len(judged)
    share = share_failed(cases)
    return {
        "judged": len(judged),
        "relevant": relevant,
        "actionable": {name: sum(verdict.actionable == name for verdict in judged) for name in ACTIONABLE},
        "failed": dict(sorted(Counter(_cause(v) for v in put if not _is_judged(v)).items())),
        "not_asked": sum(len(case.our_unique - case.verdicts.keys()) for case in cases),
        "share_failed": share,
        "reliable": None if share is None else share <= MOST_FAILED,
        "relevant_rate": _rate(cases, _is_judged, _is_relevant),
        "relevant_bounds": [relevant / len(put), (relevant + failed) / len(put)] if put else None,
        "actionable_rate": _rate(cases, _is_relevant, lambda verdict: verdict.actionable == "yes"),
        "maybe_actionable_rate": _rate(cases, _is_relevant, lambda verdict: verdict.actionable != "no"),
        "unreliable_conversations": sorted(
            case.conversation.id for case in cases if (share_failed([case]) or 0) > MOST_FAILED
        ),
    }


def asked(case: Case) -> list[Verdict]:
    """What came of each file that was put to the judge, files in ascending order."""
    return [case.verdicts[file] for file in sorted(case.verdicts)]


def share_failed(cases: Sequence[Case]) -> float | None:
    """Share of the verdicts asked for that failed, in [0, 1]; None where none was asked for."""
    put = [verdict for case in cases for verdict in asked(case)]
    return sum(not _is_judged(verdict) for verdict in put) / len(put) if put else None


def _is_judged(verdict: Verdict) -> bool:
    return verdict.relevant is not None


def _is_relevant(verdict: Verdict) -> bool:
    return verdict.relevant is True


def _cause(verdict: Verdict) -> str:
    return verdict.failure.cause if verdict.failure else JUDGE


def _rate(cases: Sequence[Case], among: _Is, has: _Is) -> Figures:
    """A rate of verdicts, with its 95 % interval, for which a conversation's stand and fall together."""
    rows = sorted(
        (case.conversation.id, has(verdict)) for case in cases for verdict in asked(case) if among(verdict)
    )
    found = clustered_rate([hit for _, hit in rows], [conversation for conversation, _ in rows])
    return {"rate": found.rate, "n": found.n, "interval": as_pair(found.interval), "reason": found.reason}
