"""How the original method chooses distractors: four tiers, and its first repair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from tellapart.contrastive.selection.candidates import Candidates, DistractorSet, InsufficientDistractors
from tellapart.contrastive.selection.signatures import ParameterNames
from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator


@dataclass(frozen=True, slots=True)
class OriginalMethod:
    """Four tiers, one after the other, until the set is full, all of the target's language.

    Up to three of the same file, up to three with similar signatures, then by similarity within a band, then
    at random. Source: "Contrastive Evaluation Analysis", "Distractor Selection Algorithm" and recommendation
    1.2.
    """

    name: str
    count: int
    band: tuple[float, float]
    inclusive: bool


BASELINE = OriginalMethod("baseline", 4, (0.50, 0.95), inclusive=False)
PHASE1 = OriginalMethod("phase1", 9, (0.75, 0.98), inclusive=True)

_PER_TIER = 3
_SIMILAR = 0.7


def choose_by_original_method(
    candidates: Candidates, targets: Sequence[int], method: OriginalMethod, *, seed: int
) -> Iterator[DistractorSet | InsufficientDistractors]:
    """Choose as the original method does, but leave out false negatives, as everywhere."""
    parameters = ParameterNames(candidates.units)
    for target in targets:
        rng = generator(seed, method.name, candidates.units[target].id)
        yield _fill(candidates, parameters, target, method, rng)


def _fill(
    candidates: Candidates,
    parameters: ParameterNames,
    target: int,
    method: OriginalMethod,
    rng: np.random.Generator,
) -> DistractorSet | InsufficientDistractors:
    pool, similarity = candidates.free(target, rng.permutation(candidates.pool(target, same_type=False)))
    # Rows of ``pool``, which lies in random order: the order of all tiers but the semantic one.
    tiers: tuple[tuple[str, int, I64], ...] = (
        ("same_file", _PER_TIER, np.flatnonzero(candidates.is_in_file(target, pool))),
        ("signature", _PER_TIER, np.flatnonzero(parameters.similarities(target)[pool] > _SIMILAR)),
        ("semantic", method.count, _in_band(similarity, method)),
        ("random", method.count, np.arange(len(pool))),
    )
    taken: dict[int, str] = {}
    for strategy, most, offered in tiers:
        room = min(most, method.count - len(taken))
        taken.update(
            dict.fromkeys(islice((row for row in offered.tolist() if row not in taken), room), strategy)
        )
    if len(taken) < method.count:
        return InsufficientDistractors(target, method.name, method.count, len(taken))
    rows = list(taken)
    similarities = tuple(round(value, 9) for value in similarity[rows].tolist())
    return DistractorSet(target, method.name, tuple(pool[rows].tolist()), tuple(taken.values()), similarities)


def _in_band(similarity: F64, method: OriginalMethod) -> I64:
    """Rows whose similarity lies in the band, nearest first."""
    low, high = method.band
    above = (similarity >= low) if method.inclusive else (similarity > low)
    inside = np.flatnonzero(above & (similarity < high))
    return inside[np.argsort(-similarity[inside], kind="stable")]
