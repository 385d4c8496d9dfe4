"""Two scoreboards compared, on one eval or on two at once: a verdict, gates, changes and flips."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.bundles.figures import MARGINS, rounded
from tellapart.bundles.gates import drop_gate
from tellapart.bundles.results import why_margins_differ
from tellapart.bundles.scoreboards import Boards, Scored, anchor_texts, load_boards
from tellapart.bundles.slices import SlicesRecord, slice_column, slice_rates, sliced_table
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.tier_stats import TierStats, stats_by_tier
from tellapart.core.comparison import Comparison, ComparisonSettings, Gate, GateOutcome, flips, worst_outcome
from tellapart.core.comparison import compare as compare_models
from tellapart.core.record import Record
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.errors import Refused, UsageError

FROZEN, ORGANIC = "frozen", "organic"


class BoardSide(Record):
    """One of two scoreboards that are compared; tables call it by its label."""

    label: str
    scoreboard: str
    model: str
    checkpoint_path: str
    margin_unit: str | None
    eval_path: str
    fingerprint: str
    version: str | None


class BundleCounts(Record):
    """Bundles of A and B, and those that B has in another tier."""

    a: int
    b: int
    shared: int
    moved: int


class FigureChange(Record):
    """A figure of two scoreboards; ``delta`` is B minus A, ``reason`` says why something is missing."""

    a: int | float | None
    b: int | float | None
    delta: int | float | None
    reason: str | None


class BundleFlipRecord(Record):
    """A bundle that one of two models passes and the other fails; its anchor where the eval is at hand."""

    item: str
    anchor: str | None
    tier: str | None
    baseline: float
    candidate: float
    margin_a: float
    margin_b: float


class BoardComparison(Record):
    """A candidate B held against a baseline A; what ``bundles compare --json`` prints.

    ``comparison`` is of the pass rates: overall, and in every tier or slice as detail. ``gate_moved`` says
    why the gate is on all bundles and not on tier 3. ``tiers`` has the change of each figure, ``flips`` the
    most decisive first.
    """

    fingerprints_match: bool
    exploratory: bool
    a: BoardSide
    b: BoardSide
    items: BundleCounts
    comparison: Comparison
    gate: Gate | None
    gate_moved: str
    outcome: GateOutcome | None
    tiers: dict[str, dict[str, FigureChange]]
    flips: tuple[BundleFlipRecord, ...]
    slices: SlicesRecord | None = None


def compare(
    a: Path,
    b: Path,
    *,
    max_drop: float | None = None,
    tier: str | None = None,
    allow_fingerprint_mismatch: bool = False,
    by: str | None = None,
) -> BoardComparison:
    """Compare the scoreboard of a candidate B with that of a baseline A.

    ``max_drop`` is how far the pass rate may fall in ``tier``, by default in tier 3 where a gate on it can
    fail; ``by`` is a field of the metadata for details by its values in place of tiers.
    """
    boards = load_boards([a, b], allow_fingerprint_mismatch=allow_fingerprint_mismatch)
    grid = score_grid(boards.table if by is None else sliced_table(boards, by))
    comparison = compare_boards(boards, grid, baseline=boards.labels[0], by=by)
    gate, moved = (None, "") if max_drop is None else drop_gate(boards, grid, max_drop, tier)
    first, second = boards.boards
    before, after = (scored.scores["item"] for scored in boards.boards)
    return BoardComparison(
        fingerprints_match=first.fingerprint == second.fingerprint,
        exploratory=boards.is_exploratory,
        a=_side(first, boards.labels[0]),
        b=_side(second, boards.labels[1]),
        items=BundleCounts(
            a=len(before),
            b=len(after),
            shared=int(before.is_in(after.implode()).sum()),
            moved=boards.moved,
        ),
        comparison=comparison,
        gate=gate,
        gate_moved=moved,
        outcome=gate.outcome if gate else None,
        tiers=figure_changes(boards),
        flips=bundle_flips(boards, grid),
        slices=None if by is None else slice_rates(boards, by),
    )


def compare_boards(
    boards: Boards,
    grid: ScoreGrid | None = None,
    *,
    baseline: str | None = None,
    by: str | None = None,
) -> Comparison:
    """Compare the pass rates of models, as detail in every tier or, where ``by`` names a field, by that."""
    if grid is None:
        grid = score_grid(boards.table if by is None else sliced_table(boards, by))
    by = None if by is None else slice_column(by)
    return compare_models(grid, ComparisonSettings(baseline=baseline, by=by))


def _side(scored: Scored, label: str) -> BoardSide:
    board, header = scored.board, scored.board.eval_header
    return BoardSide(
        label=label,
        scoreboard=str(scored.path),
        model=board.model,
        checkpoint_path=board.checkpoint_path,
        margin_unit=board.margin_unit,
        eval_path=header.eval_path,
        fingerprint=header.fingerprint,
        version=header.version,
    )


def figure_changes(boards: Boards) -> dict[str, dict[str, FigureChange]]:
    """Give every figure of a baseline A and a candidate B, and B minus A; tiers are those of A."""
    a, b = boards.boards
    before, after = a.board.tiers, b.board.tiers
    if boards.moved:
        in_a = a.scores.select("item", pl.col("tier").alias("tier_of_a"), pl.lit(True).alias("in_a"))
        tier = pl.when(pl.col("in_a").is_null()).then("tier").otherwise("tier_of_a").alias("tier")
        after = stats_by_tier(b.scores.join(in_a, on="item", how="left").with_columns(tier))
    units = why_margins_differ(a.board, b.board)
    names = [name for name in TierStats.model_fields if name != "ci95"]
    return {
        scope: {name: _change(stats, after[scope], name, units) for name in names}
        for scope, stats in before.items()
    }


def _change(before: TierStats, after: TierStats, name: str, units: str | None) -> FigureChange:
    a, b = getattr(before, name), getattr(after, name)
    empty = [side for side, stats in (("A", before), ("B", after)) if not stats.n]
    absent = [side for side, value in (("A", a), ("B", b)) if value is None]
    reason, delta = units if name in MARGINS else None, None
    if reason is None and not absent:
        delta = b - a if isinstance(a, int) and isinstance(b, int) else rounded(b - a)
    if empty:
        reason = f"no bundles in {' and '.join(empty)}"
    elif absent:
        reason = f"not recorded in {' and '.join(absent)}"
    return FigureChange(a=a, b=b, delta=delta, reason=reason)


def bundle_flips(boards: Boards, grid: ScoreGrid) -> tuple[BundleFlipRecord, ...]:
    """List the bundles that flipped between a baseline A and a candidate B."""
    a, b = (
        scored.scores.select("item", "tier", "margin", size=pl.col("margin").abs().rank("average") / pl.len())
        for scored in boards.boards
    )
    both = a.join(b.drop("tier"), on="item", how="inner", suffix="_b")
    row_of = {item: row for row, item in enumerate(both["item"].to_list())}
    sizes = (both["size"] + both["size_b"]).to_list()
    weights = [sizes[row_of[item]] if item in row_of else 0.0 for item in grid.items.tolist()]
    flipped = flips(grid, boards.labels[1], boards.labels[0], weights)
    anchors = anchor_texts(boards.boards[0], [flip.item for flip in flipped])
    rows = [both.row(row_of[flip.item], named=True) for flip in flipped]
    return tuple(
        BundleFlipRecord(
            item=flip.item,
            anchor=anchors.get(flip.item),
            tier=row["tier"],
            baseline=flip.baseline,
            candidate=flip.candidate,
            margin_a=row["margin"],
            margin_b=row["margin_b"],
        )
        for flip, row in zip(flipped, rows, strict=True)
    )


class TwoEvals(Record):
    """A candidate and a baseline on two evals; what ``bundles gate --json`` prints."""

    outcome: GateOutcome
    max_drop: float
    baseline: str
    candidate: str
    outcomes: dict[str, GateOutcome]
    exploratory: bool
    frozen: BoardComparison
    organic: BoardComparison

    @property
    def evals(self) -> dict[str, BoardComparison]:
        """Both by what each is called."""
        return {FROZEN: self.frozen, ORGANIC: self.organic}


def gate_two_evals(
    frozen: tuple[Path, Path],
    organic: tuple[Path, Path],
    *,
    max_drop: float,
    tier: str | None = None,
    allow_fingerprint_mismatch: bool = False,
) -> TwoEvals:
    """Hold a candidate against a baseline on a tier of a frozen eval, and on all bundles of an organic one.

    To pass, both gates must, each at its own level: the chance of passing a candidate that falls on one of
    them is no larger than that of its gate alone.

    Source:
        Berger 1982, "Multiparameter hypothesis testing and acceptance sampling".
    """
    first, second = (
        compare(*pair, max_drop=max_drop, tier=of, allow_fingerprint_mismatch=allow_fingerprint_mismatch)
        for pair, of in ((frozen, tier), (organic, OVERALL))
    )
    pairs = (first.a, second.a), (first.b, second.b)
    for shared in {first.a.fingerprint, first.b.fingerprint} & {second.a.fingerprint, second.b.fingerprint}:
        raise UsageError(
            f"--frozen and --organic are both of the eval with EVAL_FINGERPRINT: {shared}",
            next_step="Give one of them scoreboards of another eval. For one eval alone there is 'tellapart "
            "bundles compare A B --max-drop 0.02'",
        )
    for what, sides in zip(("baselines", "candidates"), pairs, strict=True):
        models, checkpoints = {side.model for side in sides}, {side.checkpoint_path for side in sides}
        if len(models) > 1 or len(checkpoints - {""}) > 1:
            names = [
                f"{side.model!r}{f' ({side.checkpoint_path})' if side.checkpoint_path else ''} in "
                f"{side.scoreboard}"
                for side in sides
            ]
            raise Refused(
                f"the {what} are not one model: {names[0]} and {names[1]}",
                next_step="Score one model on both evals, each time with the same name: 'tellapart bundles "
                "score EVAL --model MODEL --name NAME --checkpoint CHECKPOINT --out FILE.json'",
            )
    outcomes = {
        name: compared.outcome or GateOutcome.UNCLEAR
        for name, compared in ((FROZEN, first), (ORGANIC, second))
    }
    return TwoEvals(
        outcome=worst_outcome(outcomes.values()) or GateOutcome.UNCLEAR,
        max_drop=max_drop,
        baseline=first.a.label,
        candidate=first.b.label,
        outcomes=outcomes,
        exploratory=first.exploratory or second.exploratory,
        frozen=first,
        organic=second,
    )
