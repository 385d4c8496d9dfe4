"""Whether an explorer judges a system that searches as it does: then their agreement is no evidence.

Their names tell, where these say how one searches. The one decision is here; score tables carry it, so that
every comparison withholds its verdict.
"""

from __future__ import annotations

from tellapart.codesearch.evaluation import SEARCHED_BY, SYSTEM, Evaluation
from tellapart.codesearch.kinds import EXPLORERS
from tellapart.codesearch.metrics.explorations import ROLES, RUNS

_WORDS = "words"
_MATCHERS = frozenset({"lexical", "ripgrep", "rg", "grep"})


def method_of(name: str) -> str:
    """How somebody of this name searches: two of the same method find the same by construction."""
    kind, _, argument = name.strip().casefold().partition(":")
    if argument and kind in EXPLORERS and EXPLORERS[kind].asks_model:
        return f"model {argument.rpartition('/')[2]}"
    return _WORDS if kind in _MATCHERS else name.strip().casefold().removesuffix(":")


def circular(evaluation: Evaluation) -> dict[str, str]:
    """What shows that an explorer searches as the system does, by ``run A (its name)``."""
    names = [str(evaluation.facts[key]) for key in (SEARCHED_BY, SYSTEM) if evaluation.facts.get(key)]
    methods = set(map(method_of, names))
    found = {}
    for role in ROLES:
        explorers = sorted({getattr(case, role).explorer for case in evaluation.cases})
        alike = methods.intersection(map(method_of, explorers))
        if alike:
            how = "match the words of the issue" if alike == {_WORDS} else "search the same way"
            run = f"{RUNS[role]} ({', '.join(explorers)})"
            found[run] = f"both {how}, so they agree by construction"
    return found


def withheld_because(evaluation: Evaluation, system: str) -> str:
    """Why no verdict on a system can rest on these explorers, as a clause; empty where one can."""
    because = "; ".join(f"{run}: {how}" for run, how in circular(evaluation).items())
    return because and f"{system} is judged by its own kind, {because}; compare by gold files"


def warnings_of(evaluation: Evaluation) -> list[str]:
    """Warn of explorers that search as the system does, a sentence each."""
    return [
        f"The system and {run} are of one kind: {how}. It is judged by itself; precision and recall say "
        "little."
        for run, how in circular(evaluation).items()
    ]
