"""A scoreboard from figures: which eval, which model, when, by which version."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version as version_of

import polars as pl

from tellapart.bundles.figures import TierStats, figure_units
from tellapart.bundles.results import EvalHeader, Scoreboard
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.core.fingerprint import Fingerprint
from tellapart.environment.clock import now


def scoreboard(
    scores: pl.DataFrame, header: EvalHeader, *, model: str, similarity: str, checkpoint: str = ""
) -> Scoreboard:
    """Sum scores up; ``similarity`` is the unit of the margins."""
    return board_of(stats_by_tier(scores), header, model=model, similarity=similarity, checkpoint=checkpoint)


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
