"""Which of several metrics of a log is read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.errors import InputError, near_match, option

DEFAULT = "nDCG@10"
"""Taken where none is requested."""

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

# Names as trec_eval, ir_measures, pytrec_eval and MTEB write them, with a cutoff and parameters after them.
_NAME = re.compile(
    r"(ndcg(_cut)?|map(_cut)?|ap|m?rr|recip_rank|recall(_cap)?|r|p|precision|success|hit_rate|accuracy|bpref"
    r"|rprec|judged|set_\w+|iprec\w*|infap|gm_\w+|num_\w+|err|rbp|f1)([@_.](at_)?[0-9.]+)?(\(.*\)(@[0-9]+)?)?",
    re.IGNORECASE,
)


def looks_like_measure(name: str) -> bool:
    """Check whether a name is that of a retrieval measure, in any of the common spellings."""
    return _NAME.fullmatch(name) is not None


def canonical(name: str) -> str:
    """Give spellings of one measure the same name: ``ndcg_cut_10``, ``nDCG@10`` and ``ndcg_at_10``."""
    parts = re.fullmatch(r"(.*?)(?:_cut)?(?:[@._](?:at_)?([0-9]+))?", name.casefold())
    stem, cutoff = (parts[1], parts[2]) if parts else (name.casefold(), None)
    stem = _SAME.get(stem, stem)
    return f"{stem}@{cutoff}" if cutoff else stem


def choose_metric(
    names: Sequence[str],
    requested: str | None,
    where: object,
    *,
    default: str | None = None,
    are_measures: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """Choose a metric, a measure of rankings in any spelling; the note says which others there are."""
    if are_measures:
        names = sorted(names)
        # Reversed, so that of two spellings of one measure the first in the alphabet stays.
        by_name = {canonical(name): name for name in reversed(names)}
        default = next((by_name[name] for name in _PREFERRED if name in by_name), None)
        if requested is not None and requested not in names:
            requested = by_name.get(canonical(requested), requested)
    chosen = names[0] if default is None else default
    others = [name for name in names if name != chosen]
    if requested is not None:
        parts = {name: (name, name.rpartition(".")[2], name.partition(",")[0]) for name in names}
        fits = [name for name in names if name == requested] or [n for n in names if requested in parts[n]]
        if not fits:
            raise InputError(
                f"there is no metric {requested!r}", where=where, next_step=near_match(requested, names)
            )
        chosen, *others = fits
    are = "is" if len(others) == 1 else "are"
    also = f"there {are} also {', '.join(map(repr, others))} ({option('metric', 'NAME')})"
    return chosen, (f"Read the metric {chosen!r}; {also}.",) if others else ()
