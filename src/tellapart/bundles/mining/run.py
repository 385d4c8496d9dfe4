"""The shell of mining: files, models and the clock."""

from __future__ import annotations

import json
import time
from importlib.metadata import version
from math import isfinite
from pathlib import Path

import polars as pl
from pydantic import Field

from tellapart.bundles.cautions import settle
from tellapart.bundles.mining.candidates import draw_pairs, measure
from tellapart.bundles.mining.events import Events, embed_events, read_events
from tellapart.bundles.mining.settings import THRESHOLD, Settings
from tellapart.bundles.mining.verdicts import (
    Count,
    Share,
    SingleLineup,
    bundle,
    calibrated_threshold,
    contents_of,
    figures,
    judge,
)
from tellapart.bundles.reading import read_batches
from tellapart.bundles.results import check_outs
from tellapart.bundles.scoring import drop_faulty, number_items
from tellapart.bundles.vectors import Source, check_source, open_source
from tellapart.core.figure_units import COSINE
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import StoredRecord
from tellapart.core.settings import settings_record
from tellapart.environment.clock import seconds_since
from tellapart.errors import InputError, UsageError
from tellapart.files import RowFaults, write_json, write_text

CALIBRATE = "calibrate"
POOL_TOO_SMALL = "pool too small"


class MiningStats(StoredRecord):
    """Figures of a mining run; all but ``duration_s`` are the same for the same events and parameters.

    ``strengths`` counts accepted bundles, ``rejected`` and ``not_tested`` candidates by cause.

    Source:
        "Crucible Metrics Reference", Multi-Lineup Validation Metrics; from ``single_lineup`` on ours.
    """

    candidates_tested: Count
    accepted: Count
    mining_pass_rate: Share | None
    pass_distribution: dict[str, int]
    strengths: dict[str, int]
    single_lineup: SingleLineup
    rejected: dict[str, int] = Field(default_factory=dict)
    not_tested: dict[str, int] = Field(default_factory=dict)
    events: int | None = None
    threshold: float | None = None
    model: str = ""
    parameters: dict[str, int | float | str] = Field(default_factory=dict)
    events_fingerprint: str = ""
    duration_s: float | None = None
    tellapart_version: str = ""


