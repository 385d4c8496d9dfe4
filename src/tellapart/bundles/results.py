"""Records of this suite: what its commands print as JSON, store in files and show on pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, overload

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tellapart.core.figure_units import FigureUnit
from tellapart.core.stats import Interval
from tellapart.errors import InputError
from tellapart.store import write_text

DECIMALS = 12
"""Far below what single-precision vectors know, above how processors differ."""


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: None) -> None: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """Round to ``DECIMALS``; a negative zero is plain zero, and None stays None."""
    # Adding 0 turns a negative zero into the plain one.
    return None if value is None else round(float(value), DECIMALS) + 0.0


def rounded_ends(interval: Interval | None) -> list[float] | None:
    """Both ends of an interval, rounded; None stays None."""
    return None if interval is None else [rounded(interval.low), rounded(interval.high)]


class TierStats(BaseModel):
    """Figures of one model on some bundles; all but the counts are None where there are no bundles.

    Attributes:
        n: Bundles.
        correct: Bundles whose margin is above 0; a tie is none.
        accuracy: ``correct / n``.
        pass_rate: The same; in contrastive tasks they are one figure.
        mean_margin: Mean of positive minus best negative, in the unit of the similarity.
        median_margin: Quantile .5 by linear interpolation.
        q10_margin: Quantile .1.
        q90_margin: Quantile .9.
        mean_rank: Mean of 1 + the negatives strictly above the positive; a tie ranks first.
        expected_rank: Mean rank over the orders that ties allow.
        mrr: Mean of 1 / rank over those orders, in (0, 1].
        top3: Share of bundles whose positive is among the first three, ties by their expectation.
        top5: Among the first five.
        ties: Bundles whose positive ties with a negative.
        ci95: 95 % intervals of the figures by name, clustered on the anchor: Wilson's for shares, Student's
            for means, between two of the values for quantiles. None where there are too few bundles or
            anchors, or nothing varies.

    Source:
        "Crucible Metrics Reference", TierStats; ``expected_rank`` and what follows it are ours.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int
    correct: int
    accuracy: float | None
    pass_rate: float | None
    mean_margin: float | None
    median_margin: float | None
    q10_margin: float | None
    q90_margin: float | None
    mean_rank: float | None
    expected_rank: float | None
    mrr: float | None
    top3: float | None
    top5: float | None
    ties: int
    ci95: dict[str, list[float] | None]


class EvalHeader(BaseModel):
    """Which eval.

    Attributes:
        eval_path: As the user gave it.
        fingerprint: ``source_hash|seed|item_count``; scoreboards compare only where it is equal.
        source_hash: First 16 hexadecimal digits of the SHA-256 of the file's bytes.
        seed: The seed that the eval was drawn with.
        item_count: Bundles in the file.
        tier_distribution: Bundles by tier.
        version: As ``bundles freeze`` named it; None for a file that is not frozen.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    eval_path: str
    fingerprint: str
    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str | None = None


class Scoreboard(BaseModel):
    """One model on one eval; equal inputs give equal files but for ``timestamp``.

    Attributes:
        eval_header: Which eval.
        model: Its name in tables.
        overall: Figures over all bundles.
        by_tier: Figures by tier, every tier named.
        timestamp: When, in ISO 8601 with the offset from UTC.
        checkpoint_path: Where the model's weights or vectors came from; empty where nobody said.
        tellapart_version: Of the program that wrote it.
        units: Kind and unit of each figure by name; empty in scoreboards of earlier versions.

    Source:
        "Crucible Metrics Reference", Scoreboard Schema.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    eval_header: EvalHeader
    model: str
    overall: TierStats
    by_tier: dict[str, TierStats]
    timestamp: str
    checkpoint_path: str = ""
    tellapart_version: str
    units: dict[str, FigureUnit] = Field(default_factory=dict)

    @property
    def tiers(self) -> Mapping[str, TierStats]:
        """``overall`` and then each tier."""
        return {"overall": self.overall, **self.by_tier}


def scores_path(scoreboard: Path) -> Path:
    """Where the scores of each bundle are: ``NAME.scores.parquet`` beside ``NAME.json``."""
    return scoreboard.parent / f"{scoreboard.stem}.scores.parquet"


def write_scoreboard(path: Path, scoreboard: Scoreboard) -> None:
    """Write a scoreboard, whole or not at all.

    Raises:
        StorageError: The disk is full or closed to us.
    """
    write_text(path, json.dumps(scoreboard.model_dump(mode="json"), indent=2, allow_nan=False) + "\n")


