"""Whether an explorer judges a system that searches as it does: then their agreement is no evidence.

Two things tell: what both are called, where the name says how one searches; and what they find. The one
decision is here; score tables carry it, so that every comparison withholds its verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tellapart.codesearch.evaluation import SEARCHED_BY, SYSTEM, Evaluation
from tellapart.codesearch.metrics.explorations import ROLES, overlap_of
from tellapart.codesearch.model import Case
from tellapart.core.comparison import paired_effect
from tellapart.report.numbers import whole_percent

RUNS = {"run_a": "run A", "run_b": "run B"}

FAR = 0.2
"""Of Jaccard's index: by so much more, beyond chance, a system shares with one explorer than it does with the
other, and than the two share, before it counts as searching like the one."""

MOST = 0.5
"""Of Jaccard's index: so much a system shares at least with an explorer that it searches like."""

FEWEST = 5
"""Conversations below which what is found says nothing; a name still does."""

_WORDS = "words"
_MATCHERS = frozenset({"lexical", "ripgrep", "rg", "grep"})
_ASK_MODELS = frozenset({"agent", "claude-code"})


@dataclass(frozen=True)
class Circular:
    """An explorer that searches as the system does.

    Attributes:
        role: ``run_a`` or ``run_b``.
        how: What shows it: a clause after the two.
    """

    role: str
    explorer: str
    how: str


def method_of(name: str) -> str:
    """How somebody of this name searches: two of the same method find the same by construction."""
    kind, _, argument = name.strip().casefold().partition(":")
    if kind in _ASK_MODELS and argument:
        return f"model {argument.rpartition('/')[2]}"
    return _WORDS if kind in _MATCHERS else name.strip().casefold().removesuffix(":")


def circular(evaluation: Evaluation) -> tuple[Circular, ...]:
    """Name the explorers that search as the system does, which therefore cannot judge it."""
    facts = evaluation.facts
    names = [str(facts[key]) for key in (SEARCHED_BY, SYSTEM) if facts.get(key)]
    return tuple(_circular(tuple(evaluation.cases), tuple(names)))


def _circular(cases: Sequence[Case], names: Sequence[str]) -> Iterator[Circular]:
    methods = {method_of(name) for name in names}
    for role, other in zip(ROLES, reversed(ROLES), strict=True):
        explorers = sorted({getattr(case, role).explorer for case in cases})
        explorer = ", ".join(explorers)
        done = [case for case in cases if getattr(case, role).failure is None]
        alike = next((name for name in explorers if method_of(name) in methods), None)
        if alike is not None:
            how = "match the words of the issue" if method_of(alike) == _WORDS else "search the same way"
            yield Circular(role, explorer, f"both {how}, so they agree by construction")
        elif _same_files(done, role, other):
            yield Circular(role, explorer, f"both found the same files in all {len(done)} conversations")
        elif shares := _shares(cases, role, other):
            own_share, crossed = map(whole_percent, shares)
            yield Circular(
                role,
                explorer,
                f"they share {own_share} of what they find, and {RUNS[other]} shares {crossed} with it",
            )


def _same_files(done: Sequence[Case], role: str, other: str) -> bool:
    """Whether system and explorer found just the same, and the other explorer something else."""
    files = [(case.ours, {*getattr(case, role).files}, {*getattr(case, other).files}) for case in done]
    same = any(ours for ours, _, _ in files) and all(ours == this for ours, this, _ in files)
    return same and any(this != that for _, this, that in files)


def _shares(cases: Sequence[Case], role: str, other: str) -> tuple[float, float] | None:
    """What system and explorer share, and the explorers with one another, where the former is far more."""
    rows = []
    for case in cases:
        this, that = getattr(case, role), getattr(case, other)
        if this.failure is None and that.failure is None and case.ours and this.files and that.files:
            pairs = ((case.ours, this.files), (case.ours, that.files), (this.files, that.files))
            rows.append(tuple(overlap_of(a, b).jaccard or 0.0 for a, b in pairs))
    if len(rows) < FEWEST:
        return None
    own_shares, others, crossed = (list(column) for column in zip(*rows, strict=True))
    mean = sum(own_shares) / len(own_shares)
    if mean < MOST or any(mean - sum(rest) / len(rest) <= FAR for rest in (others, crossed)):
        return None
    for rest in (others, crossed):
        low = paired_effect(own_shares, rest).low
        if low is None or low <= 0:
            return None
    return mean, sum(crossed) / len(crossed)


def withheld_because(suspects: Sequence[Circular], system: str, roles: Sequence[str]) -> str:
    """Why no verdict on a system can rest on these explorers, as a clause; empty where one can."""
    concerned = [suspect for suspect in suspects if suspect.role in roles]
    if not concerned:
        return ""
    because = [f"{RUNS[suspect.role]} ({suspect.explorer}): {suspect.how}" for suspect in concerned]
    free = [role for role in ROLES if role not in {suspect.role for suspect in suspects}]
    instead = f"--measure f1_{free[0]} rests on {RUNS[free[0]]} alone" if free else "compare by gold files"
    return f"{system} is judged by its own kind, {'; '.join(because)}; {instead}"


def warnings_of(evaluation: Evaluation) -> list[str]:
    """Warn of explorers that search as the system does, a sentence each."""
    return [
        f"The system and {RUNS[suspect.role]} ({suspect.explorer}) are of one kind: {suspect.how}. It is "
        "judged by itself; precision and recall say little."
        for suspect in circular(evaluation)
    ]
