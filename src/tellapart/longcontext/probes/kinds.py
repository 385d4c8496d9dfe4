"""All kinds of probes, found by themselves, and which of them a probe is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache

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


def kind_of(failure_mode: str | None, expected: Expected | None = None) -> ProbeKind:
    """The kind of a probe with a failure mode, and with it how it is graded.

    What its author says decides; then its failure mode, where that names a kind; then what is given: a word
    that is banned, entries without a plain answer, early or late data without one.
    """
    kinds = all_kinds()
    if expected is not None and expected.rule is not None:
        return kinds[expected.rule]
    mode = (failure_mode or (expected.failure_mode if expected else None) or "").lower()
    named = next((kind for kind in kinds.values() if kind.failure_mode and kind.failure_mode in mode), None)
    if named is not None:
        return named
    if expected is not None:
        given = next((kind for kind in kinds.values() if kind.is_given(expected, mode)), None)
        if given is not None:
            return given
    return kinds[DEFAULT]


def needs_of(kind: ProbeKind, question: str, expected: Expected) -> Needs:
    """Say what to look for: texts that the author names as evidence, else what the kind of probe needs.

    Without an answer there is only what the question refers to.
    """
    if expected.evidence:
        return Needs(tuple(Part(text, texts=(text,)) for text in expected.evidence))
    return _needs(kind, question, expected)


@lru_cache(maxsize=4096)
def _needs(kind: ProbeKind, question: str, expected: Expected) -> Needs:
    return kind.needs(question, expected)


def answer_parts(kind: ProbeKind, question: str, expected: Expected) -> tuple[Part, ...]:
    """What a reply must state to give the answer away, whatever is named as evidence.

    None of a rule on words or a question of early and late, which have no answer to give away.
    """
    return _needs(kind, question, replace(expected, evidence=())).parts if kind.one_answer else ()
