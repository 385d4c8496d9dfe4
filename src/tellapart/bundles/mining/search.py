"""The loops that fill pools: exact nearest neighbours under conditions, each content once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.compiled import compiled
from tellapart.embed.vector_pairs import vector_pair


class Space(NamedTuple):
    """Events as the loops see them: numbers of events, and groups as members and offsets.

    Attributes:
        documents: Shape (texts, d).
        text_of: Shape (events,).
        content_of: Shape (events,).
        sense_of: Shape (events,).
        lemma_of: Shape (events,), -1 without one.
        sense_offsets: Shape (senses + 1,).
        lemma_offsets: Shape (lemmas + 1,).
        family_of: Shape (senses,), see ``Families``.
        family_offsets: Shape (families + 1,).
    """

    documents: F32
    text_of: I64
    content_of: I64
    sense_of: I64
    lemma_of: I64
    sense_members: I64
    sense_offsets: I64
    lemma_members: I64
    lemma_offsets: I64
    family_of: I64
    family_members: I64
    family_offsets: I64


class _Scratch(NamedTuple):
    """Marks and lists that are used again for each anchor; a mark is the anchor's position."""

    taken: I64
    used: I64
    exact: F64
    shortlist: I64


class _Anchor(NamedTuple):
    """One anchor: its mark, its vector, its coarse similarity to each text, and how far these can be off."""

    mark: int
    row: F32
    coarse: F32
    slack: float
    code: int


@compiled()
def search_pools(
    space: Space,
    anchors: I64,
    rows: F32,
    coarse: F32,
    slack: float,
    code: int,
    sizes: tuple[int, int, int],
    pools: NDArray[np.int32],
    parts: NDArray[np.int8],
    counts: I64,
) -> None:
    """Fill the pools of some anchors; see ``PoolSearch``.

    Args:
        parts: The same shape, filled with positions in ``PARTS``.
    """
    n = len(space.text_of)
    taken, used = np.full(n, -1, np.int64), np.full(len(space.sense_offsets), -1, np.int64)
    scratch = _Scratch(taken, used, np.empty(n), np.empty(n, np.int64))
    everything = np.arange(n)
    for i in range(len(anchors)):
        # Marks are the anchor's position, so that nothing must be cleared between anchors.
        anchor = _Anchor(i, rows[i], coarse[i], slack, code)
        sense, lemma = space.sense_of[anchors[i]], space.lemma_of[anchors[i]]
        for event in _members(space.sense_members, space.sense_offsets, sense):
            scratch.taken[space.content_of[event]] = i
        within = everything[:0]
        if lemma >= 0:
            within = _members(space.lemma_members, space.lemma_offsets, lemma)
        first = _add_nearest(space, scratch, anchor, within, -1, pools[i, : sizes[0]])
        second = _add_siblings(space, scratch, anchor, sense, pools[i, first : first + sizes[1]])
        start = first + second
        third = _add_nearest(space, scratch, anchor, everything, lemma, pools[i, start : start + sizes[2]])
        parts[i, first:start], parts[i, start : start + third] = 1, 2
        counts[i] = start + third


@compiled()
def _add_nearest(
    space: Space, scratch: _Scratch, anchor: _Anchor, among: I64, avoided: int, pool: NDArray[np.int32]
) -> int:
    """Put the nearest events that are not of lemma ``avoided`` (if it is 0 or more), as many as fit."""
    length = _shortlist(space, scratch, anchor, among, avoided, len(pool))
    for j in range(length):
        scratch.exact[j] = vector_pair(
            anchor.row, space.documents[space.text_of[scratch.shortlist[j]]], anchor.code
        )
    for count in range(len(pool)):
        best = -1
        for j in range(length):
            event = scratch.shortlist[j]
            if scratch.taken[space.content_of[event]] == anchor.mark:
                continue
            # Ascending events are ascending ids: the first of equally near ones stays.
            if best < 0 or scratch.exact[j] > scratch.exact[best]:
                best = j
        if best < 0:
            return count
        pool[count] = scratch.shortlist[best]
        scratch.taken[space.content_of[pool[count]]] = anchor.mark
    return len(pool)


