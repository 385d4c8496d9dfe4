"""The suite's shell: what touches files, models and the clock; the steps themselves are pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tellapart.bundles.boards import eval_header, scoreboard
from tellapart.bundles.cautions import dropped, model_cautions, score_cautions, tier_cautions
from tellapart.bundles.embedding import check_source, embed_eval
from tellapart.bundles.figures import column_units
from tellapart.bundles.outputs import check_outs
from tellapart.bundles.parts.folders import is_remote
from tellapart.bundles.parts.run import PartsRequest, score_parts
from tellapart.bundles.reading import read_bundles, read_described
from tellapart.bundles.results import Scoreboard, scores_path, write_scoreboard
from tellapart.bundles.scoring import EvalItems, drop_faulty, number_described, score_items
from tellapart.bundles.tier_names import THRESHOLDS
from tellapart.bundles.tiers import TierAssignment, assign_tiers, check_thresholds, committee_danger
from tellapart.bundles.versions import VersionRecord, frozen_version
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.engines import EngineOptions
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults, replacing, sha256_of
from tellapart.store import write_frame


@dataclass(frozen=True)
class ScoreResult:
    """What ``score`` found.

    Attributes:
        scores: Rows of ``SCORE_SCHEMA``, as they were written; None of an eval that was scored part by part,
            of which not all need fit into memory.
        warnings: What to beware of, a sentence each.
    """

    board: Scoreboard
    scores: pl.DataFrame | None
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class TierResult:
    """What ``tier`` wrote.

    Attributes:
        assigned: The tiers and their cuts.
        warnings: What to beware of, a sentence each.
    """

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
    remote = is_remote(str(eval_path)) or is_remote(str(out))
    if engine is not None or remote or Path(eval_path).is_dir():
        return _score_parts(
            str(eval_path),
            str(out),
            engine or EngineOptions(),
            model=model,
            embeddings=embeddings,
            base_url=base_url,
            similarity=similarity,
            name=name,
            checkpoint=checkpoint,
            seed=seed,
            skip_invalid=skip_invalid,
            progress=progress,
        )
    eval_path, out = Path(eval_path), Path(out)
    check_outs([out, scores_path(out)], [eval_path, embeddings])
    frozen = frozen_version(eval_path)
    seed = seed_of(frozen, seed)
    scored = _scores(eval_path, model, embeddings, name, base_url, similarity, skip_invalid, progress)
    scores, problems = scored.scores, scored.problems
    assigned = None if _has_tiers(scores) else assign_tiers(-scores["margin"].to_numpy())
    scores = with_tiers(scores)
    version = frozen.version if frozen and scores.height == frozen.item_count else None
    source_hash = frozen.source_hash if frozen else sha256_of(eval_path)[:16]
    header = eval_header(str(eval_path), source_hash, scores, seed, version)
    board = scoreboard(
        scores, header, model=scores["model"][0], similarity=scored.unit, checkpoint=checkpoint
    )
    warnings = score_cautions(scores, assigned)
    if problems.counts:
        warnings = (dropped(problems.counts, problems.n_rows), *warnings)
    write_scored(out, board, scores, scored.no_strata)
    return ScoreResult(board, scores, warnings)


def _score_parts(
    eval_address: str,
    out: str,
    engine: EngineOptions,
    *,
    model: str | None,
    embeddings: Path | None,
    base_url: str | None,
    similarity: str | None,
    name: str | None,
    checkpoint: str,
    seed: int | None,
    skip_invalid: bool,
    progress: Progress,
) -> ScoreResult:
    is_file = not is_remote(eval_address) and Path(eval_address).is_file()
    if not is_remote(out):
        inputs = [Path(eval_address) if is_file else None, embeddings]
        check_outs([Path(out), scores_path(Path(out))], inputs)
    frozen = frozen_version(Path(eval_address)) if is_file else None
    request = PartsRequest(
        eval_address,
        out,
        model=model,
        embeddings=embeddings,
        base_url=base_url,
        similarity=similarity,
        name=name,
        checkpoint=checkpoint,
        seed=seed_of(frozen, seed),
        skip_invalid=skip_invalid,
        version=frozen.version if frozen else None,
        frozen_bundles=frozen.item_count if frozen else None,
    )
    board, warnings = score_parts(request, engine, progress=progress)
    return ScoreResult(board, None, warnings)


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
    for model in judges:
        check_source(model, embeddings, similarity)
    items, problems = _read(eval_path, skip_invalid, progress)
    embedded = [embed_eval(items, model, embeddings, base_url, progress, similarity) for model in judges]
    for of_model in embedded:
        items = drop_faulty(items, of_model, problems)
    _settle(items, problems, eval_path, skip_invalid)
    margins = [score_items(items, of_model, model="")["margin"].to_numpy() for of_model in embedded]
    assigned = assign_tiers(committee_danger([-margin for margin in margins]), thresholds)
    ids = items.items["bundle_id"].to_list()
    write_tiers(eval_path, out, dict(zip(ids, assigned.tiers.tolist(), strict=True)))
    warnings = tier_cautions(assigned)
    if problems.counts:
        warnings = (dropped(problems.counts, problems.n_rows), *warnings)
    return TierResult(assigned, warnings)


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


def with_tiers(scores: pl.DataFrame) -> pl.DataFrame:
    """Keep the tiers that came with the data, or assign them by this model's danger if none did."""
    if _has_tiers(scores):
        return scores
    assigned = assign_tiers(-scores["margin"].to_numpy())
    return scores.with_columns(pl.Series("tier", assigned.tiers, dtype=pl.String))


@dataclass(frozen=True)
class _ScoredEval:
    """Scores of all good rows, at least one, the unit of their margins, and what is wrong with the others."""

    scores: pl.DataFrame
    unit: str
    problems: RowFaults
    no_strata: Mapping[str, str]


def _scores(
    eval_path: Path,
    model: str | None,
    embeddings: Path | None,
    name: str | None,
    base_url: str | None,
    similarity: str | None,
    skip_invalid: bool,
    progress: Progress,
) -> _ScoredEval:
    check_source(model, embeddings, similarity)
    items, problems = _read(eval_path, skip_invalid, progress)
    embedded = embed_eval(items, model, embeddings, base_url, progress, similarity)
    items = drop_faulty(items, embedded, problems)
    _settle(items, problems, eval_path, skip_invalid)
    label = name or model or (embeddings.stem if embeddings else "")
    with progress.step("comparing texts", None):
        scores = score_items(items, embedded, model=label)
    return _ScoredEval(scores, embedded.unit, problems, items.no_strata)


def _read(eval_path: Path, skip_invalid: bool, progress: Progress) -> tuple[EvalItems, RowFaults]:
    problems = RowFaults(eval_path)
    with progress.step(f"reading {eval_path.name}", None):
        items = number_described(read_described(eval_path, problems))
    # Before a model is paid for texts that may not be needed.
    _settle(items, problems, eval_path, skip_invalid)
    progress(f"scoring {len(items.lineups):,} bundles of {items.distinct_texts:,} distinct texts")
    return items, problems


def _settle(items: EvalItems, problems: RowFaults, eval_path: Path, skip_invalid: bool) -> None:
    """Refuse bad rows that are not to be skipped, and an eval of which no bundle is left."""
    if not skip_invalid:
        problems.refuse()
    if not len(items.lineups):
        causes = dropped(problems.counts, problems.n_rows) if problems.counts else "the file is empty"
        raise InputError(f"no bundle is left to score: {causes}", where=eval_path)


def _has_tiers(scores: pl.DataFrame) -> bool:
    return scores["tier"].null_count() < scores.height


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
