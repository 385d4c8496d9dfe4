"""What can be chosen when mining, and how often a candidate must pass to be strong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from tellapart.core.seed import MOST_SEED, SEED
from tellapart.errors import UsageError

THRESHOLD = 0.593
"""Danger from which a lineup counts as passed; measured for another embedder, see ``calibrate``."""

Strength = Literal["ultra", "mid", "low"]

STRENGTHS: dict[Strength, int] = {"ultra": 8, "mid": 5, "low": 2}
"""Lineups out of ten that must be passed, the strongest first."""


@dataclass(frozen=True)
class Settings:
    """How to mine: the fields are options."""

    candidates_per_sense: Annotated[
        int, typer.Option("--candidates-per-sense", help="Pairs of an anchor and a positive.")
    ] = 15
    within_lemma: Annotated[int, typer.Option("--within-lemma", help="Pool: events of the lemma.")] = 10
    sibling_senses: Annotated[
        int,
        typer.Option("--sibling-senses", help="Pool: senses that share a lemma, one event of each."),
    ] = 5
    across_lemmas: Annotated[int, typer.Option("--across-lemmas", help="Pool: events of other lemmas.")] = 20
    lineups: Annotated[int, typer.Option("--lineups", help="Independent draws from the pool.")] = 10
    negatives_per_lineup: Annotated[
        int, typer.Option("--negatives-per-lineup", help="Negatives of a draw.")
    ] = 5
    min_passes: Annotated[int, typer.Option("--min-passes", help="Lineups to pass to be accepted.")] = 3
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=MOST_SEED, help="Seed for drawing pairs and lineups.")
    ] = SEED

    def check(self) -> None:
        """Refuse what cannot work."""
        for name in ("candidates_per_sense", "lineups", "negatives_per_lineup", "min_passes"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}, expected 1 or more")
        for name in ("within_lemma", "sibling_senses", "across_lemmas"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}, expected 0 or more")
        if self.min_passes > self.lineups:
            raise UsageError(f"{self.min_passes} passes are required, but there are {self.lineups} lineups")
        pool = self.within_lemma + self.sibling_senses + self.across_lemmas
        if self.negatives_per_lineup > pool:
            raise UsageError(
                f"a lineup of {self.negatives_per_lineup} negatives cannot be drawn from a pool of {pool}"
            )


def strength(passes: int, lineups: int) -> Strength | None:
    """How consistently dangerous a candidate is, by the shares of ten lineups that the reference names."""
    return next((name for name, of_ten in STRENGTHS.items() if 10 * passes >= of_ten * lineups), None)