def mine(
    events_path: Path,
    out: Path,
    settings: Settings,
    *,
    stats_path: Path | None = None,
    quarantine: Path | None = None,
    existing: Path | None = None,
    threshold: str = str(THRESHOLD),
    model: str | None = None,
    embeddings: Path | None = None,
    base_url: str | None = None,
    skip_invalid: bool = False,
    similarity: str | None = None,
    spread: Spread | None = None,
    progress: Progress = SILENT,
) -> MiningStats:
    """Mine bundles from events, and write those that were accepted.

    Equal events, parameters and seed give equal bundles and figures but for ``duration_s``, whatever the
    order of the events. Vectors are kept in the cache, so the same command after an interruption embeds
    nothing again. ``quarantine`` gets what passed a lineup and was not accepted, with its cause.
    """
    settings.check()
    check_outs([out, stats_path, quarantine], [events_path, existing, embeddings])
    check_source(model, embeddings, similarity)
    given = _given_threshold(threshold, existing)
    started = time.monotonic()

    def settled(problems: RowFaults, left: int, where: Path) -> None:
        what = "row is left to mine with"
        for left_out in settle(problems, where, what, left, skip_invalid=skip_invalid):
            progress(left_out)

    problems = RowFaults(events_path)
    lines = read_events(events_path, problems)
    settled(problems, len(lines), events_path)
    batches: list[pl.DataFrame] = []
    # An empty file is what an earlier run mined, of which nothing was accepted.
    if existing is not None and not (existing.is_file() and not existing.stat().st_size):
        problems = RowFaults(existing)
        batches = list(read_batches(existing, problems))
        settled(problems, 1, existing)
    progress(f"embedding {len(lines):,} events")
    corpus = sorted({event.text for event in lines.values()})
    with open_source(model, embeddings, base_url, corpus, progress, similarity, spread) as source:
        _check_unit(threshold, source.similarity)
        problems = RowFaults(events_path)
        events, between = embed_events(lines, source, problems)
        settled(problems, len(events), events_path)
        if given is None:
            where = existing or Path()
            problems = RowFaults(where)
            given = _calibrated(batches, source, problems, where)
            settled(problems, 1, where)
            progress(f"calibrated: threshold {given:.3f}, the 90th percentile of the danger of {where}")
    pairs = draw_pairs(events, settings)
    progress(f"testing {len(pairs):,} candidates of {len(events.senses):,} senses")
    tested = measure(events, pairs, between, settings, progress)
    judged = judge(tested, events, contents_of(batches), given, settings)
    parameters = settings_record(settings) | {"threshold": threshold}
    stats = MiningStats(
        **figures(judged, settings),
        not_tested={POOL_TOO_SMALL: tested.too_small},
        events=len(events),
        threshold=given,
        model=source.name,
        parameters=parameters | ({} if source.similarity == COSINE else {"similarity": source.similarity}),
        events_fingerprint=events.fingerprint,
        duration_s=round(seconds_since(started), 3),
        tellapart_version=version("tellapart"),
    )
    accepted = pl.col("cause").is_null()
    _write_bundles(out, judged.filter(accepted), events, settings)
    if quarantine is not None:
        borderline = judged.filter(~accepted & (pl.col("passes") > 0))
        _write_bundles(quarantine, borderline, events, settings)
    if stats_path is not None:
        write_json(stats_path, stats.model_dump())
    if not stats.candidates_tested:
        size = settings.negatives_per_lineup
        progress(
            f"no candidate was tested: {tested.too_small:,} of {len(pairs):,} pairs have fewer than {size} "
            "events that may be negatives. Give more senses, and two events or more of each"
        )
    elif not stats.accepted:
        progress("nothing is accepted: lower --threshold, or measure it by --threshold calibrate")
    return stats


def _given_threshold(threshold: str, existing: Path | None) -> float | None:
    """The threshold as a number, or None where it must be calibrated."""
    if threshold == CALIBRATE:
        if existing is None:
            raise UsageError("--threshold calibrate needs the existing bundles: give --existing TIER3.jsonl")
        return None
    try:
        number = float(threshold)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise UsageError(f"--threshold is {threshold!r}, expected a number or {CALIBRATE!r}")
    return number


def _check_unit(threshold: str, similarity: str) -> None:
    """Refuse the threshold that was measured for cosines where it would mean something else."""
    if similarity != COSINE and threshold == str(THRESHOLD):
        raise UsageError(
            f"--threshold {threshold}, the default, is a danger in cosines, and these are of {similarity}",
            next_step="Give --threshold NUMBER, or --threshold calibrate with --existing TIER3.jsonl",
        )


def _calibrated(batches: list[pl.DataFrame], source: Source, problems: RowFaults, where: Path) -> float:
    """The danger that a tenth of the existing adversarial bundles exceeds."""
    if not batches:
        raise InputError("there is no bundle to calibrate with", where=where)
    items = number_items(batches)
    embedded = source.embed(items.anchors.texts, items.options.texts)
    items = drop_faulty(items, embedded, problems)
    danger = -items.lineups.rank(embedded.similarity).margin
    threshold = calibrated_threshold(danger, items.items["tier"])
    if threshold is None:
        raise InputError(
            "there is no bundle of tier3_adversarial to calibrate with",
            where=where,
            next_step="Assign tiers with 'tellapart bundles tier', or give --threshold as a number",
        )
    return threshold


def _write_bundles(path: Path, rows: pl.DataFrame, events: Events, settings: Settings) -> None:
    bundles = (bundle(row, events, settings.lineups).to_row() for row in rows.iter_rows(named=True))
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in bundles))
