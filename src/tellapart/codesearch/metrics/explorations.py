"""How the explorations went, how far the two agree, and whether an explorer agrees better with itself.

An exploration that found nothing or failed says nothing about agreement, and is left out of it; the
documented calibration block keeps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tellapart.codesearch.figures import (
    Agreement,
    CalibrationBlock,
    Explorers,
    ExploringSummary,
    FilesFound,
    Retest,
    Retests,
    RunSummary,
)
from tellapart.codesearch.model import Case, Explored, sorted_cases
from tellapart.core.comparison import PairedEffect, claims, paired_effect
from tellapart.core.estimate import Estimate
from tellapart.core.seed import SEED
from tellapart.core.stats import clustered_mean, clustered_rate

ROLES = ("run_a", "run_b")
"""The two explorations of a conversation, as attributes of a case."""


def exploring(cases: Sequence[Case]) -> ExploringSummary:
    """Count what became of the explorations, by run."""
    run_a, run_b = (_of_run([(case.id, getattr(case, role)) for case in cases]) for role in ROLES)
    return ExploringSummary(run_a=run_a, run_b=run_b)


def _of_run(runs: Sequence[tuple[str, Explored]]) -> RunSummary:
    done = [run for _, run in runs if run.failure is None]
    sizes = [len(run.files) for run in done]
    return RunSummary(
        explorer=" and ".join(sorted({run.explorer for _, run in runs})),
        done=len(done),
        failed=dict(sorted(Counter(run.failure.cause for _, run in runs if run.failure).items())),
        failed_conversations=tuple(sorted(id_ for id_, run in runs if run.failure)),
        suspect=tuple(sorted(id_ for id_, run in runs if run.suspect)),
        files_found=FilesFound(total=sum(sizes), median=median(sizes) if sizes else None),
    )


KEEP = "Keep Opus-Sonnet hybrid or Opus-only"
SWITCH = "Switch to dual-Sonnet for cost efficiency"
CALIBRATING = "Keep Opus-Sonnet hybrid until calibration is complete"


@dataclass(frozen=True)
class Overlap:
    """Files of one conversation, or of several together, by which of two runs found them.

    Attributes:
        a_only: Files that only the first run found.
        b_only: Files that only the second one found.
        both: Files that both found.
    """

    a_only: int = 0
    b_only: int = 0
    both: int = 0

    def __add__(self, other: Overlap) -> Overlap:
        """Count the files of further conversations too."""
        return Overlap(self.a_only + other.a_only, self.b_only + other.b_only, self.both + other.both)

    @property
    def rate(self) -> float | None:
        """Share of the first run's files that the second found too; None where the first found nothing.

        Source:
            The source document, Calibration Data: overlap_rate = both_models / total_opus_files.
        """
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


def calibration_block(overlap: Overlap, *, threshold: float, complete: bool) -> CalibrationBlock:
    """Give the documented block.

    Source:
        The source document, Output Format and Calibration Data.
    """
    rate = overlap.rate
    enough = rate is not None and rate >= threshold
    return CalibrationBlock(
        opus_only_files=overlap.a_only,
        sonnet_only_files=overlap.b_only,
        both_models_files=overlap.both,
        overlap_rate=None if rate is None else round(rate, 3),
        recommendation=(SWITCH if complete else CALIBRATING) if enough else KEEP,
    )


MEASURES = ("overlap_of_a", "overlap_of_b", "jaccard")
"""Share of run A's files that run B found too, all conversations together; the same the other way round;
files that both found over all files, mean over conversations."""


def agreement(cases: Sequence[Case], *, seed: int = SEED) -> Agreement:
    """Measure how far run A and run B agree where both found something."""
    ordered = sorted_cases(cases)
    clean = [case for case in ordered if is_clean(case)]
    figures = overlap_figures([overlap_of(case.run_a.files, case.run_b.files) for case in clean])
    return Agreement(
        explorers=explorer_names(ordered),
        conversations=len(clean),
        left_out=len(ordered) - len(clean),
        overlap_of_a=figures["overlap_of_a"],
        overlap_of_b=figures["overlap_of_b"],
        jaccard=figures["jaccard"],
        retest=Retests(run_a=retest(ordered, "a", seed=seed), run_b=retest(ordered, "b", seed=seed)),
    )


def explorer_names(cases: Sequence[Case]) -> Explorers:
    """Who explored as ``run_a`` and as ``run_b``; several with commas between them, None without a case."""
    run_a, run_b = ({getattr(case, role).explorer for case in cases} for role in ROLES)
    return Explorers(run_a=", ".join(sorted(run_a)) or None, run_b=", ".join(sorted(run_b)) or None)


def overlap_figures(overlaps: Sequence[Overlap]) -> dict[str, Estimate]:
    """Give each of ``MEASURES``, whose ``n`` is in conversations; see `agreement`."""
    if not overlaps:
        return {name: Estimate(None, None, None, 0, "there is no such conversation") for name in MEASURES}
    both = np.array([overlap.both for overlap in overlaps], dtype=np.int64)
    figures = []
    for only in ([overlap.a_only for overlap in overlaps], [overlap.b_only for overlap in overlaps]):
        conversations = np.repeat(np.arange(len(both)), both + np.array(only, dtype=np.int64))
        shared = np.concatenate([np.arange(n + m) < n for n, m in zip(both, only, strict=True)])
        figures.append((clustered_rate(shared.astype(float), conversations), len(np.unique(conversations))))
    jaccards = [overlap.jaccard for overlap in overlaps if overlap.jaccard is not None]
    figures.append((clustered_mean(jaccards, limits=(0, 1)), len(jaccards)))
    return {
        name: Estimate(
            share.value,
            share.low,
            share.high,
            n,
            "no file was found" if share.value is None else share.reason,
        )
        for name, (share, n) in zip(MEASURES, figures, strict=True)
    }


def retest(cases: Sequence[Case], which: str, *, seed: int = SEED) -> Retest | None:
    """Measure how far an explorer agrees with itself, beside how far it agrees with the other.

    Both on the same conversations: those where run, retest and the other run all found something.
    """
    retested = [runs for case in cases if (runs := _runs(case, which))]
    if not retested:
        return None
    usable = [runs for runs in retested if has_found(*runs)]
    with_itself = [overlap_of(first.files, again.files) for first, again, _ in usable]
    with_other = [overlap_of(first.files, other.files) for first, _, other in usable]
    difference = paired_effect(
        [_defined(overlap.jaccard) for overlap in with_itself],
        [_defined(overlap.jaccard) for overlap in with_other],
        seed=seed,
    )
    own_overlap, crossed = (overlap_figures(each) for each in (with_itself, with_other))
    differs = _differs(difference)
    names = explorer_names(cases)
    explorer, other = (names.run_a, names.run_b) if which == "a" else (names.run_b, names.run_a)
    return Retest(
        explorer=explorer,
        other=other,
        conversations=len(usable),
        left_out=len(retested) - len(usable),
        itself=own_overlap,
        cross=crossed,
        difference=difference,
        differs=differs,
        verdict=_verdict(which, own_overlap["jaccard"].value, crossed["jaccard"].value, differs, len(usable)),
    )


def _runs(case: Case, which: str) -> tuple[Explored, Explored, Explored] | None:
    again = case.retest_a if which == "a" else case.retest_b
    first, other = (case.run_a, case.run_b) if which == "a" else (case.run_b, case.run_a)
    return None if again is None else (first, again, other)


def _defined(value: float | None) -> float:
    return float("nan") if value is None else value


def _differs(effect: PairedEffect) -> bool | None:
    (claim,) = claims([effect.p])
    if claim.holds is None or effect.value is None:
        return None
    if effect.value <= 0 or claim.holds:
        return effect.value > 0
    # Without an interval no outcome of so few conversations would have been beyond chance.
    return None if effect.interval is None else False


def _verdict(which: str, itself: float | None, crossed: float | None, differs: bool | None, n: int) -> str:
    run, other = ("run A", "run B") if which == "a" else ("run B", "run A")
    if itself is None or crossed is None:
        return f"{run} was retested, but on no conversation did it and {other} find files each time"
    on = f"on {n} conversation{'s' * (n != 1)}"
    agreement = f"{run} agrees with itself at {itself:.2f}, with {other} at {crossed:.2f} ({on})"
    if differs is None:
        return f"{agreement}: too few to tell them apart"
    if differs:
        return f"{agreement}: {other} differs from it by more than it differs from itself"
    return f"{agreement}: disagreement says nothing about the model"


def reach(agreement: Agreement) -> float | None:
    """Give the overlap that run A reaches with itself, above which no other explorer can be expected."""
    again = agreement.retest.run_a if agreement.retest else None
    return None if again is None else again.itself["overlap_of_a"].value
