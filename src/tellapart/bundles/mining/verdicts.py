"""Verdicts: which candidates are accepted, and why the others are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.existing import Existing
from tellapart.bundles.mining.pools import PARTS
from tellapart.bundles.mining.settings import Settings, strength
from tellapart.bundles.rounding import rounded
from tellapart.bundles.tiers import TIERS
from tellapart.core.bundle import Bundle, Text
from tellapart.core.fingerprint import canonical_json, sha256

POOL_TOO_SMALL = "pool too small"
TOO_FEW_PASSES = "too few passes"
ALREADY_THERE = "already there"
SAME_CONTENT = "same pair in another sense"

SOURCE = "organic"
"""What mined bundles say about where they come from, as opposed to bundles that were written."""


def judge(
    tested: pl.DataFrame, events: Events, existing: Existing, threshold: float, settings: Settings
) -> pl.DataFrame:
    """Judge candidates.

    Args:
        tested: Rows of ``TESTED_SCHEMA``.
        events: The events.
        existing: Bundles that must not come again.
        threshold: Danger from which a lineup is passed.
        settings: How many passes are needed.

    Returns:
        The rows by ascending ``bundle_id``, with ``passes``, ``first`` (whether the first lineup is passed),
        ``danger`` (the highest), and ``cause``: None if accepted, else the first that holds of
        ``POOL_TOO_SMALL``, ``TOO_FEW_PASSES``, ``ALREADY_THERE`` and ``SAME_CONTENT``; of several with the
        same content the one with the lowest id is accepted.
    """
    rows = tested.with_columns(
        pl.Series(
            "bundle_id", [_bundle_id(events, *pair) for pair in tested.select("anchor", "positive").rows()]
        ).cast(pl.String),
        pl.col("dangers").list.eval(pl.element() >= threshold).list.sum().cast(pl.Int64).alias("passes"),
        (pl.col("dangers").list.first() >= threshold).alias("first"),
        pl.col("dangers").list.max().alias("danger"),
    ).sort("bundle_id")
    return rows.with_columns(pl.Series("cause", _causes(rows, events, existing, settings), dtype=pl.String))


def _causes(rows: pl.DataFrame, events: Events, existing: Existing, settings: Settings) -> list[str | None]:
    seen: set[tuple[int, int]] = set()
    causes: list[str | None] = []
    columns = rows.select("anchor", "positive", "negatives", "passes")
    for anchor, positive, negatives, passes in columns.iter_rows():
        pair = (int(events.content_of[anchor]), int(events.content_of[positive]))
        if passes is None:
            causes.append(POOL_TOO_SMALL)
        elif passes < settings.min_passes:
            causes.append(TOO_FEW_PASSES)
        elif existing.has(events.text(anchor), events.text(positive), map(events.text, negatives)):
            causes.append(ALREADY_THERE)
        elif pair in seen:
            causes.append(SAME_CONTENT)
        else:
            seen.add(pair)
            causes.append(None)
    return causes


def bundle(row: dict[str, Any], events: Events, lineups: int) -> Bundle:
    """One judged row as a bundle, with the negatives of its most dangerous lineup.

    ``metadata`` has ``passes``, ``lineups_tested``, ``danger`` (of these negatives, hence the highest),
    ``median_danger`` (over all lineups), ``strength``, ``source``, ``lemma`` (the anchor's),
    ``negatives_from`` (the part of the pool of each negative) and, for what was not accepted, ``cause``.
    """
    metadata = {
        "passes": row["passes"],
        "lineups_tested": lineups,
        "danger": rounded(row["danger"]),
        "median_danger": rounded(float(np.median(row["dangers"]))),
        "strength": strength(row["passes"], lineups),
        "source": SOURCE,
        "lemma": _lemma(events, row["anchor"]),
        "negatives_from": [PARTS[part] for part in row["parts"]],
    }
    if row["cause"]:
        metadata["cause"] = row["cause"]
    return Bundle(
        row["bundle_id"],
        _text(events, row["anchor"]),
        _text(events, row["positive"]),
        tuple(_text(events, event) for event in row["negatives"]),
        TIERS[2],
        metadata,
    )


def _text(events: Events, event: int) -> Text:
    return Text(events.text(event), events.ids[event], events.senses[events.sense_of[event]])


def _lemma(events: Events, event: int) -> str | None:
    number = events.lemma_of[event]
    return events.lemmas[number] if number >= 0 else None


def _bundle_id(events: Events, anchor: int, positive: int) -> str:
    return f"mined-{sha256(canonical_json([events.ids[anchor], events.ids[positive]]))[:16]}"
