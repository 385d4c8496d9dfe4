"""The suite's shell: what touches files, models and the clock; the steps themselves are pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tellapart.bundles.boards import board_of, eval_header, write_scored
from tellapart.bundles.cautions import dropped, score_cautions, tier_cautions
from tellapart.bundles.embedding import check_source, embed_eval
from tellapart.bundles.outputs import check_outs
from tellapart.bundles.parts.folders import is_remote
from tellapart.bundles.parts.run import PartsRequest, score_parts
from tellapart.bundles.reading import read_bundles, read_described
from tellapart.bundles.results import Scoreboard, scores_path
from tellapart.bundles.scoring import EvalItems, drop_faulty, number_described, score_items
from tellapart.bundles.tier_names import THRESHOLDS
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.bundles.tiers import TierAssignment, assign_tiers, check_thresholds, committee_danger
from tellapart.bundles.versions import VersionRecord, frozen_version
from tellapart.core.progress import SILENT, Progress
from tellapart.core.seed import SEED
from tellapart.embed.similarity import Embedded
from tellapart.engines import EngineOptions
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults, replacing, sha256_of


@dataclass(frozen=True)
class ScoreResult:
    """What ``score`` found, with a sentence for each thing to beware of.

    ``scores`` are rows of ``SCORE_SCHEMA``, as they were written; None of an eval that was scored part by
    part, of which not all need fit into memory.
    """

    board: Scoreboard
    scores: pl.DataFrame | None
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class TierResult:
    """The tiers that ``tier`` wrote and their cuts, with a sentence for each thing to beware of."""

    assigned: TierAssignment
    warnings: tuple[str, ...]


def score(
    eval_path: str | Path,
    out: str | Path,
    *,
    model: str | None = None,
    embeddings: Path | None = None,
    name: str | None = None,
    checkpoint: str = "",
    seed: int | None = None,
    skip_invalid: bool = False,
    base_url: str | None = None,
    similarity: str | None = None,
    engine: EngineOptions | None = None,
    progress: Progress = SILENT,
) -> ScoreResult:
    """Score an eval and write the scoreboard, and the scores of each bundle beside it."""
    remote = [is_remote(str(eval_path)), is_remote(str(out))]
    is_file = not remote[0] and Path(eval_path).is_file()
    in_parts = engine is not None or any(remote) or Path(eval_path).is_dir()
    if not remote[1]:
        outs = [Path(out), scores_path(Path(out))]
        check_outs(outs, [Path(eval_path) if is_file or not in_parts else None, embeddings])
    frozen = frozen_version(Path(eval_path)) if is_file or not in_parts else None
    seed = seed_of(frozen, seed)
    if in_parts:
        request = PartsRequest(
            str(eval_path),
            str(out),
            model=model,
            embeddings=embeddings,
            base_url=base_url,
            similarity=similarity,
            name=name,
            checkpoint=checkpoint,
            seed=seed,
            skip_invalid=skip_invalid,
            frozen=(frozen.version, frozen.item_count) if frozen else None,
        )
        board, warnings = score_parts(request, engine or EngineOptions(), progress=progress)
        return ScoreResult(board, None, warnings)
    eval_path = Path(eval_path)
    items, (embedded,), problems = _embedded(
        eval_path, [model], embeddings, base_url, similarity, skip_invalid, progress
    )
    label = name or model or (embeddings.stem if embeddings else "")
    with progress.step("comparing texts", None):
        scores, assigned = with_tiers(score_items(items, embedded, model=label))
    version = frozen.version if frozen and scores.height == frozen.item_count else None
    source_hash = frozen.source_hash if frozen else sha256_of(eval_path)[:16]
    header = eval_header(str(eval_path), source_hash, scores, seed, version)
    stats = stats_by_tier(scores)
    board = board_of(stats, header, model=label, similarity=embedded.unit, checkpoint=checkpoint)
    write_scored(Path(out), board, scores, items.no_strata)
    return ScoreResult(
        board, scores, (*_left_out(problems), *score_cautions(scores, assigned.cuts if assigned else None))
    )


def tier(
    eval_path: Path,
    out: Path,
    *,
    models: Sequence[str] = (),
    embeddings: Path | None = None,
    thresholds: tuple[float, float] = THRESHOLDS,
    skip_invalid: bool = False,
    base_url: str | None = None,
    similarity: str | None = None,
    progress: Progress = SILENT,
) -> TierResult:
    """Write an eval anew with a tier for each bundle, by the danger that one model or several find in it."""
    check_outs([out], [eval_path, embeddings])
    check_thresholds(thresholds)
    judges: list[str | None] = [*dict.fromkeys(models)] or [None]
    items, embedded, problems = _embedded(
        eval_path, judges, embeddings, base_url, similarity, skip_invalid, progress
    )
    dangers = [-score_items(items, of_model, model="")["margin"].to_numpy() for of_model in embedded]
    assigned = assign_tiers(committee_danger(dangers), thresholds)
    ids = items.items["bundle_id"].to_list()
    write_tiers(eval_path, out, dict(zip(ids, assigned.tiers.tolist(), strict=True)))
    return TierResult(assigned, (*_left_out(problems), *tier_cautions(assigned.cuts)))


def with_tiers(scores: pl.DataFrame) -> tuple[pl.DataFrame, TierAssignment | None]:
    """Keep the tiers that came with the data, or assign them by this model's danger if none did."""
    if scores["tier"].null_count() < scores.height:
        return scores, None
    assigned = assign_tiers(-scores["margin"].to_numpy())
    return scores.with_columns(pl.Series("tier", assigned.tiers, dtype=pl.String)), assigned


