"""Which model is the baseline, and which are the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tellapart.errors import UsageError, near_match, option
from tellapart.report.numbers import listed

_NAMED = 8
"""So many models are named in an error."""


@dataclass(frozen=True)
class Sides:
    """What is compared.

    Attributes:
        baseline: The model that the others are held against.
        candidates: The others, in ascending order; at least one.
    """

    baseline: str
    candidates: tuple[str, ...]


def choose_sides(
    sources: Mapping[str, Sequence[str]], baseline: str | None = None, candidates: Sequence[str] = ()
) -> Sides:
    """Choose the models to compare."""
    first, *others = sources
    chosen = _only(first, sources[first], baseline)
    pool = {model for name in others or [first] for model in sources[name]} - {chosen}
    named = {_named(name, sorted(pool), "candidate") for name in candidates}
    kept = tuple(sorted(named or pool))
    if not kept:
        raise UsageError(
            f"there is no candidate: {', '.join(sources)} holds {chosen!r} alone",
            next_step="Give the scores of a candidate too: tellapart compare BASELINE CANDIDATE",
        )
    return Sides(chosen, kept)


def _only(source: str, models: Sequence[str], baseline: str | None) -> str:
    if baseline is not None:
        return _named(baseline, models, "baseline")
    if len(models) == 1:
        return models[0]
    raise UsageError(
        f"{source} holds {len(models)} models: {listed(list(models), most=_NAMED)}",
        next_step=f"Say which is the baseline, such as {option('baseline', models[0])}",
    )


def _named(name: str, models: Sequence[str], role: str) -> str:
    """The model of a name, which may lack the source that was added to tell two runs apart."""
    if name in models:
        return name
    renamed = [model for model in models if model.startswith(f"{name} (")]
    if len(renamed) == 1:
        return renamed[0]
    raise UsageError(
        f"the {role} is {name!r}, and there is no such model", next_step=near_match(name, models)
    )
