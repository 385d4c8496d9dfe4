"""Whether scores belong to the scoreboard beside them, and scoreboards to each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError, Refused

_AGAIN = "Score the eval again with 'tellapart bundles score'; copy the two files together"
_SHOWN = 3


def check_pair(beside: Path, scores: pl.DataFrame, figures: Mapping[str, Any]) -> None:
    """See that scores are those that a scoreboard sums up.

    Args:
        beside: Where the scores are.
        scores: With ``model``, ``tier`` and ``margin``.
        figures: What the scoreboard says.

    Raises:
        InputError: Another model, or in some tier another number of bundles or passes or, beyond 1e-9,
            another mean margin.
    """
    pairs: list[tuple[str, object, object]] = [
        ("model", model, figures["model"]) for model in scores["model"].unique().sort()
    ]
    for scope, said in {"overall": figures["overall"], **figures["by_tier"]}.items():
        if not isinstance(said, dict):
            raise InputError(f"{scope!r} of the scoreboard is {said!r:.60}, expected an object", where=beside)
        inside = scores if scope == "overall" else scores.filter(pl.col("tier") == scope)
        margin = inside["margin"]
        pairs += [
            (f"{scope} n", inside.height, said.get("n")),
            (f"{scope} correct", int((margin > 0).sum()), said.get("correct")),
            (f"{scope} mean_margin", margin.mean(), said.get("mean_margin")),
        ]
    for what, here, there in pairs:
        if not _same(here, there):
            raise InputError(
                f"these are not the scores of the scoreboard: {what} is {here!r} here and {there!r} there",
                where=beside,
                next_step=_AGAIN,
            )


def bundles_differ(paths: Sequence[Path], prints: Sequence[str], scores: Sequence[pl.DataFrame]) -> str:
    """Say which bundles only one of two scoreboards of one fingerprint has; nothing where there are none.

    Rows that could not be used may have been left out of one of them.
    """
    for i, fingerprint in enumerate(prints):
        first = prints.index(fingerprint)
        one, other = scores[first]["item"], scores[i]["item"]
        if one.equals(other):
            continue
        only = [_only(one, other), _only(other, one)]
        if any(only):
            lines = zip((paths[first], paths[i]), only, strict=True)
            return "".join(f"\n  only in {path}: {names or 'none'}" for path, names in lines)
    return ""


def refuse_bundles(found: str) -> None:
    """Refuse scoreboards with what ``bundles_differ`` has said.

    Raises:
        Refused: Always.
    """
    raise Refused(
        f"the fingerprints of these scoreboards are equal, but not their bundles{found}\n",
        next_step="Score one eval with each model, leaving out the same bundles; to look at them all the "
        "same, add --allow-fingerprint-mismatch, which marks the report exploratory",
    )


def _only(one: pl.Series, other: pl.Series) -> str:
    found = one.to_frame().join(other.to_frame(), on="item", how="anti")["item"].sort()
    rest = len(found) - _SHOWN
    return ", ".join(map(repr, found[:_SHOWN])) + (f" and {rest} more" if rest > 0 else "")


def _same(here: object, there: object) -> bool:
    if isinstance(here, float) and isinstance(there, int | float):
        return math.isclose(here, there, rel_tol=1e-9, abs_tol=1e-9)
    return here == there
