"""Which measure to take where a file holds several, by whatever name it has there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tellapart.audit.reading.log_scores import Choices
from tellapart.errors import InputError, near_match

DEFAULT = "nDCG@10"
"""Taken where nobody says which."""

_PREFERRED = ("ndcg@10", "ndcg", "ap", "rr")

_SAME = {
    "map": "ap",
    "mrr": "rr",
    "recip_rank": "rr",
    "recall": "r",
    "precision": "p",
    "hit_rate": "success",
    "accuracy": "success",
}

_NAME = re.compile(
    r"(ndcg(_cut)?|map(_cut)?|ap|m?rr|recip_rank|recall(_cap)?|r|p|precision|success|hit_rate|accuracy|bpref"
    r"|rprec|judged|set_\w+|iprec\w*|infap|gm_\w+|num_\w+|err|rbp|f1)([@_.](at_)?[0-9.]+)?(\(.*\)(@[0-9]+)?)?",
    re.IGNORECASE,
)


def looks_like_measure(name: str) -> bool:
    """Say whether a name is one that retrieval measures have, in any of the common spellings."""
    return _NAME.fullmatch(name) is not None


def canonical(name: str) -> str:
    """Give spellings of one measure the same name: ``ndcg_cut_10``, ``nDCG@10`` and ``ndcg_at_10``."""
    found = re.fullmatch(r"(.*?)(?:_cut)?(?:[@._](?:at_)?([0-9]+))?", name.casefold())
    stem, cutoff = (found[1], found[2]) if found else (name.casefold(), None)
    stem = _SAME.get(stem, stem)
    return f"{stem}@{cutoff}" if cutoff else stem


def choose_measure(names: Iterable[str], choices: Choices, path: Path) -> tuple[str, tuple[str, ...]]:
    """Choose one of the measures that a file holds.

    Args:
        names: The measures, at least one.
        choices: ``measure``, or ``metric``, is taken under any spelling; else nDCG@10, nDCG, AP or RR, in
            this order, else the first in the alphabet.
        path: The file, for messages.

    Returns:
        The name in the file, and a note where the choice was ours.

    Raises:
        InputError: The file does not hold the measure asked for.
    """
    known = sorted(names)
    by_name = {canonical(name): name for name in reversed(known)}
    wanted = choices.measure or choices.metric
    if wanted is not None:
        if wanted in known:
            return wanted, ()
        if canonical(wanted) not in by_name:
            raise InputError(
                f"there is no measure {wanted!r}", where=path, next_step=near_match(wanted, known)
            )
        return by_name[canonical(wanted)], ()
    chosen = next((by_name[name] for name in _PREFERRED if name in by_name), known[0])
    if len(known) == 1:
        return chosen, ()
    others = ", ".join(name for name in known if name != chosen)
    return chosen, (f"{path.name}: the scores are {chosen}; --measure takes one of the others: {others}.",)
