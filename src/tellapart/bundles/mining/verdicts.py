"""Verdicts: which candidates are accepted, why the others are not, and what that comes to in figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field

from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.pools import PARTS
from tellapart.bundles.mining.settings import STRENGTHS, Settings, strength
from tellapart.bundles.rounding import rounded
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import F64
from tellapart.core.bundle import Bundle, Text, content
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.record import StoredRecord

QUANTILE = 0.9
"""Of the existing bundles' danger, by linear interpolation: where a calibrated threshold lies."""


Share = Annotated[float, Field(ge=0, le=1)]


class SingleLineup(StoredRecord):
    """What mining with the first lineup alone would have accepted of the same candidates.

    Attributes:
        passed: Candidates whose first lineup is passed.
        pass_rate: ``passed / candidates_tested``; None without candidates.
        expected_pass_rate: Its expectation over the lineups drawn: the mean of passes / lineups.
        pseudo_killers: Those of ``passed`` with fewer than ``min_passes`` passes, which multi-lineup
            validation removes.
        pseudo_killer_share: ``pseudo_killers / passed``; None where none passed.
    """

    passed: Annotated[int, Field(ge=0)]
    pass_rate: Share | None
    expected_pass_rate: Share | None
    pseudo_killers: Annotated[int, Field(ge=0)]
    pseudo_killer_share: Share | None


@dataclass(frozen=True)
class Existing:
    """Bundles by content, white space aside.

    Attributes:
        pairs: Anchors and positives.
        lineups: Anchors and sets of negatives.
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    lineups: frozenset[tuple[str, frozenset[str]]] = frozenset()

    def has(self, anchor: str, positive: str, negatives: Iterable[str]) -> bool:
        """Whether a bundle with the same anchor and positive, or the same anchor and negatives, is there."""
        anchor_content = content(anchor)
        if (anchor_content, content(positive)) in self.pairs:
            return True
        return (anchor_content, frozenset(map(content, negatives))) in self.lineups


def existing_bundles(batches: Iterable[pl.DataFrame]) -> Existing:
    """Remember bundles, given as batches of ``BATCH_SCHEMA``, whatever their tier."""
    pairs: set[tuple[str, str]] = set()
    lineups: set[tuple[str, frozenset[str]]] = set()
    for batch in batches:
        for anchor, positive, negatives in batch.select("anchor", "positive", "negatives").iter_rows():
            pairs.add((content(anchor), content(positive)))
            lineups.add((content(anchor), frozenset(map(content, negatives))))
    return Existing(frozenset(pairs), frozenset(lineups))


def calibrated_threshold(danger: F64, tiers: pl.Series) -> float | None:
    """The danger that a tenth of the existing adversarial bundles exceeds."""
    adversarial = tiers.fill_null("") == TIERS[2]
    counted = danger if tiers.null_count() == len(tiers) else danger[adversarial.to_numpy()]
    return float(np.quantile(counted, QUANTILE)) if len(counted) else None


POOL_TOO_SMALL = "pool too small"
TOO_FEW_PASSES = "too few passes"
ALREADY_THERE = "already there"
SAME_CONTENT = "same pair in another sense"

SOURCE = "organic"
"""The ``source`` of mined bundles, as opposed to bundles that were written by hand."""


def judge(
    tested: pl.DataFrame, events: Events, existing: Existing, threshold: float, settings: Settings
) -> pl.DataFrame:
    """Judge candidates."""
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
        **({"cause": row["cause"]} if row["cause"] else {}),
    }
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


def figures(judged: pl.DataFrame, settings: Settings) -> dict[str, Any]:
    """The figures that follow from judged candidates alone; see ``MiningStats``."""
    lineups = settings.lineups
    tested = judged.filter(pl.col("passes").is_not_null())
    accepted = tested.filter(pl.col("cause").is_null())
    n, passes = tested.height, tested["passes"]
    by_passes = np.bincount(passes.to_numpy(), minlength=lineups + 1)
    strong: list[str] = [strength(count, lineups) or "none" for count in accepted["passes"]]
    causes = judged["cause"].drop_nulls().value_counts(sort=False)
    by_cause = dict(sorted(causes.iter_rows()))
    first = tested.filter("first")
    pseudo_killers = first.filter(pl.col("passes") < settings.min_passes).height
    return {
        "candidates_tested": n,
        "accepted": accepted.height,
        "mining_pass_rate": _share(accepted.height, n),
        "pass_distribution": {str(i): int(count) for i, count in enumerate(by_passes)},
        "strengths": {name: strong.count(name) for name in (*STRENGTHS, "none")},
        "single_lineup": SingleLineup(
            passed=first.height,
            pass_rate=_share(first.height, n),
            expected_pass_rate=_share(int(passes.sum()), n * lineups),
            pseudo_killers=pseudo_killers,
            pseudo_killer_share=_share(pseudo_killers, first.height),
        ),
        "rejected": {cause: count for cause, count in by_cause.items() if cause != POOL_TOO_SMALL},
        "not_tested": {POOL_TOO_SMALL: by_cause.get(POOL_TOO_SMALL, 0)},
        "danger": _quantiles(tested["dangers"].explode().to_numpy()),
    }


def _quantiles(dangers: F64) -> dict[str, float | None]:
    names = {"q50": 0.5, "q90": 0.9, "q99": 0.99, "max": 1.0}
    if not len(dangers):
        return dict.fromkeys(names)
    return {name: rounded(float(np.quantile(dangers, share))) for name, share in names.items()}


def _share(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None