# Two passes: single precision finds how near the last of the wanted ones is at least, and what lies within
# its error of that is listed. Exact similarities are then needed of a handful of events only.
@compiled()
def _shortlist(
    space: Space, scratch: _Scratch, anchor: _Anchor, among: I64, avoided: int, wanted: int
) -> int:
    """List the events that can be among the ``wanted`` nearest of distinct content; returns how many."""
    if not wanted:
        return 0
    best, contents = np.full(wanted, -np.inf), np.full(wanted, -1, np.int64)
    for event in among:
        score = anchor.coarse[space.text_of[event]]
        if score > best[wanted - 1] and _eligible(space, scratch, anchor, event, avoided):
            _insert(best, contents, score, space.content_of[event])
    # With fewer contents than wanted, the last is still -inf and everything is listed.
    cut, length = best[wanted - 1] - anchor.slack, 0
    for event in among:
        near = anchor.coarse[space.text_of[event]] >= cut
        if near and _eligible(space, scratch, anchor, event, avoided):
            scratch.shortlist[length] = event
            length += 1
    return length


@compiled()
def _eligible(space: Space, scratch: _Scratch, anchor: _Anchor, event: int, avoided: int) -> bool:
    if avoided >= 0 and space.lemma_of[event] == avoided:
        return False
    return bool(scratch.taken[space.content_of[event]] != anchor.mark)


@compiled()
def _insert(best: F64, contents: I64, score: float, content: int) -> None:
    """Keep the highest score of each content, the highest of all first; ``score`` is above the last."""
    slot = 0
    while slot < len(best) - 1 and contents[slot] != content:
        slot += 1
    if contents[slot] == content and best[slot] >= score:
        return
    while slot > 0 and best[slot - 1] < score:
        best[slot], contents[slot] = best[slot - 1], contents[slot - 1]
        slot -= 1
    best[slot], contents[slot] = score, content


@compiled()
def _add_siblings(
    space: Space, scratch: _Scratch, anchor: _Anchor, sense: int, pool: NDArray[np.int32]
) -> int:
    """Put the nearest event of each of the nearest sibling senses, as many as fit."""
    siblings = _members(space.family_members, space.family_offsets, space.family_of[sense])
    for count in range(len(pool)):
        cut = _highest(space, scratch, anchor, siblings) - anchor.slack
        best, best_exact = -1, -np.inf
        for sibling in siblings:
            if scratch.used[sibling] == anchor.mark:
                continue
            for event in _members(space.sense_members, space.sense_offsets, sibling):
                text = space.text_of[event]
                if anchor.coarse[text] < cut or scratch.taken[space.content_of[event]] == anchor.mark:
                    continue
                exact = vector_pair(anchor.row, space.documents[text], anchor.code)
                if exact > best_exact or (exact == best_exact and event < best):
                    best, best_exact = event, exact
        if best < 0:
            return count
        pool[count] = best
        scratch.taken[space.content_of[best]] = anchor.mark
        scratch.used[space.sense_of[best]] = anchor.mark
    return len(pool)


@compiled()
def _highest(space: Space, scratch: _Scratch, anchor: _Anchor, siblings: I64) -> float:
    """The highest coarse similarity of an event that siblings can still give."""
    highest = -np.inf
    for sibling in siblings:
        if scratch.used[sibling] != anchor.mark:
            for event in _members(space.sense_members, space.sense_offsets, sibling):
                score = anchor.coarse[space.text_of[event]]
                if score > highest and scratch.taken[space.content_of[event]] != anchor.mark:
                    highest = score
    return highest


@compiled()
def _members(members: I64, offsets: I64, group: int) -> I64:
    return members[offsets[group] : offsets[group + 1]]
