"""Sibling senses: those that share a lemma."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tellapart.bundles.mining.events import Events, Groups
from tellapart.embed.protocol import I64


@dataclass(frozen=True)
class Families:
    """Senses with the same lemmas have the same siblings, which are kept once.

    Attributes:
        family_of: Shape (senses,).
        senses: Senses by family, those that share a lemma with it; a sense is in its own family's, unless it
            has no lemma, where the family is empty.
    """

    family_of: I64
    senses: Groups


def sibling_senses(events: Events) -> Families:
    """Find for each sense those that share a lemma with it, through any event of either."""
    senses_of = [np.unique(events.sense_of[events.by_lemma.of(lemma)]) for lemma in range(len(events.lemmas))]
    families: dict[tuple[int, ...], int] = {}
    family_of = []
    for sense in range(len(events.senses)):
        lemmas = np.unique(events.lemma_of[events.by_sense.of(sense)])
        family_of.append(families.setdefault(tuple(lemmas[lemmas >= 0].tolist()), len(families)))
    none = np.empty(0, dtype=np.int64)
    found = [
        np.unique(np.concatenate([none, *(senses_of[lemma] for lemma in lemmas)])) for lemmas in families
    ]
    offsets = np.cumsum([0, *map(len, found)]).astype(np.int64)
    return Families(np.array(family_of, dtype=np.int64), Groups(np.concatenate([none, *found]), offsets))
