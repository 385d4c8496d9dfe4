"""The distractors of a target at a level, or that there are too few."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DistractorSet:
    """The distractors of one target at one level; positions are those among the units.

    Attributes:
        level: Name of the level asked for.
        distractors: Positions, in the order in which they were chosen.
        strategies: What chose each of them, a fallback by its own name; empty of a whole pool.
        similarities: Selector similarity of each to the target; likewise.
    """

    target: int
    level: str
    distractors: tuple[int, ...]
    strategies: tuple[str, ...]
    similarities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class InsufficientDistractors:
    """A target that has too few candidates at a level: counted, and no question."""

    target: int
    level: str
    wanted: int
    available: int