def read_scoreboard(path: Path) -> Scoreboard:
    """Read a scoreboard.

    Raises:
        InputError: It is missing or no scoreboard; names the field.
    """
    try:
        return Scoreboard.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read this scoreboard: {error.strerror}", where=path) from None
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"no scoreboard: field {'.'.join(map(str, first['loc'])) or '(all)'}: {first['msg']}",
            where=path,
            next_step="Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'",
        ) from None


class Parent(BaseModel):
    """The version that a version extends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    fingerprint: str
    item_count: int


class VersionRecord(BaseModel):
    """What a version of an eval is; equal files give equal records.

    Attributes:
        source_hash: First 16 hexadecimal digits of the SHA-256 of the file's bytes.
        seed: The seed that the eval was drawn with.
        item_count: Bundles in the file.
        tier_distribution: Bundles by tier, each tier named; those without a tier are in none.
        version: Its name.
        fingerprint: ``source_hash|seed|item_count``.
        parent: The version whose items are the first of this one's; None for a first version.

    Source:
        "Crucible Metrics Reference", Fingerprint Components; ``fingerprint`` and ``parent`` are ours.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str
    fingerprint: str
    parent: Parent | None = None


def version_path(eval_path: Path) -> Path:
    """Where the record of an eval is: ``NAME.version.json`` beside ``NAME``."""
    return eval_path.parent / f"{eval_path.name}.version.json"


class SingleLineup(BaseModel):
    """What mining with the first lineup alone would have accepted of the same candidates.

    Attributes:
        passed: Candidates whose first lineup is passed.
        pass_rate: ``passed / candidates_tested``; None without candidates.
        expected_pass_rate: Its expectation over the lineups drawn: the mean of passes / lineups.
        pseudo_killers: Those of ``passed`` with fewer than ``min_passes`` passes, which multi-lineup
            validation removes.
        pseudo_killer_share: ``pseudo_killers / passed``; None where none passed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    passed: int
    pass_rate: float | None
    expected_pass_rate: float | None
    pseudo_killers: int
    pseudo_killer_share: float | None


class MiningStats(BaseModel):
    """Figures of a mining run; all but ``duration_s`` are the same for the same events and parameters.

    Attributes:
        candidates_tested: Candidates that had lineups; each is accepted or rejected.
        accepted: Bundles written.
        mining_pass_rate: ``accepted / candidates_tested``; None without candidates.
        pass_distribution: Candidates tested by their number of passes, from 0 to the number of lineups.
        strengths: Accepted bundles by strength; ``none`` is below ``low``.
        single_lineup: See there.
        rejected: Candidates tested and not accepted, by cause.
        not_tested: Candidates without lineups, by cause.
        senses: Senses among the events.
        senses_without_pair: Those of them that have no two distinct texts.
        events: Events read.
        threshold: Danger from which a lineup is passed.
        danger: Quantiles over all lineups of all candidates: ``q50``, ``q90``, ``q99`` and ``max``.
        model: What embedded.
        parameters: As they were asked for.
        events_fingerprint: SHA-256 of the events, whatever their order.
        duration_s: Seconds of work, those of interrupted runs included.
        tellapart_version: Of the program.

    Source:
        "Crucible Metrics Reference", Multi-Lineup Validation Metrics; from ``single_lineup`` on ours.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    candidates_tested: int
    accepted: int
    mining_pass_rate: float | None
    pass_distribution: dict[str, int]
    strengths: dict[str, int]
    single_lineup: SingleLineup
    rejected: dict[str, int]
    not_tested: dict[str, int]
    senses: int
    senses_without_pair: int
    events: int
    threshold: float
    danger: dict[str, float | None]
    model: str
    parameters: dict[str, Any]
    events_fingerprint: str
    duration_s: float
    tellapart_version: str

    def description(self) -> str:
        """A few lines for people."""
        single = self.single_lineup
        spread = ", ".join(f"{passes}: {count:,}" for passes, count in self.pass_distribution.items())
        return "\n".join(
            [
                f"accepted {self.accepted:,} of {self.candidates_tested:,} candidates"
                f" ({_percent(self.mining_pass_rate)}) at danger >= {self.threshold:.3f}:"
                f" {_listed(self.strengths)}",
                f"candidates by passes: {spread}",
                f"a single lineup would pass {single.passed:,} ({_percent(single.pass_rate)}, expected "
                f"{_percent(single.expected_pass_rate)}); {single.pseudo_killers:,} of them pseudo-killers",
                f"rejected: {_listed(self.rejected)}; not tested: {_listed(self.not_tested)}",
                f"danger of a lineup: {', '.join(f'{name} {_danger(q)}' for name, q in self.danger.items())}",
            ]
        )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _danger(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
