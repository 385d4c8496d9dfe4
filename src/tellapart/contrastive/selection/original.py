"""How the original method chooses distractors: four tiers, and its first repair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.distractors import DistractorSet, InsufficientDistractors
from tellapart.contrastive.selection.signatures import original_signature_similarity
from tellapart.core.arrays import I64
from tellapart.core.randomness import generator


@dataclass(frozen=True, slots=True)
class OriginalMethod:
    """Four tiers, one after the other, until the set is full.

    Up to three of the same file, up to three with similar signatures (above .7, parameters counted), then by
    similarity, nearest first, within a band, then at random; all of the target's language.

    Attributes:
        name: ``baseline`` or ``phase1``.
        count: Distractors of an item.
        band: The similarity lies above the first and below the second (from the first on, in phase 1).
        inclusive: Whether the lower end of the band belongs to it.

    Source:
        "Contrastive Evaluation Analysis", section "Distractor Selection Algorithm" and recommendation 1.2.
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
) -> tuple[list[DistractorSet], list[InsufficientDistractors]]:
    """Choose distractors as the original method does.

    False negatives are left out as everywhere; in the original they were not, which could only make
    the questions harder by making them wrong.

    Args:
        candidates: The units; similarity is their selector's.
        targets: Positions; each has a summary.
        method: ``BASELINE`` or ``PHASE1``.
        seed: The benchmark's seed.

    Returns:
        As ``choose_distractors``, the level being the method's name.
    """
    results = [
        _fill(candidates, target, method, generator(seed, method.name, candidates.units[target].id))
        for target in targets
    ]
    return (
        [item for item in results if isinstance(item, DistractorSet)],
        [item for item in results if isinstance(item, InsufficientDistractors)],
    )


def _fill(
    candidates: Candidates, target: int, method: OriginalMethod, rng: np.random.Generator
) -> DistractorSet | InsufficientDistractors:
    free = candidates.free(target, rng.permutation(candidates.pool(target, same_type=False)))
    pool, similarity = np.array(list(free), dtype=np.int64), np.array(list(free.values()))
    tiers: tuple[tuple[str, int, Callable[[], Iterable[int]]], ...] = (
        ("same_file", _PER_TIER, lambda: _same_file(candidates, target, pool)),
        ("signature", _PER_TIER, lambda: _similar_signatures(candidates, target, pool)),
        ("semantic", method.count, lambda: _in_band(pool, similarity, method)),
        ("random", method.count, lambda: pool.tolist()),
    )
    taken: dict[int, str] = {}
    for strategy, most, offered in tiers:
        room = min(most, method.count - len(taken))
        taken.update(dict.fromkeys(islice((i for i in offered() if i not in taken), room), strategy))
    if len(taken) < method.count:
        return InsufficientDistractors(target, method.name, method.count, len(taken))
    similarities = tuple(round(free[i], 9) for i in taken)
    return DistractorSet(target, method.name, tuple(taken), tuple(taken.values()), similarities)


def _same_file(candidates: Candidates, target: int, pool: I64) -> Iterator[int]:
    path = candidates.units[target].path
    return (i for i in pool.tolist() if candidates.units[i].path == path)


def _similar_signatures(candidates: Candidates, target: int, pool: I64) -> Iterator[int]:
    unit = candidates.units[target]
    return (i for i in pool.tolist() if original_signature_similarity(unit, candidates.units[i]) > _SIMILAR)


def _in_band(pool: I64, similarity: np.ndarray, method: OriginalMethod) -> list[int]:
    low, high = method.band
    inside = ((similarity >= low) if method.inclusive else (similarity > low)) & (similarity < high)
    return pool[inside][np.argsort(-similarity[inside], kind="stable")].tolist()  # type: ignore[no-any-return]
