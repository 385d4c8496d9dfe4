"""Whether an explorer judges a system that searches as it does: then their agreement is no evidence.

Their names tell, where these say how one searches, and so does finding the same files everywhere. The one
decision is here; score tables carry it, so that every comparison withholds its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.codesearch.evaluation import SEARCHED_BY, SYSTEM, Evaluation
from tellapart.codesearch.metrics.explorations import ROLES
from tellapart.codesearch.model import Case

RUNS = {"run_a": "run A", "run_b": "run B"}

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
    names = [str(evaluation.facts[key]) for key in (SEARCHED_BY, SYSTEM) if evaluation.facts.get(key)]
    methods = set(map(method_of, names))
    suspects = []
    for role, other in zip(ROLES, reversed(ROLES), strict=True):
        explorers = sorted({getattr(case, role).explorer for case in evaluation.cases})
        done = [case for case in evaluation.cases if getattr(case, role).failure is None]
        alike = next((name for name in explorers if method_of(name) in methods), None)
        if alike is not None:
            how = "match the words of the issue" if method_of(alike) == _WORDS else "search the same way"
            suspects.append(
                Circular(role, ", ".join(explorers), f"both {how}, so they agree by construction")
            )
        elif _same_files(done, role, other):
            how = f"both found the same files in all {len(done)} conversations"
            suspects.append(Circular(role, ", ".join(explorers), how))
    return tuple(suspects)


def _same_files(done: Sequence[Case], role: str, other: str) -> bool:
    """Whether system and explorer found just the same, and the other explorer something else."""
    files = [(case.ours, {*getattr(case, role).files}, {*getattr(case, other).files}) for case in done]
    same = any(ours for ours, _, _ in files) and all(ours == this for ours, this, _ in files)
    return same and any(this != that for _, this, that in files)


def withheld_because(suspects: Sequence[Circular], system: str) -> str:
    """Why no verdict on a system can rest on these explorers, as a clause; empty where one can."""
    if not suspects:
        return ""
    because = [f"{RUNS[suspect.role]} ({suspect.explorer}): {suspect.how}" for suspect in suspects]
    return f"{system} is judged by its own kind, {'; '.join(because)}; compare by gold files"


def warnings_of(evaluation: Evaluation) -> list[str]:
    """Warn of explorers that search as the system does, a sentence each."""
    return [
        f"The system and {RUNS[suspect.role]} ({suspect.explorer}) are of one kind: {suspect.how}. It is "
        "judged by itself; precision and recall say little."
        for suspect in circular(evaluation)
    ]
