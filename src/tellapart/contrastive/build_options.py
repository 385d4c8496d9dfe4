"""What a benchmark is to be, and how it is written on a command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from tellapart.cli.settings import Parsed
from tellapart.contrastive.selection.levels import LEVELS, Bands, Level, levels_named
from tellapart.core.seed import SEED


def _levels_of(text: str) -> tuple[Level, ...]:
    return levels_named(text.split(",") if text else None)


def _written_levels(levels: Sequence[Level]) -> str:
    return ",".join(level.name for level in levels)


Targets = Annotated[int, typer.Option("--targets", min=1, help="Units to ask about.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed for choosing targets and distractors.")]


@dataclass(frozen=True)
class BuildOptions:
    """What a benchmark is to be.

    Attributes:
        targets: How many units to ask about at every level; fewer when fewer have a summary.
        levels: Which levels, in ascending order of difficulty.
        bands: See ``choose_distractors``.
        cross_language: Whether units in other languages are candidates too.
        seed: Of targets and draws.
    """

    targets: Targets = 300
    levels: Annotated[
        tuple[Level, ...],
        typer.Option("--levels", help="Levels, separated by commas; all by default.", show_default=False),
        Parsed(_levels_of, _written_levels),
    ] = LEVELS
    bands: Annotated[
        Bands, typer.Option("--bands", help="Ranks in the target's neighbour list, or absolute similarity.")
    ] = "calibrated"
    cross_language: Annotated[
        bool, typer.Option("--cross-language", help="Let other languages' units be distractors.")
    ] = False
    seed: Seed = SEED
