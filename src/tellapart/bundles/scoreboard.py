"""The scoreboard file: what one model scored on one eval, and on which eval exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tellapart.bundles.tier_stats import TierStats
from tellapart.core.figure_units import FigureUnit
from tellapart.errors import InputError
from tellapart.store import write_text


class EvalHeader(BaseModel):
    """Which eval.

    Attributes:
        eval_path: As the user gave it.
        fingerprint: ``source_hash|seed|item_count``; scoreboards compare only where it is equal.
        source_hash: First 16 hexadecimal digits of the SHA-256 of the file's bytes.
        seed: The seed that the eval was drawn with.
        item_count: Bundles in the file.
        tier_distribution: Bundles by tier.
        version: As ``bundles freeze`` named it; None for a file that is not frozen.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    eval_path: str
    fingerprint: str
    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str | None = None


class Scoreboard(BaseModel):
    """One model on one eval; equal inputs give equal files but for ``timestamp``.

    Attributes:
        eval_header: Which eval.
        model: Its name in tables.
        overall: Figures over all bundles.
        by_tier: Figures by tier, every tier named.
        timestamp: When, in ISO 8601 with the offset from UTC.
        checkpoint_path: Where the model's weights or vectors came from; empty where nobody said.
        tellapart_version: Of the program that wrote it.
        units: Kind and unit of each figure by name; empty in scoreboards of earlier versions.

    Source:
        "Crucible Metrics Reference", Scoreboard Schema.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    eval_header: EvalHeader
    model: str
    overall: TierStats
    by_tier: dict[str, TierStats]
    timestamp: str
    checkpoint_path: str = ""
    tellapart_version: str
    units: dict[str, FigureUnit] = Field(default_factory=dict)

    @property
    def tiers(self) -> Mapping[str, TierStats]:
        """``overall`` and then each tier."""
        return {"overall": self.overall, **self.by_tier}


def scores_path(scoreboard: Path) -> Path:
    """Where the scores of each bundle are: ``NAME.scores.parquet`` beside ``NAME.json``."""
    return scoreboard.parent / f"{scoreboard.stem}.scores.parquet"


def write_scoreboard(path: Path, scoreboard: Scoreboard) -> None:
    """Write a scoreboard, whole or not at all.

    Raises:
        StorageError: The disk is full or closed to us.
    """
    write_text(path, json.dumps(scoreboard.model_dump(mode="json"), indent=2, allow_nan=False) + "\n")


def read_scoreboard(path: Path) -> Scoreboard:
    """Read a scoreboard.

    Raises:
        InputError: It is missing or no scoreboard; names the field.
    """
    try:
        return Scoreboard.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read this scoreboard: {error.strerror}", where=path) from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"no scoreboard: field {'.'.join(map(str, first['loc'])) or '(all)'}: {first['msg']}",
            where=path,
            next_step="Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'",
        ) from None
