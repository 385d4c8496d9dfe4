"""What to beware of when reading learnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.codesearch.learning.against import PATTERN
from tellapart.codesearch.learning.known import Known
from tellapart.codesearch.learning.labels import Basis

ENOUGH = 6
"""Conversations with which flipped signs can show anything at the 5 % level: 2 of 2^6 ways are 3 %."""

_RELIABLE = 0.05


def notes(known: Sequence[Known], basis: Basis) -> list[str]:
    """Say it, a sentence each."""
    return [*_on_size(known), *_on_noise(known, basis), *_on_missing(known), *_on_traces(known)]


def _on_size(known: Sequence[Known]) -> Iterator[str]:
    n = len(known)
    there = "there is 1 conversation" if n == 1 else f"there are {n} conversations"
    if n < PATTERN:
        yield f"{there}, and a pattern needs {PATTERN}: nothing is proposed"
    elif n < ENOUGH:
        yield f"{there}, and with fewer than {ENOUGH} nothing can be told from chance"


def _on_noise(known: Sequence[Known], basis: Basis) -> Iterator[str]:
    if basis == "union":
        yield "nothing was judged: noise is every file that no exploration found"
        return
    open_, unique = sum(len(one.labels.open) for one in known), sum(len(one.case.our_unique) for one in known)
    if open_:
        doubt = "; what is noise cannot be relied on" if open_ > _RELIABLE * unique else ""
        yield (
            f"{open_:,} of {unique:,} files that only the system found have no verdict, and count neither as "
            f"noise nor as relevant{doubt}"
        )
    unseen = [one.id for one in known if not one.labels.noise_seen]
    if unseen:
        yield f"no file was judged in {_ids(unseen)}: shares of noise leave them out"


def _on_missing(known: Sequence[Known]) -> Iterator[str]:
    unseen = [one.id for one in known if not one.labels.missed_seen]
    if unseen:
        yield f"both explorations failed in {_ids(unseen)}: nothing is known to be missed there"
    for name in ("run_a", "run_b"):
        suspect = [one.id for one in known if getattr(one.case, name).suspect]
        if suspect:
            run = name.replace("_", " ").replace("a", "A").replace("b", "B")
            yield (
                f"{run} found nothing, without an error, in {_ids(suspect)}: what was missed is the other "
                "run's word alone"
            )


def _on_traces(known: Sequence[Known]) -> Iterator[str]:
    found = [one for one in known if one.by_file]
    without = [one.id for one in found if not one.terms]
    if without and len(without) == len(found):
        yield "no conversation has search terms, so that noise cannot be traced to any"
        return
    if without:
        yield f"noise cannot be traced to search terms in {_ids(without)}, which have none"
    by_path = [one.id for one in found if one.terms and one.trace == "path"]
    if by_path:
        yield (
            f"neither the system nor the repositories say which term led to which file in {_ids(by_path)}: "
            "files are traced by the words of their paths, and no term can be said to have led to one alone"
        )
    traced = [terms for one in found if one.trace != "path" for terms in one.by_file.values()]
    several = sum(len(terms) > 1 for terms in traced)
    if several:
        yield (
            f"{several:,} of {len(traced):,} files are traced to two terms or more, so that none of these "
            "would go with one term alone"
        )


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
