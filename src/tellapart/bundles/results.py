"""The scoreboard: the record, how it is made, its file, and the file of scores beside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version as version_of
from pathlib import Path

import polars as pl
from pydantic import field_validator
from pydantic_core import PydanticCustomError

from tellapart import store
from tellapart.bundles.cautions import model_cautions
from tellapart.bundles.figures import FIGURES, MARGINS, column_units, figure_units
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.bundles.tier_stats import TierStats
from tellapart.core.figure_units import FigureUnit
from tellapart.core.fingerprint import Fingerprint
from tellapart.core.record import Record
from tellapart.core.score_notes import ScoreNotes
from tellapart.environment.clock import now
from tellapart.errors import UsageError
from tellapart.files import sha256_of, write_json
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends
from tellapart.store import load_record, write_frame
from tellapart.store.paths import ANOTHER

MAKE_SCOREBOARD = "Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'"


class EvalHeader(Record):
    """Which eval, by the hash of its bytes; scoreboards compare where the fingerprint is equal."""

    eval_path: str
    fingerprint: str
    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str | None = None


class Scoreboard(Record):
    """One model on one eval; equal inputs give equal files but for ``timestamp``.

    ``scores_hash`` is the beginning of the SHA-256 of the file of scores beside it, ``units`` kind and unit
    of each figure by name, ``checkpoint_path`` where the weights or vectors came from, or empty.

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
    scores_hash: str = ""

    @field_validator("by_tier")
    @classmethod
    def _names_each_tier(cls, by_tier: dict[str, TierStats]) -> dict[str, TierStats]:
        if by_tier.keys() != set(TIERS):
            raise PydanticCustomError("tiers", "figures of {tiers}", {"tiers": ", ".join(TIERS)})
        return by_tier

    @field_validator("units")
    @classmethod
    def _has_that_of_margins(cls, units: dict[str, FigureUnit]) -> dict[str, FigureUnit]:
        if MARGINS[0] not in units:
            raise PydanticCustomError("units", "the unit of {figure}", {"figure": MARGINS[0]})
        return units

    @property
    def tiers(self) -> Mapping[str, TierStats]:
        """``overall`` and then each tier."""
        return {"overall": self.overall, **self.by_tier}

    @property
    def margin_unit(self) -> str | None:
        """The unit of the margins."""
        return self.units[MARGINS[0]].unit


def scores_path(scoreboard: Path) -> Path:
    """Where the scores of each bundle are: ``NAME.scores.parquet`` beside ``NAME.json``."""
    return scoreboard.parent / f"{scoreboard.stem}.scores.parquet"


def version_path(eval_path: Path) -> Path:
    """Where the record of an eval is: ``NAME.version.json`` beside ``NAME``."""
    return eval_path.parent / f"{eval_path.name}.version.json"


def board_of(
    stats: Mapping[str, TierStats], header: EvalHeader, *, model: str, similarity: str, checkpoint: str = ""
) -> Scoreboard:
    """Make a scoreboard of what ``stats_by_tier`` gives; ``similarity`` is the unit of the margins."""
    return Scoreboard(
        eval_header=header,
        model=model,
        overall=stats[OVERALL],
        by_tier={tier: stats[tier] for tier in TIERS},
        timestamp=now().isoformat(timespec="seconds"),
        checkpoint_path=checkpoint,
        tellapart_version=version_of("tellapart"),
        units=figure_units(similarity),
    )


def eval_header(
    eval_path: str, source_hash: str, scores: pl.DataFrame, seed: int, version: str | None = None
) -> EvalHeader:
    """Say which eval the scores are of; ``source_hash`` is that of the bytes that were scored."""
    counts = dict(scores["tier"].value_counts().iter_rows())
    return EvalHeader(
        eval_path=eval_path,
        fingerprint=str(Fingerprint(source_hash, seed, scores.height)),
        source_hash=source_hash,
        seed=seed,
        item_count=scores.height,
        tier_distribution={tier: counts.get(tier, 0) for tier in TIERS},
        version=version,
    )


def write_scored(out: Path, board: Scoreboard, scores: pl.DataFrame) -> None:
    """Write a scoreboard and beside it the scores of each bundle, with what must stay with them."""
    cautions = model_cautions({board.model: scores})
    notes = ScoreNotes(by="tier", cautions=cautions, units=column_units(board.units))
    write_frame(scores_path(out), scores, notes)
    board = board.model_copy(update={"scores_hash": scores_hash(scores_path(out))})
    write_json(out, board.model_dump(mode="json"))


def scores_hash(path: Path) -> str:
    """Give what a scoreboard says of the file of its scores."""
    return sha256_of(path)[:16]


def read_scoreboard(path: Path) -> Scoreboard:
    """Read a scoreboard."""
    return load_record(path, Scoreboard, "scoreboard", next_step=MAKE_SCOREBOARD)


def is_recorded(value: Mapping[str, object]) -> bool:
    """Whether an object is a sweep, or a scoreboard that another program wrote."""
    return "capsules" in value or ("eval_header" in value and "tellapart_version" not in value)


def tracked_scoreboard(board: Scoreboard) -> Tracked:
    """Give the figures over all bundles and, where there are any, those of each tier, for trackers."""
    return tracked("bundles", _tracked_figures(board))


def _tracked_figures(board: Scoreboard) -> Iterator[Figure]:
    for scope, stats in board.tiers.items():
        if scope == OVERALL or stats.n:
            yield (scope, "n"), stats.n
            for name in FIGURES:
                yield from with_ends((scope, name), getattr(stats, name), stats.ci95.get(name))


def why_margins_differ(a: Scoreboard, b: Scoreboard) -> str | None:
    """Say why the margins of two scoreboards do not compare; None where they do."""
    first, second = (board.units[MARGINS[0]] for board in (a, b))
    if first == second:
        return None
    return f"margins of {a.model} are in units of {first.unit}, those of {b.model} in units of {second.unit}"


def check_outs(outs: Sequence[Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Refuse places that must not be written."""
    read = [Path(os.path.realpath(path)) for path in inputs if path is not None]
    beside = [
        *(scores_path(path) for path in read if path.suffix == ".json"),
        *(version_path(path) for path in read if path.name),
    ]
    store.check_outs(outs, [*read, *filter(Path.exists, beside)])
    scores = [scores_path(out) for out in outs if out is not None]
    for out in filter(None, outs):
        if out.name.endswith(".scores.parquet") and out not in scores and out.exists():
            raise UsageError(
                "these are the scores of a scoreboard, which would be lost",
                where=out,
                next_step="Give a name ending in .json",
            )
        if version_path(Path(os.path.realpath(out))).exists():
            raise UsageError(
                f"this eval is frozen: {version_path(out).name} stands beside it",
                where=out,
                next_step=f"{ANOTHER}; a frozen eval only grows, by 'tellapart bundles extend'",
            )
