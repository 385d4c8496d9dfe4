"""Verdicts: which candidates are accepted, why the others are not, and what that comes to in figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from tellapart.bundles.figures import rounded
from tellapart.bundles.lint.baselines import Candidates, blind_rules
from tellapart.bundles.mining.candidates import PARTS, Measured
from tellapart.bundles.mining.events import Events
from tellapart.bundles.mining.settings import STRENGTHS, Settings, strength
from tellapart.bundles.tier_names import ADVERSARIAL
from tellapart.core.arrays import F64
from tellapart.core.bundle import Bundle, Text, content
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.core.record import StoredRecord

QUANTILE = 0.9
"""Of the existing bundles' danger, by linear interpolation: where a calibrated threshold lies."""

TOO_FEW_PASSES = "too few passes"
ALREADY_THERE = "already there"
SAME_CONTENT = "same pair in another sense"
GIVEN_AWAY = "found without the anchor"

SOURCE = "organic"
"""The ``source`` of mined bundles, as opposed to bundles that were written by hand."""

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class SingleLineup(StoredRecord):
    """What mining with the first lineup alone would have accepted of the same candidates.

    ``expected_pass_rate`` is the mean of passes / lineups; ``pseudo_killers`` have too few passes.
    """

    passed: Count
    pass_rate: Share | None
    expected_pass_rate: Share | None
    pseudo_killers: Count


def calibrated_threshold(danger: F64, tiers: pl.Series) -> float | None:
    """The danger that a tenth of the existing adversarial bundles exceeds, or of all if none has a tier."""
    adversarial = tiers.fill_null("") == ADVERSARIAL
    counted = danger if tiers.null_count() == len(tiers) else danger[adversarial.to_numpy()]
    return float(np.quantile(counted, QUANTILE)) if len(counted) else None


def contents_of(bundles: Iterable[pl.DataFrame]) -> set[tuple[str, str | frozenset[str]]]:
    """What bundles hold, white space aside: each anchor with its positive, and with its set of negatives."""
    found: set[tuple[str, str | frozenset[str]]] = set()
    for batch in bundles:
        for anchor, positive, negatives in batch.select("anchor", "positive", "negatives").iter_rows():
            found.add((content(anchor), content(positive)))
            found.add((content(anchor), frozenset(map(content, negatives))))
    return found


def judge(
    tested: Measured,
    events: Events,
    existing: set[tuple[str, str | frozenset[str]]],
    threshold: float,
    settings: Settings,
) -> pl.DataFrame:
    """Judge candidates: a row each by ascending id, with why it is not accepted, or null."""
    passed = tested.dangers >= threshold
    rows = pl.DataFrame(
        {
            "bundle_id": [
                f"mined-{sha256(canonical_json([events.ids[a], events.ids[p]]))[:16]}"
                for a, p in tested.pairs.tolist()
            ],
            "anchor": tested.pairs[:, 0],
            "positive": tested.pairs[:, 1],
            "dangers": tested.dangers,
            "negatives": tested.negatives,
            "parts": tested.parts,
            "passes": passed.sum(axis=1),
            "first": passed[:, 0],
        },
        schema_overrides={"bundle_id": pl.String},
    ).sort("bundle_id")
    seen: set[tuple[int, int]] = set()
    causes: list[str | None] = []
    for anchor, positive, negatives, passes in rows.select(
        "anchor", "positive", "negatives", "passes"
    ).iter_rows():
        pair = (int(events.content_of[anchor]), int(events.content_of[positive]))
        cause = None
        if passes < settings.min_passes:
            cause = TOO_FEW_PASSES
        elif _is_there(events, anchor, positive, negatives, existing):
            cause = ALREADY_THERE
        elif pair in seen:
            cause = SAME_CONTENT
        else:
            seen.add(pair)
        causes.append(cause)
    judged = rows.with_columns(pl.Series("cause", causes, dtype=pl.String))
    accepted = judged.filter(pl.col("cause").is_null())
    away = accepted.filter(given_away(accepted, events))["bundle_id"]
    is_away = pl.col("bundle_id").is_in(away.implode())
    return judged.with_columns(cause=pl.when(is_away).then(pl.lit(GIVEN_AWAY)).otherwise("cause"))


