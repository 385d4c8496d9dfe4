"""All kinds of probes, found by themselves, and which of them a probe is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Protocol

from tellapart.core.discovery import described_in
from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes.kind import ProbeKind
from tellapart.longcontext.probes.needs import Needs, Part

DEFAULT = "facts"
"""The kind of a probe that nothing makes one of another kind."""


@cache
def all_kinds() -> Mapping[str, ProbeKind]:
    """Return every kind that a module of this package describes, by name; a new module is all it takes."""
    kinds: list[ProbeKind] = described_in(__name__.rpartition(".")[0], "KIND")
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.precedence)}


class Probe(Protocol):
    """A step that is graded, as it is written or as it was played."""

    @property
    def id(self) -> str:
        """Of the step."""

    @property
    def failure_mode(self) -> str | None:
        """What it looks for; None where nobody says."""


def kind_of(probe: Probe, expected: Expected | None = None) -> ProbeKind:
    """The kind of a probe, and with it how it is graded.

    What its author says decides; then its failure mode, where that names a kind; then what is given: a word
    that is banned, entries without a plain answer, early or late data without one.
    """
    kinds = all_kinds()
    if expected is not None and expected.rule is not None:
        return kinds[expected.rule]
    mode = (probe.failure_mode or (expected.failure_mode if expected else None) or "").lower()
    named = next((kind for kind in kinds.values() if kind.failure_mode and kind.failure_mode in mode), None)
    if named is not None:
        return named
    if expected is not None:
        given = next((kind for kind in kinds.values() if kind.is_given(expected, mode)), None)
        if given is not None:
            return given
    return kinds[DEFAULT]


def needs_of(probe: Probe, question: str, expected: Expected | None) -> Needs:
    """Say what to look for: texts that the author names as evidence, else what the kind of probe needs.

    Without an answer there is only what the question refers to.
    """
    if expected and expected.evidence:
        return Needs(tuple(Part(text, texts=(text,)) for text in expected.evidence))
    return _needs(kind_of(probe, expected), question, expected or Expected(probe.id))


@lru_cache(maxsize=4096)
def _needs(kind: ProbeKind, question: str, expected: Expected) -> Needs:
    return kind.needs(question, expected)


def answer_parts(probe: Probe, question: str, expected: Expected | None) -> tuple[Part, ...]:
    """What a reply must state to give the answer away, whatever is named as evidence.

    None of a rule on words or a question of early and late, which have no answer to give away.
    """
    if expected is None or not kind_of(probe, expected).one_answer:
        return ()
    return needs_of(probe, question, replace(expected, evidence=())).parts
