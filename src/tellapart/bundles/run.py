"""The suite's shell: what touches files, models and the clock; the steps themselves are pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl

from tellapart.bundles.reading import Problems, read_batches
from tellapart.bundles.scoreboard import EvalHeader, Scoreboard, scores_path, write_scoreboard
from tellapart.bundles.scoring import EvalItems, drop_faulty, number_items, score_items
from tellapart.bundles.tier_stats import tier_stats
from tellapart.bundles.tiers import TIERS, assign_tiers
from tellapart.bundles.vectors import Embedded, embed, look_up
from tellapart.core.fingerprint import Fingerprint
from tellapart.embed import load_matcher, require
from tellapart.embed.cache import VectorCache, default_path
from tellapart.errors import UsageError
from tellapart.store import sha256_of, write_frame

Progress = Callable[[str], None]


def score(
    eval_path: Path,
    out: Path,
    *,
    model: str | None = None,
    embeddings: Path | None = None,
    name: str | None = None,
    checkpoint: str = "",
    seed: int = 42,
    skip_invalid: bool = False,
    base_url: str | None = None,
    progress: Progress = lambda _: None,
) -> Scoreboard:
    """Score an eval file and write the scoreboard, and the scores of each bundle beside it.

    Args:
        eval_path: JSON Lines or Parquet, see ``read_batches``.
        out: The scoreboard; the scores go to ``scores_path(out)``.
        model: What embeds or ranks; or else
        embeddings: the vectors, see ``look_up``.
        name: What tables call the model; by default the model's name or the file's.
        checkpoint: Where its weights came from, for the record.
        seed: The seed that the eval was drawn with, for the fingerprint.
        skip_invalid: Drop bad rows instead of refusing the file.
        base_url: Where an OpenAI-compatible server is.
        progress: Told what is being done and what to beware of.

    Raises:
        UsageError: Neither or both of ``model`` and ``embeddings`` are given, or the model is unknown.
        InputError: A row or a file cannot be used.
        StorageError: The disk is full or closed to us.
    """
    if (model is None) == (embeddings is None):
        raise UsageError("give either --model NAME or --embeddings FILE.npz")
    if model is not None:
        require(model)
    problems = Problems(eval_path)
    items = number_items(read_batches(eval_path, problems))
    embedded = embed_eval(items, model, embeddings, base_url)
    items = drop_faulty(items, embedded, problems)
    if not skip_invalid:
        problems.refuse()
    label = name or model or (embeddings.stem if embeddings else "")
    scores = with_tiers(score_items(items, embedded, model=label))
    header = eval_header(str(eval_path), sha256_of(eval_path)[:16], scores, seed)
    board = scoreboard(scores, header, model=label, checkpoint=checkpoint)
    write_scored(out, board, scores)
    return board


def write_scored(out: Path, board: Scoreboard, scores: pl.DataFrame) -> None:
    """Write a scoreboard and the scores of each bundle beside it.

    Raises:
        StorageError: The disk is full or closed to us.
    """
    write_frame(scores_path(out), scores)
    write_scoreboard(out, board)


def with_tiers(scores: pl.DataFrame) -> pl.DataFrame:
    """Keep the tiers that came with the data, or assign them by this model's danger if none did."""
    if scores["tier"].null_count() < scores.height:
        return scores
    assigned = assign_tiers(-scores["margin"].to_numpy())
    return scores.with_columns(pl.Series("tier", assigned.tiers, dtype=pl.String))


def scoreboard(scores: pl.DataFrame, header: EvalHeader, *, model: str, checkpoint: str = "") -> Scoreboard:
    """Sum scores up."""
    return Scoreboard(
        eval_header=header,
        model=model,
        overall=tier_stats(scores),
        by_tier={tier: tier_stats(scores.filter(pl.col("tier") == tier)) for tier in TIERS},
        timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        checkpoint_path=checkpoint,
        tellapart_version=version("tellapart"),
    )


def embed_eval(
    items: EvalItems, model: str | None, embeddings: Path | None, base_url: str | None
) -> Embedded:
    """Make the texts of an eval comparable by a model, or else by the vectors of a file."""
    if embeddings is not None:
        return look_up(embeddings, items.anchors.texts, items.options.texts)
    cache = VectorCache(default_path())
    try:
        matcher = load_matcher(str(model), corpus=items.options.texts, base_url=base_url, cache=cache)
        return embed(matcher, items.anchors.texts, items.options.texts)
    finally:
        cache.close()


def eval_header(eval_path: str, source_hash: str, scores: pl.DataFrame, seed: int) -> EvalHeader:
    """Say which eval the scores are of; ``source_hash`` is that of the bytes that were scored."""
    counts = dict(scores["tier"].value_counts().iter_rows())
    return EvalHeader(
        eval_path=eval_path,
        fingerprint=str(Fingerprint(source_hash, seed, scores.height)),
        source_hash=source_hash,
        seed=seed,
        item_count=scores.height,
        tier_distribution={tier: counts.get(tier, 0) for tier in TIERS},
    )