def _is_there(
    events: Events,
    anchor: int,
    positive: int,
    negatives: list[int],
    existing: set[tuple[str, str | frozenset[str]]],
) -> bool:
    name = content(events.text(anchor))
    if (name, content(events.text(positive))) in existing:
        return True
    return (name, frozenset(content(events.text(event)) for event in negatives)) in existing


def given_away(accepted: pl.DataFrame, events: Events) -> NDArray[np.bool_]:
    """Choose the bundles to leave out, so that no rule without the anchor passes more than guessing.

    Dangerous pairs often have a positive of another kind than their negatives. Where a rule of lint passes
    more than guessing, beyond noise, as many of the bundles that such rules pass are left out as there are
    too many, until none does.

    Source:
        Le Bras et al. 2020, "Adversarial Filters of Dataset Biases". Deviation: the rules are those of lint.
    """
    kept = np.ones(accepted.height, dtype=np.bool_)
    if not accepted.height:
        return kept
    negatives = accepted["negatives"].to_numpy()
    shown = np.concatenate([accepted["positive"].to_numpy()[:, None], negatives], axis=1)
    candidates = Candidates(
        events.texts,
        events.text_of[shown.ravel()],
        np.arange(len(shown) + 1) * shown.shape[1],
        events.content_of[accepted["anchor"].to_numpy()],
    )
    while True:
        rest = candidates.only(kept)
        above = [rule for rule in blind_rules(rest, sample=len(kept)) if rule.is_above_chance]
        if not above:
            return ~kept
        times_passed = np.sum([rule.passed for rule in above], axis=0)
        excess = max(rule.passed.sum() for rule in above) - rest.chance * len(times_passed)
        surplus = int(np.ceil(excess / (1 - rest.chance)))
        worst = np.argsort(-times_passed, kind="stable")[:surplus]
        kept[np.flatnonzero(kept)[worst]] = False


def bundle(row: dict[str, Any], events: Events, lineups: int) -> Bundle:
    """One judged row as a bundle, with the negatives of its most dangerous lineup."""
    metadata = {
        "passes": row["passes"],
        "lineups_tested": lineups,
        "danger": rounded(max(row["dangers"])),
        "median_danger": rounded(float(np.median(row["dangers"]))),
        "strength": strength(row["passes"], lineups),
        "source": SOURCE,
        "lemma": events.lemma(row["anchor"]),
        "negatives_from": [PARTS[part] for part in row["parts"]],
        **({"cause": row["cause"]} if row["cause"] else {}),
    }
    anchor, positive, *negatives = (
        Text(events.text(event), events.ids[event], events.senses[events.sense_of[event]])
        for event in (row["anchor"], row["positive"], *row["negatives"])
    )
    return Bundle(row["bundle_id"], anchor, positive, tuple(negatives), ADVERSARIAL, metadata)


def figures(judged: pl.DataFrame, settings: Settings) -> dict[str, Any]:
    """The figures that follow from judged candidates alone; see ``MiningStats``."""
    accepted = judged.filter(pl.col("cause").is_null())
    n, passes = judged.height, judged["passes"].to_numpy()
    by_passes = np.bincount(passes, minlength=settings.lineups + 1)
    strong: list[str] = [strength(count, settings.lineups) or "none" for count in accepted["passes"]]
    first = judged.filter("first")
    return {
        "candidates_tested": n,
        "accepted": accepted.height,
        "mining_pass_rate": _share(accepted.height, n),
        "pass_distribution": {str(i): int(count) for i, count in enumerate(by_passes)},
        "strengths": {name: strong.count(name) for name in (*STRENGTHS, "none")},
        "single_lineup": SingleLineup(
            passed=first.height,
            pass_rate=_share(first.height, n),
            expected_pass_rate=_share(int(passes.sum()), n * settings.lineups),
            pseudo_killers=first.filter(pl.col("passes") < settings.min_passes).height,
        ),
        "rejected": dict(sorted(judged["cause"].drop_nulls().value_counts(sort=False).iter_rows())),
    }


def _share(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None
