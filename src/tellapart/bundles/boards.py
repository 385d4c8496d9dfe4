"""A scoreboard from figures: which eval, which model, when, by which version; written, and for trackers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version as version_of
from pathlib import Path

import polars as pl

from tellapart.bundles.cautions import model_cautions
from tellapart.bundles.figures import FIGURES, TierStats, column_units, figure_units
from tellapart.bundles.results import EvalHeader, Scoreboard, scores_path, write_scoreboard
from tellapart.bundles.tier_names import OVERALL, TIERS
from tellapart.core.fingerprint import Fingerprint
from tellapart.core.score_notes import ScoreNotes
from tellapart.environment.clock import now
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends
from tellapart.store import write_frame


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


def write_scored(
    out: Path, board: Scoreboard, scores: pl.DataFrame, no_strata: Mapping[str, str] | None = None
) -> None:
    """Write a scoreboard and beside it the scores of each bundle, with what must stay with them."""
    notes = ScoreNotes(
        by="tier",
        cautions=model_cautions(board.model, scores),
        units=column_units(board.units),
        no_strata=dict(no_strata or {}),
    )
    write_frame(scores_path(out), scores, notes)
    write_scoreboard(out, board)


def tracked_scoreboard(board: Scoreboard) -> Tracked:
    """Give the figures over all bundles and, where there are any, those of each tier, for trackers."""
    return tracked("bundles", _tracked_figures(board))


def _tracked_figures(board: Scoreboard) -> Iterator[Figure]:
    for scope, stats in board.tiers.items():
        if scope == OVERALL or stats.n:
            yield (scope, "n"), stats.n
            for name in FIGURES:
                yield from with_ends((scope, name), getattr(stats, name), stats.ci95.get(name))
