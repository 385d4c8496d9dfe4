"""What became of a measure from one iteration to a later one, on the conversations that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tellapart.codesearch.case import Case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.aggregate import measured, never_judged
from tellapart.core.randomness import generator
from tellapart.core.stats import paired_difference, sign_flip_p

ALPHA = 0.05
"""A change with a smaller p is beyond chance."""

FEWEST = 6
"""Conversations whose signs, flipped in every way, can give a p below ``ALPHA``: 2 of 2**6 are 0.03."""

_FEW = 200

Values = Mapping[str, float | None]


@dataclass(frozen=True)
class Change:
    """A measure before and after.

    Attributes:
        before: Mean over the ``n`` conversations; None without any.
        after: The same of the later iteration.
        difference: ``after`` less ``before``: above 0 where it got better.
        low: Lower end of the 95 % interval of the difference, by Student's t; None together with ``high``.
        high: The upper end.
        p: Two-sided, of no change, by flipping the signs of single conversations; None below two.
        n: Conversations that have the measure in both.
    """

    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int

    @property
    def beyond_chance(self) -> bool | None:
        """Whether conversations differ so that chance is no explanation.

        None where that cannot be said: below ``FEWEST`` conversations no p is small enough.
        """
        return None if self.p is None or self.n < FEWEST else self.p < ALPHA

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        names = ("before", "after", "difference", "low", "high", "p", "n")
        return {name: getattr(self, name) for name in names} | {"beyond_chance": self.beyond_chance}


def change(before: Values, after: Values, *, seed: int = 42) -> Change:
    """Compare a measure on the conversations that have it in both iterations.

    Args:
        before: By conversation; None where it is undefined or missing.
        after: The same of the later iteration.
        seed: Of the signs that are flipped; from 200 conversations on Student's t is taken.
    """
    pairs = [
        (old, new)
        for name, old in sorted(before.items())
        if old is not None and (new := after.get(name)) is not None
    ]
    if not pairs:
        return Change(None, None, None, None, None, None, 0)
    scores = np.array(pairs, dtype=np.float64).T
    found = paired_difference(scores[1], scores[0])
    p = found.p_clustered
    if len(pairs) < 2:
        p = None
    elif len(pairs) < _FEW:
        rng = generator(seed, "codesearch change")
        p = float(sign_flip_p(scores, np.arange(len(pairs)), [(0, 1)], rng=rng)[0])
    return Change(
        before=float(scores[0].mean()),
        after=float(scores[1].mean()),
        difference=found.difference,
        # Shares cannot differ by more than 1, which Student's t does not know.
        low=max(-1.0, found.interval.low) if found.interval else None,
        high=min(1.0, found.interval.high) if found.interval else None,
        p=p,
        n=len(pairs),
    )


def names_of(*evaluations: Evaluation, among: Sequence[Evaluation] = ()) -> tuple[str, str]:
    """Choose the measures of some iterations: precision and recall, or those that need no verdict.

    These where one of the iterations was never judged; and where nobody judged anything at all, even if all
    files of an iteration were explored too, so that a loop without a judge has one name for it.

    Args:
        *evaluations: The iterations that are to be measured alike.
        among: Further ones whose verdicts show that there is a judge.
    """
    every = (*evaluations, *among)
    asked = any(case.verdicts for one in every for case in one.cases)
    suffix = "" if asked and not any(never_judged(one.cases) for one in evaluations) else "_union"
    return f"precision{suffix}", f"recall{suffix}"


def values_of(cases: Sequence[Case], name: str) -> dict[str, float | None]:
    """A measure of each case by conversation."""
    found = measured(cases, name)
    return {case.conversation.id: one.value for case, one in zip(cases, found, strict=True)}


def common(before: Evaluation, after: Evaluation) -> list[tuple[Case, Case]]:
    """The conversations that both iterations have, by id."""
    later = {case.conversation.id: case for case in after.cases}
    both = [(case, later[case.conversation.id]) for case in before.cases if case.conversation.id in later]
    return sorted(both, key=lambda pair: pair[0].conversation.id)


def on_one_truth(pairs: Sequence[tuple[Case, Case]], *, judged: bool, seed: int = 42) -> dict[str, Change]:
    """Compare two iterations against one ground truth: what was explored, or judged relevant, in either.

    What remains is the change of the system's own files; a changed explorer, or one that finds something else
    every time, moves both iterations alike.

    Args:
        pairs: Each conversation in both iterations.
        judged: Whether verdicts count; only where both iterations were judged, else they favour one.
        seed: See `change`.

    Returns:
        ``precision``, the share of the system's files in that ground truth, and ``recall``, the share of it
        that the system found.
    """
    shares: dict[str, tuple[dict[str, float | None], dict[str, float | None]]] = {
        "precision": ({}, {}),
        "recall": ({}, {}),
    }
    for old, new in pairs:
        truth = old.ground_truth | new.ground_truth
        if judged:
            truth |= old.our_unique_relevant | new.our_unique_relevant
        for which, case in enumerate((old, new)):
            hits = len(case.ours & truth)
            shares["precision"][which][case.conversation.id] = hits / len(case.ours) if case.ours else None
            shares["recall"][which][case.conversation.id] = hits / len(truth) if truth else None
    return {name: change(*values, seed=seed) for name, values in shares.items()}
