"""Scoreboards as their report reads them: labelled, compared, with the shapes of their margins and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.compare import compare_boards
from tellapart.bundles.figures import TierStats
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.scoreboards import Boards, Scored
from tellapart.bundles.slices import Slices, slices_of
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL
from tellapart.core.comparison import Comparison


@dataclass(frozen=True, eq=False)
class Board:
    """A model on an eval.

    Attributes:
        label: What tables call it; unique in a report.
    """

    label: str
    scored: Scored

    @property
    def path(self) -> Path:
        """Of its scoreboard."""
        return self.scored.path

    @property
    def scoreboard(self) -> Scoreboard:
        """Its scoreboard."""
        return self.scored.board

    @property
    def scores(self) -> pl.DataFrame:
        """One row of ``SCORE_SCHEMA`` a bundle."""
        return self.scored.scores

    @property
    def own_cut(self) -> bool:
        """Whether the tiers were cut by this model's own margins, so that its pass rates by tier follow."""
        return self.scored.is_own_cut

    @property
    def tiers(self) -> Mapping[str, TierStats]:
        """Figures of ``overall`` and then of each tier."""
        return self.scored.board.tiers

    def margins(self, tier: str) -> NDArray[np.float64]:
        """Margins of a tier's bundles, or of all, in ascending order."""
        # Sorted once: with millions of bundles that is what takes the time.
        if ("margin", tier) not in self._kept:
            self._kept["margin", tier] = np.sort(self._in(tier)["margin"].to_numpy())
        return self._kept["margin", tier]

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
        boards: At least one, in the order given.
        comparison: Of their pass rates; None for one board.
        exploratory: Whether they are of different evals, or of different bundles of one.
        moved: Bundles that two boards put in different tiers.
        cautions: Those of the first board, for a report of one; a comparison has its own.
        slices: Of the boards, where they were requested.
    """

    boards: tuple[Board, ...]
    comparison: Comparison | None = None
    exploratory: bool = False
    moved: int = 0
    cautions: tuple[str, ...] = ()
    slices: Slices | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the boards."""
        return tuple(board.label for board in self.boards)

    @property
    def tiers(self) -> tuple[str, ...]:
        """Names of the tiers, the easiest first."""
        return tuple(dict.fromkeys(tier for board in self.boards for tier in board.scoreboard.by_tier))

    @property
    def strata(self) -> tuple[str, ...]:
        """What pairs are compared in as detail, in order: slices where there are any, else tiers."""
        return self.slices.values if self.slices else self.tiers

    def comparable(self, scope: str, figure: str) -> dict[str, float]:
        """Give a figure by model, where it is defined and does not follow from the model's own cut."""
        values = {
            board.label: getattr(board.tiers[scope], figure)
            for board in self.boards
            if scope in board.tiers and (scope == OVERALL or not board.own_cut)
        }
        return {label: value for label, value in values.items() if value is not None}

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
        usable = all(ADVERSARIAL in board.tiers and board.tiers[ADVERSARIAL].n for board in self.boards)
        by_itself = all(board.own_cut for board in self.boards)
        return ADVERSARIAL if usable and not self.moved and not by_itself else OVERALL


def view_of(boards: Boards, by: str | None = None) -> View:
    """Give scoreboards as the report takes them, compared where there are two or more."""
    slices = None if by is None else slices_of(boards, by)
    return View(
        tuple(Board(label, scored) for label, scored in zip(boards.labels, boards.boards, strict=True)),
        comparison=compare_boards(boards, slices=slices) if len(boards.boards) > 1 else None,
        exploratory=boards.is_exploratory,
        moved=boards.moved,
        cautions=boards.boards[0].notes.cautions,
        slices=slices,
    )
