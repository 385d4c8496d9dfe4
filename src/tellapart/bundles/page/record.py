"""Scoreboards to be reported, with the scores of each bundle and what was decided about the models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.core.comparison import Comparison
from tellapart.errors import InputError

ADVERSARIAL = "tier3_adversarial"
OVERALL = "overall"

Figures = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Board:
    """A model on an eval.

    Attributes:
        label: What tables call it; unique in a report.
        path: Of its scoreboard.
        figures: What the scoreboard says.
        scores: One row a bundle: ``item``, ``tier``, ``margin``, ``rank`` and ``ties``.
        own_cut: Whether the tiers were cut by this model's own margins. Its pass rate in a tier then follows
            from the cut.
    """

    label: str
    path: Path
    figures: Figures
    scores: pl.DataFrame
    own_cut: bool = False

    @property
    def fingerprint(self) -> str:
        """Of the eval."""
        return str(self.figures["eval_header"]["fingerprint"])

    @property
    def tiers(self) -> Figures:
        """``overall`` and then each tier."""
        return {OVERALL: self.figures["overall"], **self.figures["by_tier"]}

    @property
    def margin_unit(self) -> str | None:
        """The unit of the margins, or None where it is not recorded."""
        unit = self.figures.get("units", {}).get("mean_margin")
        return None if unit is None else unit["unit"]

    def margins(self, tier: str) -> NDArray[np.float64]:
        """Margins of a tier's bundles, or of all, in ascending order."""
        # Sorted once: with millions of bundles that is what takes the time.
        if ("margin", tier) not in self._kept:
            self._kept["margin", tier] = np.sort(self._in(tier)["margin"].to_numpy())
        return self._kept["margin", tier]

    def within(self, tier: str, places: Sequence[int]) -> NDArray[np.float64]:
        """The share of a tier's bundles, or of all, whose positive is among the first k places.

        Args:
            tier: A tier that has bundles, or ``overall``.
            places: Each k, from 1.

        Returns:
            Shape (places,), in [0, 1]: the expectation over the orders that ties allow, as the scoreboard's
            ``top3`` is.
        """
        if ("rank", tier) not in self._kept:
            # Ranks and ties take few values, so a share is a sum over those.
            counted = self._in(tier).group_by("rank", "ties").len().sort("rank", "ties")
            self._kept["rank", tier] = counted.to_numpy().astype(np.float64)
        rank, ties, count = self._kept["rank", tier].T
        k = np.asarray(places, dtype=np.float64)[:, None]
        shares = np.clip((k + 1 - rank) / (ties + 1), 0.0, 1.0)
        return np.asarray(shares @ count / count.sum())

    @cached_property
    def last_rank(self) -> int:
        """The worst rank of any bundle, ties included; 1 without bundles."""
        worst = self.scores.select((pl.col("rank") + pl.col("ties")).max()).item()
        return 1 if worst is None else int(worst)

    @cached_property
    def largest(self) -> float:
        """The largest size of a margin, whatever its sign; 0 without bundles."""
        margins = self.margins(OVERALL)
        return float(max(abs(margins[0]), abs(margins[-1]))) if len(margins) else 0.0

    @cached_property
    def typical(self) -> float:
        """The median size of a margin, whatever its sign; 0 without bundles."""
        margins = self.margins(OVERALL)
        return float(np.median(np.abs(margins))) if len(margins) else 0.0

    @cached_property
    def _kept(self) -> dict[tuple[str, str], NDArray[Any]]:
        return {}

    def _in(self, tier: str) -> pl.DataFrame:
        return self.scores if tier == OVERALL else self.scores.filter(pl.col("tier") == tier)


@dataclass(frozen=True, eq=False)
class View:
    """Scoreboards to be reported.

    Attributes:
        boards: At least one, in the order asked for.
        comparison: Of their pass rates; None for one board.
        exploratory: Whether they are of different evals, or of different bundles of one.
        moved: Bundles that two boards put in different tiers.
        cautions: What is said of one board, for which there is no comparison to say it.
    """

    boards: tuple[Board, ...]
    comparison: Comparison | None = None
    exploratory: bool = False
    moved: int = 0
    cautions: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the boards."""
        return tuple(board.label for board in self.boards)

    @property
    def tiers(self) -> tuple[str, ...]:
        """Names of the tiers, the easiest first."""
        return tuple(dict.fromkeys(tier for board in self.boards for tier in board.figures["by_tier"]))

    @cached_property
    def shared(self) -> pl.DataFrame:
        """One row a bundle that all boards have: ``item``, ``tier_i`` and ``margin_i``."""
        first = self.boards[0].scores
        joined = first.select("item", tier_0="tier", margin_0="margin")
        for i, board in enumerate(self.boards[1:], start=1):
            other = board.scores.select("item", **{f"tier_{i}": "tier", f"margin_{i}": "margin"})
            if other["item"].equals(first["item"]) and joined.height == first.height:
                joined = joined.hstack(other.drop("item"))
            else:
                joined = joined.join(other, on="item", how="inner", maintain_order="left")
        return joined

    @cached_property
    def scope(self) -> str:
        """What charts conclude on: the adversarial tier, or all bundles where it would mislead."""
        usable = ADVERSARIAL in self.tiers and all(_n(board, ADVERSARIAL) for board in self.boards)
        by_itself = all(board.own_cut for board in self.boards)
        return ADVERSARIAL if usable and not self.moved and not by_itself else OVERALL


def read_json(path: Path, what: str, fields: Sequence[str], make: str) -> Figures:
    """Read a JSON object that a suite has written.

    Args:
        path: Of the file.
        what: What it should be.
        fields: What it must have.
        make: How to make one.

    Raises:
        InputError: It is missing, damaged or something else.
    """
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read this {what}: {error.strerror}", where=path, next_step=make) from None
    except ValueError as error:
        raise InputError(f"no {what}, this is no JSON: {error}", where=path, next_step=make) from None
    if not isinstance(record, dict):
        raise InputError(f"no {what}: got {type(record).__name__}", where=path, next_step=make)
    missing = [name for name in fields if name not in record]
    if missing:
        raise InputError(f"no {what}: field {missing[0]!r} is missing", where=path, next_step=make)
    return record


def _n(board: Board, tier: str) -> int:
    return int(board.tiers.get(tier, {}).get("n", 0))
