"""Records of this suite: what its commands print as JSON, store in files and show on pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tellapart.bundles.figures import TierStats
from tellapart.core.comparison import Comparison, GateOutcome
from tellapart.core.figure_units import FigureUnit
from tellapart.core.record import Record, StoredRecord
from tellapart.core.severity import Severity
from tellapart.files import write_json
from tellapart.store import load_record

MAKE_SCOREBOARD = "Make one with 'tellapart bundles score EVAL --model NAME --out FILE.json'"


Share = Annotated[float, Field(ge=0, le=1)]


class TierCuts(Record):
    """What ``bundles tier --json`` prints.

    Attributes:
        tier_distribution: Bundles by tier, each tier named.
        cutoffs: The highest danger in the first tier and in the second; None without bundles.
        tied: For each cut, the share of bundles that ties put on another side; in [0, 1].
    """

    tier_distribution: dict[str, int]
    cutoffs: tuple[float, float] | None
    tied: tuple[float, float]


class EvalHeader(Record):
    """Which eval.

    Attributes:
        eval_path: As the user gave it.
        fingerprint: ``source_hash|seed|item_count``; scoreboards compare only where it is equal.
        source_hash: First 16 hexadecimal digits of the SHA-256 of the file's bytes.
        item_count: Bundles in the file.
        version: As ``bundles freeze`` named it; None for a file that is not frozen.
    """

    eval_path: str
    fingerprint: str
    source_hash: str
    seed: int
    item_count: int
    tier_distribution: dict[str, int]
    version: str | None = None


class Scoreboard(Record):
    """One model on one eval; equal inputs give equal files but for ``timestamp``.

    Attributes:
        model: Its name in tables.
        overall: Figures over all bundles.
        by_tier: Figures by tier, every tier named.
        timestamp: When, in ISO 8601 with the offset from UTC.
        checkpoint_path: Where the model's weights or vectors came from; empty where it was not given.
        tellapart_version: Of the program that wrote it.
        units: Kind and unit of each figure by name.

    Source:
        "Crucible Metrics Reference", Scoreboard Schema.
    """

    eval_header: EvalHeader
    model: str
    overall: TierStats
    by_tier: dict[str, TierStats]
    timestamp: str
    checkpoint_path: str = ""
    tellapart_version: str
    units: dict[str, FigureUnit]

    @property
    def tiers(self) -> Mapping[str, TierStats]:
        """``overall`` and then each tier."""
        return {"overall": self.overall, **self.by_tier}

    @property
    def margin_unit(self) -> str | None:
        """The unit of the margins."""
        return self.units["mean_margin"].unit


def scores_path(scoreboard: Path) -> Path:
    """Where the scores of each bundle are: ``NAME.scores.parquet`` beside ``NAME.json``."""
    return scoreboard.parent / f"{scoreboard.stem}.scores.parquet"


def write_scoreboard(path: Path, scoreboard: Scoreboard) -> None:
    """Write a scoreboard, whole or not at all."""
    write_json(path, scoreboard.model_dump(mode="json"))


def read_scoreboard(path: Path) -> Scoreboard:
    """Read a scoreboard."""
    return load_record(path, Scoreboard, "scoreboard", next_step=MAKE_SCOREBOARD)


class Parent(Record):
    """The version that a version extends."""

    version: str
    fingerprint: str
    item_count: int


class VersionRecord(Record):
    """What a version of an eval is; equal files give equal records.

    Attributes:
        source_hash: First 16 hexadecimal digits of the SHA-256 of the file's bytes.
        seed: The seed that the eval was drawn with.
        item_count: Bundles in the file.
        tier_distribution: Bundles by tier, each tier named; those without a tier are in none.
        fingerprint: ``source_hash|seed|item_count``.
        parent: The version whose items are the first of this one's; None for a first version.

    Source:
        "Crucible Metrics Reference", Fingerprint Components; what comes after ``version`` is ours.
    """

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


class BoardSide(Record):
    """One of two scoreboards that are compared.

    Attributes:
        label: What tables call it.
        margin_unit: The unit of its margins.
    """

    label: str
    scoreboard: str
    model: str
    checkpoint_path: str
    margin_unit: str | None
    eval_path: str
    fingerprint: str
    version: str | None


class BundleCounts(Record):
    """Bundles of two scoreboards A and B.

    Attributes:
        moved: In another tier in B.
        reshaped: With another number of negatives in B.
    """

    a: int
    b: int
    shared: int
    moved: int
    reshaped: int


class TierGateRecord(Record):
    """A gate and how it ended.

    Attributes:
        name: ``TIER.FIGURE.drop``.
        limit: How far the figure may drop.
        value: How far it dropped: baseline - candidate.
        n: Bundles that it was judged on.
        can_fire: Whether the worst candidate there could be would fail.
        fewest_losses: Bundles that must be lost, and none gained, for a pass-rate gate to fail.
        items_needed: Bundles that find a drop of the limit; None where there are as many.
        reason: Why it is unclear.
    """

    name: str
    option: str
    limit: float
    value: float | None
    ci: tuple[float, float] | None
    outcome: GateOutcome
    n: int
    can_fire: bool
    fewest_losses: int | None
    items_needed: int | None
    reason: str | None


class FailedCanary(Record):
    """A canary that a model fails.

    Attributes:
        anchor: The beginning of its anchor's text; None where the eval is not at hand.
        margin: The model's margin, in its unit.
    """

    item: str
    anchor: str | None
    tier: str | None
    margin: float


class CanaryRecord(Record):
    """What ``bundles canary --json`` prints.

    Attributes:
        model: Whose pass rate.
        fingerprint: Of the canaries; empty where another program recorded none.
        version: Of the canaries, if they are frozen.
        tier: Whose bundles, or ``overall``.
        floor: What the pass rate must reach.
        value: The pass rate; None without bundles.
        can_pass: Whether it would be passed if every bundle were.
        reason: Why it is unclear.
        cautions: What decides how much the rate is worth.
        failed: The canaries that the model fails, the most clearly failed first.
    """

    scoreboard: str
    model: str
    fingerprint: str
    version: str | None
    tier: str
    floor: float
    value: float | None
    ci: tuple[float, float] | None
    n: int
    outcome: GateOutcome
    can_pass: bool
    reason: str | None
    cautions: tuple[str, ...]
    failed: tuple[FailedCanary, ...]


class FigureChange(Record):
    """A figure of two scoreboards.

    Attributes:
        delta: B minus A; of counts a whole number.
        reason: Why something is missing.
    """

    a: int | float | None
    b: int | float | None
    delta: int | float | None
    reason: str | None


class PassRateChange(FigureChange):
    """A pass rate of two scoreboards, with the test over the bundles that both have.

    Attributes:
        delta_shared: B minus A over those bundles.
        p_holm: Adjusted for all pairs and tiers that are compared.
    """

    delta_shared: float | None = None
    ci: tuple[float, float] | None = None
    p: float | None = None
    p_holm: float | None = None
    test: str | None = None


class BundleFlipRecord(Record):
    """A bundle that one of two models passes and the other fails.

    Attributes:
        anchor: The beginning of its anchor's text; None where the eval is not at hand.
        baseline: The score of the baseline, 1 for a pass.
        margin_a: The baseline's margin, in its model's unit.
        margin_b: The candidate's, in its own.
    """

    item: str
    anchor: str | None
    tier: str | None
    baseline: float
    candidate: float
    margin_a: float
    margin_b: float


class SliceRecord(Record):
    """One model on the bundles that have one value of a field.

    Attributes:
        value: Of the field; ``(none)`` of the bundles that lack it.
        clusters: Anchors of the bundles.
        stats: Figures over the bundles.
        reason: Why there are no intervals; None where there are.
    """

    value: str
    model: str
    clusters: int
    stats: TierStats
    reason: str | None


class KindRecord(Record):
    """One model against the negatives of one kind.

    Attributes:
        kind: The source of the negatives; ``(none)`` of those without one.
        n: Bundles that have a negative of the kind, whatever the model.
        beaten: Those of them in which a negative of the kind is at least as similar as the positive.
        pass_rate: ``1 - beaten / n``: the pass rate were these the only negatives.
        interval: Of ``pass_rate``, 95 %, clustered on the anchor.
        failures: Bundles that the model fails and whose winning negative is of the kind; where the best
            negatives of k kinds tie, each has 1/k of the bundle. Over all kinds, the failures of the model.
        share_of_failures: ``failures`` over all failures of the model; None where it fails nothing.
        reason: Why there is no interval; None where there is one.
    """

    kind: str
    model: str
    n: int
    clusters: int
    beaten: int
    pass_rate: float | None
    interval: list[float] | None
    failures: float
    share_of_failures: float | None
    reason: str | None


class SlicesRecord(Record):
    """What ``--by`` adds to a report, slice by slice and in each model by model.

    Attributes:
        by: The field, or ``negative_kind``.
    """

    by: str
    slices: tuple[SliceRecord, ...] = ()
    kinds: tuple[KindRecord, ...] = ()


class BoardComparisonRecord(Record):
    """What ``bundles compare --json`` prints of a baseline A and a candidate B.

    Attributes:
        fingerprints_match: Whether both are of one eval.
        exploratory: Whether they are of different evals, or of different bundles of one.
        items: Bundles of both.
        comparison: Of the pass rates.
        gates: Those that were requested.
        outcome: Of all gates together; None without a gate.
        tiers: By tier, after ``overall``, and figure of `TierStats` the change.
        flips: The bundles that flipped, the most decisive first.
        slices: What ``--by`` requested; None without it.
    """

    fingerprints_match: bool
    exploratory: bool
    a: BoardSide
    b: BoardSide
    items: BundleCounts
    comparison: Comparison
    gates: tuple[TierGateRecord, ...]
    outcome: GateOutcome | None
    tiers: dict[str, dict[str, PassRateChange | FigureChange]]
    flips: tuple[BundleFlipRecord, ...]
    slices: SlicesRecord | None = None


class LintFindingRecord(Record):
    """A finding, as ``bundles lint --json`` lists it.

    Attributes:
        severity: An error means that the figures do not measure what they claim.
        bundles: Ids of the bundles that it is about; empty where it is about a whole file.
        places: ``FILE:LINE`` of each of ``bundles``, or the file.
    """

    check: str
    severity: Severity
    bundles: tuple[str, ...]
    detail: str
    places: tuple[str, ...]


class PoolPart(Record):
    """One of two parts of a pool.

    Attributes:
        anchors: Different ones.
        groups: Groups of bundles that have anchors in common, or nearly.
        tier_distribution: Bundles by tier, each tier named; those without a tier are in none.
    """

    path: str
    bundles: int
    anchors: int
    groups: int
    tier_distribution: dict[str, int]


class PoolSplit(Record):
    """What ``bundles pool split --json`` prints.

    Attributes:
        share: Of ``train``, as requested.
        largest_group: Bundles in the largest group; it is in one part as a whole.
        dropped: Bad rows that were left out, by cause.
    """

    train: PoolPart
    holdout: PoolPart
    share: float
    seed: int
    largest_group: int
    dropped: dict[str, int]


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


class MiningStats(StoredRecord):
    """Figures of a mining run; all but ``duration_s`` are the same for the same events and parameters.

    Attributes:
        candidates_tested: Candidates that had lineups; each is accepted or rejected.
        accepted: Bundles written.
        mining_pass_rate: ``accepted / candidates_tested``; None without candidates.
        pass_distribution: Candidates tested by their number of passes, from 0 to the number of lineups.
        strengths: Accepted bundles by strength; ``none`` is below ``low``.
        rejected: Candidates tested and not accepted, by cause.
        not_tested: Candidates without lineups, by cause.
        senses: Senses among the events.
        senses_without_pair: Those of them that have no two distinct texts.
        threshold: Danger from which a lineup is passed.
        danger: Quantiles over all lineups of all candidates: ``q50``, ``q90``, ``q99`` and ``max``.
        parameters: As they were given; ``similarity`` where it is not the cosine.
        events_fingerprint: SHA-256 of the events, whatever their order.
        duration_s: Seconds of work, those of interrupted runs included.

    Source:
        "Crucible Metrics Reference", Multi-Lineup Validation Metrics; from ``single_lineup`` on ours.
    """

    candidates_tested: Annotated[int, Field(ge=0)]
    accepted: Annotated[int, Field(ge=0)]
    mining_pass_rate: Share | None
    pass_distribution: dict[str, int]
    strengths: dict[str, int]
    single_lineup: SingleLineup
    rejected: dict[str, int] = Field(default_factory=dict)
    not_tested: dict[str, int] = Field(default_factory=dict)
    senses: int | None = None
    senses_without_pair: int | None = None
    events: int | None = None
    threshold: float | None = None
    danger: dict[str, float | None] = Field(default_factory=dict)
    model: str = ""
    parameters: dict[str, int | float | str] = Field(default_factory=dict)
    events_fingerprint: str = ""
    duration_s: float | None = None
    tellapart_version: str = ""


class ReportedModel(Record):
    """A scoreboard in a report.

    Attributes:
        tiers: Its figures by tier, after ``overall``.
        tiers_by_own_margins: Whether the tiers were cut by the model's own margins.
    """

    scoreboard: str
    fingerprint: str
    tiers: dict[str, TierStats]
    tiers_by_own_margins: bool
    units: dict[str, FigureUnit]


class HardestBundle(Record):
    """One of the bundles that lie lowest in the models' margins.

    Attributes:
        tier: Its tier on the first scoreboard.
    """

    item: str
    tier: str | None
    margins: dict[str, float]


class ReportRecord(Record):
    """What ``bundles report --json`` prints.

    Attributes:
        exploratory: Whether the scoreboards are of different evals, or of different bundles of one.
        scope: What the charts conclude on: a tier, or ``overall``.
        comparison: Of the pass rates; None for one scoreboard.
        cautions: What decides how much the verdict is worth.
        bundles_in_different_tiers: Bundles that two scoreboards put in different tiers.
        slices: What ``--by`` requested; None without it.
    """

    verdict: str
    exploratory: bool
    scope: str
    comparison: Comparison | None
    cautions: tuple[str, ...]
    models: dict[str, ReportedModel]
    bundles_in_different_tiers: int
    hardest: tuple[HardestBundle, ...]
    slices: SlicesRecord | None = None


class TwoEvalsRecord(Record):
    """What ``bundles gate --json`` prints.

    Attributes:
        outcome: Of both gates together.
        max_drop: How far either pass rate may fall.
        baseline: What the tables of the frozen eval call it.
        outcomes: How each gate ended, ``frozen`` and ``organic``.
        exploratory: Whether a pair is of different evals, or of different bundles of one.
        frozen: The comparison on the frozen eval, with its gate and the bundles that flipped.
    """

    outcome: GateOutcome
    max_drop: float
    baseline: str
    candidate: str
    outcomes: dict[str, GateOutcome]
    exploratory: bool
    frozen: BoardComparisonRecord
    organic: BoardComparisonRecord