def _embedded(
    eval_path: Path,
    models: Sequence[str | None],
    embeddings: Path | None,
    base_url: str | None,
    similarity: str | None,
    skip_invalid: bool,
    progress: Progress,
) -> tuple[EvalItems, list[Embedded], RowFaults]:
    """Read an eval and embed its texts by each model: all good rows, and what is wrong with the others."""
    for model in models:
        check_source(model, embeddings, similarity)
    problems = RowFaults(eval_path)
    with progress.step(f"reading {eval_path.name}", None):
        items = number_described(read_described(eval_path, problems))
    # Before a model is paid for texts that may not be needed.
    _settle(items, problems, eval_path, skip_invalid)
    progress(f"scoring {len(items.lineups):,} bundles of {items.distinct_texts:,} distinct texts")
    texts = items.anchors.texts, items.options.texts
    embedded = [embed_eval(*texts, model, embeddings, base_url, progress, similarity) for model in models]
    for of_model in embedded:
        items = drop_faulty(items, of_model, problems)
    _settle(items, problems, eval_path, skip_invalid)
    return items, embedded, problems


def _settle(items: EvalItems, problems: RowFaults, eval_path: Path, skip_invalid: bool) -> None:
    """Refuse bad rows that are not to be skipped, and an eval of which no bundle is left."""
    if not skip_invalid:
        problems.refuse()
    if not len(items.lineups):
        causes = next(iter(_left_out(problems)), "the file is empty")
        raise InputError(f"no bundle is left to score: {causes}", where=eval_path)


def _left_out(problems: RowFaults) -> list[str]:
    return [dropped(problems.counts, problems.n_rows)] if problems.counts else []


def seed_of(frozen: VersionRecord | None, requested: int | None) -> int:
    """The seed for the fingerprint: the frozen one, else the requested one, else ``SEED``."""
    if frozen is None:
        return SEED if requested is None else requested
    if requested not in (None, frozen.seed):
        raise UsageError(
            f"--seed is {requested}, but version {frozen.version!r} was frozen with seed {frozen.seed}",
            next_step="Leave --seed out",
        )
    return frozen.seed


def write_tiers(eval_path: Path, out: Path, tiers: Mapping[str, str]) -> None:
    """Copy an eval bundle by bundle, whole or not at all."""
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for bundle in read_bundles(eval_path, RowFaults(eval_path)):
            if bundle.bundle_id in tiers:
                row = replace(bundle, tier=tiers[bundle.bundle_id]).to_row()
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
