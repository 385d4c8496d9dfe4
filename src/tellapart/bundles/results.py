"""The scoreboard: the record, its file, and the file of scores beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import field_validator
from pydantic_core import PydanticCustomError

from tellapart.bundles.figures import TierStats
from tellapart.bundles.tier_names import TIERS
from tellapart.core.figure_units import FigureUnit
from tellapart.core.record import Record
from tellapart.files import write_json
from tellapart.store import load_record

MAKE_SCOREBOARD = "Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'"


class EvalHeader(Record):
    """Which eval; scoreboards compare only where the fingerprint is equal.

    Attributes:
        fingerprint: ``source_hash|seed|item_count``.
        source_hash: First 16 hexadecimal digits of the SHA-256 of the file's bytes.
        version: As ``bundles freeze`` named it; None for a file that is not frozen.
    """

    eval_path: str
    fingerprint: str
    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str | None = None


class Scoreboard(Record):
    """One model on one eval; equal inputs give equal files but for ``timestamp``.

    Attributes:
        by_tier: Figures by tier, every tier named.
        timestamp: When, in ISO 8601 with the offset from UTC.
        checkpoint_path: Where the model's weights or vectors came from; empty where it was not given.
        units: Kind and unit of each figure by name.

    Source:
        "Crucible Metrics Reference", Scoreboard Schema.
    """

    eval_header: EvalHeader
    model: str
    overall: TierStats
    by_tier: dict[str, TierStats]
    timestamp: str
    checkpoint_path: str = ""
    tellapart_version: str
    units: dict[str, FigureUnit]

    @field_validator("by_tier")
    @classmethod
    def _names_each_tier(cls, by_tier: dict[str, TierStats]) -> dict[str, TierStats]:
        if by_tier.keys() != set(TIERS):
            raise PydanticCustomError("tiers", "figures of {tiers}", {"tiers": ", ".join(TIERS)})
        return by_tier

    @property
    def tiers(self) -> Mapping[str, TierStats]:
        """``overall`` and then each tier."""
        return {"overall": self.overall, **self.by_tier}

    @property
    def margin_unit(self) -> str | None:
        """The unit of the margins."""
        return self.units["mean_margin"].unit


def scores_path(scoreboard: Path) -> Path:
    """Where the scores of each bundle are: ``NAME.scores.parquet`` beside ``NAME.json``."""
    return scoreboard.parent / f"{scoreboard.stem}.scores.parquet"


def version_path(eval_path: Path) -> Path:
    """Where the record of an eval is: ``NAME.version.json`` beside ``NAME``."""
    return eval_path.parent / f"{eval_path.name}.version.json"


def write_scoreboard(path: Path, scoreboard: Scoreboard) -> None:
    """Write a scoreboard, whole or not at all."""
    write_json(path, scoreboard.model_dump(mode="json"))


def read_scoreboard(path: Path) -> Scoreboard:
    """Read a scoreboard."""
    return load_record(path, Scoreboard, "scoreboard", next_step=MAKE_SCOREBOARD)


def is_recorded(value: Mapping[str, object]) -> bool:
    """Whether an object is a sweep, or a scoreboard that another program wrote."""
    return "capsules" in value or ("eval_header" in value and "tellapart_version" not in value)
