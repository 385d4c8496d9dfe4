"""How far evidence is, of many probes at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Asked, Conversation, Subject

_FINDINGS, _CASES = 20, 12
"""Up to so many probes in so many cases, each has a line of its own."""

K = TypeVar("K")
_Probe = tuple[Conversation, Asked, int]


def together(findings: Sequence[Finding], subject: Subject) -> list[Finding]:
    """Put the information on the distance of many probes together, for people.

    Args:
        findings: As ``lint_subject`` found them.
        subject: What was linted.

    Returns:
        The same; of more than 20 probes or 12 cases with a distance, one finding a length that was meant, or
        one a case where that is fewer, in place of the first of them. Shortest first.
    """
    single = [one for one in findings if one.check == "distance"]
    if len(single) <= _FINDINGS and len({one.case for one in single}) <= _CASES:
        return list(findings)
    probes = [
        (conversation, asked, asked.evidence.distance_tokens)
        for conversation in subject.conversations
        for asked in conversation.asked
        if asked.evidence.nearest is not None
        and asked.evidence.distance_tokens is not None
        and asked.evidence.depth is not None
    ]
    at = findings.index(single[0])
    rest = [one for one in findings if one.check != "distance"]
    return [*rest[:at], *_fewest(probes), *rest[at:]]


def _fewest(probes: Sequence[_Probe]) -> list[Finding]:
    by_length, by_case = _grouped(probes, _meant), _grouped(probes, lambda one: one[0].name)
    if len(by_case) < len(by_length):
        return [Finding("info", "distance", name, None, _said(group, "")) for name, group in by_case.items()]
    return [
        Finding("info", "distance", None, None, _said(group, f" meant at {meant:,} tokens" if meant else ""))
        for meant, group in sorted(by_length.items())
    ]


def _grouped(probes: Sequence[_Probe], key: Callable[[_Probe], K]) -> dict[K, list[_Probe]]:
    found: dict[K, list[_Probe]] = {}
    for one in probes:
        found.setdefault(key(one), []).append(one)
    return found


def _meant(one: _Probe) -> int:
    """The length that was meant; 0 where nobody says."""
    conversation, asked, _ = one
    own = asked.expected.intended_tokens if asked.expected else None
    return own or conversation.intended_tokens or 0


def _said(group: Sequence[_Probe], which: str) -> str:
    far = [tokens for _, _, tokens in group]
    probes = f"{len(group)} probe{'' if len(group) == 1 else 's'}"
    return (
        f"{probes}{which}: evidence ~{min(far):,} to ~{max(far):,} tokens before the question (median "
        f"~{round(median(far)):,}); --json has each"
    )
