"""How far the evidence of each probe is from its question, and whether it stands there more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import TypeVar

from tellapart.core.severity import Severity
from tellapart.longcontext.lint.findings import finding, plain
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.probe import Probe
from tellapart.longcontext.results import Finding
from tellapart.longcontext.token_ranges import least_of
from tellapart.longcontext.transcript import REPEAT
from tellapart.report import numbers as show

_PASTED = 10
"""A copy counts as pasted next to the question where the original is as many times farther away."""


def distance(inputs: LintInputs) -> Iterator[Finding]:
    """Information: the nearest evidence of each probe, beside the length of the context."""
    for conversation in inputs.conversations:
        for probe in conversation.probes:
            evidence = probe.evidence
            if evidence.nearest is None or evidence.distance_tokens is None or evidence.depth is None:
                continue
            message = (
                f"evidence in {_called(evidence.nearest)}, ~{evidence.distance_tokens:,} tokens before the "
                f"question; context {_context(conversation, probe)}, depth {100 * evidence.depth:.0f} %"
                f"{conversation.which}"
            )
            yield Finding("info", "distance", conversation.name, probe.step.id, message)


def repeats(inputs: LintInputs) -> Iterator[Finding]:
    """Evidence that stands in several messages; an error where it was pasted again next to the question."""
    for conversation in inputs.conversations:
        steps = {step.id: step for step in conversation.played.steps}
        for probe in conversation.probes:
            shown = probe.evidence.shown_in
            near, first = probe.evidence.distance_tokens, probe.evidence.first_distance_tokens
            if len(shown) < 2 or near is None or first is None:
                continue
            copy = steps.get(shown[-1])
            repeated = copy is not None and (copy.is_repeat or copy.user_message.startswith(REPEAT.strip()))
            yield finding(
                _severity(repeated, near, first),
                "repeats",
                conversation.name,
                probe.step.id,
                "the evidence stands in {messages} messages ({span}): the nearest is ~{nearest_tokens} "
                f"tokens before the question, the first ~{{first_tokens}}{plain(conversation.which)}. "
                "Read the result at {nearest_tokens} tokens, whatever the context"
                f"{'' if repeated else '; to test the distance, show it once'}",
                messages=len(shown),
                span=f"{shown[0]} … {shown[-1]}",
                nearest_tokens=near,
                first_tokens=first,
            )


def _severity(repeated: bool, near: int, first: int) -> Severity:
    return "error" if not repeated and near * _PASTED < first else "warning"


def _called(id_: str) -> str:
    return "the system prompt" if id_ == "system" else id_


def _context(conversation: LintedConversation, probe: Probe) -> str:
    measured = probe.step.prompt_tokens is not None
    return f"{'' if measured else '~'}{probe.context_tokens:,}"


_FINDINGS, _CASES = 20, 12
"""Up to so many probes in so many cases, each has a line of its own."""

K = TypeVar("K")
_Probe = tuple[LintedConversation, Probe, int]


def together(findings: Sequence[Finding], inputs: LintInputs) -> list[Finding]:
    """Put the information on the distance of many probes together, for people."""
    single = [finding for finding in findings if finding.check == "distance"]
    if len(single) <= _FINDINGS and len({finding.case for finding in single}) <= _CASES:
        return list(findings)
    probes = [
        (conversation, probe, probe.evidence.distance_tokens)
        for conversation in inputs.conversations
        for probe in conversation.probes
        if probe.evidence.nearest is not None
        and probe.evidence.distance_tokens is not None
        and probe.evidence.depth is not None
    ]
    at = findings.index(single[0])
    others = [finding for finding in findings if finding.check != "distance"]
    return [*others[:at], *_fewest(probes), *others[at:]]


def _fewest(probes: Sequence[_Probe]) -> list[Finding]:
    by_length, by_case = _grouped(probes, _meant), _grouped(probes, lambda probe: probe[0].name)
    if len(by_case) < len(by_length):
        return [
            Finding("info", "distance", name, None, _spread(group, "")) for name, group in by_case.items()
        ]
    return [
        Finding(
            "info",
            "distance",
            None,
            None,
            _spread(group, f" meant at {meant:,} tokens" if meant else ""),
        )
        for meant, group in sorted(by_length.items())
    ]


def _grouped(probes: Sequence[_Probe], key: Callable[[_Probe], K]) -> dict[K, list[_Probe]]:
    groups: dict[K, list[_Probe]] = {}
    for probe in probes:
        groups.setdefault(key(probe), []).append(probe)
    return groups


def _meant(linted: _Probe) -> int:
    """The length that was meant; 0 where it is not stated."""
    conversation, probe, _ = linted
    intended = probe.expected.intended_tokens if probe.expected else None
    return least_of(intended or conversation.intended_tokens or 0)


def _spread(group: Sequence[_Probe], which: str) -> str:
    far = [tokens for _, _, tokens in group]
    probes = show.plural(len(group), "probe")
    return (
        f"{probes}{which}: evidence ~{min(far):,} to ~{max(far):,} tokens before the question (median "
        f"~{round(median(far)):,}); --json has each"
    )
