"""How the explorations went, how far the two agree, and whether an explorer agrees better with itself.

An exploration that found nothing or failed says nothing about agreement, and is left out of it; the
documented calibration block keeps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from tellapart.codesearch.evaluation import SEARCHED_BY, SYSTEM, Evaluation
from tellapart.codesearch.figures import (
    Agreement,
    Explorers,
    ExploringSummary,
    Retest,
    RunSummary,
)
from tellapart.codesearch.kinds import EXPLORERS
from tellapart.codesearch.metrics.measures import mean_over, share_of
from tellapart.codesearch.model import Case, Explored, sorted_cases
from tellapart.core.estimate import Estimate

ROLES = ("run_a", "run_b")  # The two explorations of a conversation, as attributes of a case

RUNS = {"run_a": "run A", "run_b": "run B"}  # What people call them


def exploring(cases: Sequence[Case]) -> ExploringSummary:
    """Count what became of the explorations, by run."""
    run_a, run_b = (_of_run([(case.id, getattr(case, role)) for case in cases]) for role in ROLES)
    return ExploringSummary(run_a=run_a, run_b=run_b)


def _of_run(runs: Sequence[tuple[str, Explored]]) -> RunSummary:
    return RunSummary(
        explorer=" and ".join(sorted({run.explorer for _, run in runs})),
        done=sum(run.failure is None for _, run in runs),
        failed=dict(sorted(Counter(run.failure.cause for _, run in runs if run.failure).items())),
        failed_conversations=tuple(sorted(id_ for id_, run in runs if run.failure)),
        suspect=tuple(sorted(id_ for id_, run in runs if run.suspect)),
        files=sum(len(run.files) for _, run in runs if run.failure is None),
    )


@dataclass(frozen=True)
class Overlap:
    """Files by which of two runs found them; clean where neither run is suspect or failed."""

    a_only: Annotated[int, Field(ge=0)] = 0
    b_only: Annotated[int, Field(ge=0)] = 0
    both: Annotated[int, Field(ge=0)] = 0
    clean: bool = True

    def __add__(self, other: Overlap) -> Overlap:
        """Count the files of further conversations too."""
        return Overlap(self.a_only + other.a_only, self.b_only + other.b_only, self.both + other.both)

    @property
    def rate(self) -> float | None:
        """Share of the first run's files that the second found too, as documented; None without any."""
        of_first = self.both + self.a_only
        return self.both / of_first if of_first else None

    @property
    def jaccard(self) -> float | None:
        """Share of all files that both found; None where neither found any."""
        union = self.both + self.a_only + self.b_only
        return self.both / union if union else None


def overlap_of(first: Collection[str], second: Collection[str]) -> Overlap:
    """Count the files of two runs; a file that a run names twice counts once."""
    a, b = set(first), set(second)
    return Overlap(len(a - b), len(b - a), len(a & b))


def total(overlaps: Collection[Overlap]) -> Overlap:
    """Count the files of all conversations together."""
    return sum(overlaps, Overlap())


def has_found(*runs: Explored) -> bool:
    """Whether each run came to its end and found a file, so that its agreement can be spoken of."""
    return all(run.files and run.failure is None for run in runs)


def is_clean(case: Case) -> bool:
    """Whether neither exploration is suspect or failed."""
    return has_found(case.run_a, case.run_b)


def agreement(cases: Sequence[Case]) -> Agreement:
    """Measure how far run A and run B agree where both found something."""
    ordered = sorted_cases(cases)
    overlaps = [overlap_of(case.run_a.files, case.run_b.files) for case in ordered if is_clean(case)]
    return Agreement(
        conversations=len(overlaps),
        left_out=len(ordered) - len(overlaps),
        overlap_of_a=found_again(overlaps),
        jaccard=mean_jaccard(overlaps),
        retest={role: again for role in ROLES if (again := retest(ordered, role))},
    )


def explorer_names(cases: Sequence[Case]) -> Explorers:
    """Who explored as ``run_a`` and as ``run_b``; several with commas between them, None without a case."""
    run_a, run_b = ({getattr(case, role).explorer for case in cases} for role in ROLES)
    return Explorers(run_a=", ".join(sorted(run_a)) or None, run_b=", ".join(sorted(run_b)) or None)


def found_again(overlaps: Sequence[Overlap]) -> Estimate:
    """Share of the first runs' files that the second ones found too; ``n`` is in conversations."""
    hits = [
        (f"{place:09}", place_in < each.both)
        for place, each in enumerate(overlaps)
        for place_in in range(each.both + each.a_only)
    ]
    return replace(share_of(hits), n=len({conversation for conversation, _ in hits}))


def mean_jaccard(overlaps: Sequence[Overlap]) -> Estimate:
    """Files that both runs found over all files, mean over conversations."""
    return mean_over([each.jaccard for each in overlaps if each.jaccard is not None])


def retest(cases: Sequence[Case], role: str) -> Retest | None:
    """Measure how far an explorer agrees with itself, beside how far it agrees with the other."""
    other_role = "run_b" if role == "run_a" else "run_a"
    retested = [
        (getattr(case, role), again, getattr(case, other_role))
        for case in cases
        if (again := case.retest_a if role == "run_a" else case.retest_b) is not None
    ]
    if not retested:
        return None
    usable = [runs for runs in retested if has_found(*runs)]
    with_itself = [overlap_of(first.files, again.files) for first, again, _ in usable]
    with_other = [overlap_of(first.files, other.files) for first, _, other in usable]
    itself, cross = mean_jaccard(with_itself), mean_jaccard(with_other)
    return Retest(
        conversations=len(usable),
        left_out=len(retested) - len(usable),
        itself=itself,
        cross=cross,
        again=found_again(with_itself),
        verdict=_verdict(RUNS[role], RUNS[other_role], itself, cross),
    )


def _verdict(run: str, other: str, itself: Estimate, cross: Estimate) -> str:
    if itself.value is None or cross.value is None:
        return f"{run} was retested, but on no conversation did it and {other} find files each time"
    return (
        f"{run} agrees with itself at {itself.value:.2f}, with {other} at {cross.value:.2f} "
        f"(on {itself.n} conversation{'s' * (itself.n != 1)})"
    )


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
    for role, other in zip(ROLES, reversed(ROLES), strict=True):
        explorers = sorted({getattr(case, role).explorer for case in evaluation.cases})
        done = [case for case in evaluation.cases if getattr(case, role).failure is None]
        run = f"{RUNS[role]} ({', '.join(explorers)})"
        alike = methods.intersection(map(method_of, explorers))
        if alike:
            how = "match the words of the issue" if alike == {_WORDS} else "search the same way"
            found[run] = f"both {how}, so they agree by construction"
        elif _same_files(done, role, other):
            found[run] = f"both found the same files in all {len(done)} conversations"
    return found


def _same_files(done: Sequence[Case], role: str, other: str) -> bool:
    """Whether system and explorer found just the same, and the other explorer something else."""
    files = [(case.ours, {*getattr(case, role).files}, {*getattr(case, other).files}) for case in done]
    return (
        len(files) > 1
        and any(ours for ours, _, _ in files)
        and all(ours == this for ours, this, _ in files)
        and any(this != that for _, this, that in files)
    )


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
