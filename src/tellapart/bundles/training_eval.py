"""The eval of a training: scored at each step, held against a baseline, and written as scoreboards."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tellapart.bundles.cautions import settle, tier_caution
from tellapart.bundles.figures import LOGGED, rounded
from tellapart.bundles.gates import check_tier, drop_gate
from tellapart.bundles.reading import read_described
from tellapart.bundles.results import Scoreboard, board_of, eval_header, write_scored
from tellapart.bundles.run import seed_of
from tellapart.bundles.scoreboards import Boards, Scored, load_scored
from tellapart.bundles.scoring import drop_faulty, number_described, score_items
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL, TIERS
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.bundles.tiers import given_or_cut
from tellapart.bundles.versions import frozen_version
from tellapart.core.bundle import Bundle
from tellapart.core.comparison import GateOutcome, fewest_losses
from tellapart.core.comparison.pairs import negated
from tellapart.core.fingerprint import Fingerprint, canonical_json
from tellapart.core.score_grid import score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError, Refused, UsageError
from tellapart.files import RowFaults, sha256_of
from tellapart.files.writing import scratch_directory

IN_MEMORY = "<bundles in memory>"
"""Stands where the path of an eval would."""

BundleSource = str | Path | Iterable[Bundle | Mapping[str, Any]]

_NOTHING_LEFT = "bundle is left to score"

COARSE = 0.1
"""A tier is too small for a gate where a drop must be larger by this than the limit to be beyond noise."""

_SMALLEST_STEP = 0.01
"""Between two reports about one tier, even where the limit is 0."""

_LOG = logging.getLogger(__name__)


class StepEvaluation(NamedTuple):
    """One evaluation of a model, with the figures that are defined; ``steps`` is -1 outside of a training."""

    board: Scoreboard
    scores: pl.DataFrame
    metrics: dict[str, float]
    steps: int


class TrainingEval:
    """The eval that a training is evaluated on, the sizes of its tiers, and the latest evaluation."""

    def __init__(self, source: BundleSource, *, name: str, seed: int | None, skip_invalid: bool) -> None:
        """Read an eval; see ``BundleEvaluator``."""
        self.name, self._skip_invalid = name, skip_invalid
        self.latest: StepEvaluation | None = None
        self._warned: set[str] = set()
        self._baseline: Scored | None = None
        self._max_drop = 0.0
        # By scope the drop beyond which a regression is reported.
        self._reported: dict[str, float] = {}
        self._stems: dict[str, int] = {}
        is_file = isinstance(source, str | Path)
        self.path = str(source) if is_file else IN_MEMORY
        problems = RowFaults(Path(self.path))
        with nullcontext() if is_file else scratch_directory("tellapart-eval-") as directory:
            path = Path(self.path) if directory is None else directory / "bundles.jsonl"
            if not isinstance(source, str | Path):
                path.write_bytes(canonical_lines(source))
            self._frozen = frozen_version(path)
            self._source_hash = self._frozen.source_hash if self._frozen else sha256_of(path)[:16]
            self._items = number_described(read_described(path, problems))
        self._seed = seed_of(self._frozen, seed)
        items = self._items.items
        self._settle(problems, items.height)
        counts = dict(items["tier"].value_counts().iter_rows())
        self.sizes = {OVERALL: items.height} | {tier: counts[tier] for tier in TIERS if tier in counts}
        self.scope = ADVERSARIAL if ADVERSARIAL in self.sizes else OVERALL
        self.metrics = [metric_name(scope, figure) for scope in self.sizes for figure in LOGGED]
        self.fingerprint = str(Fingerprint(self._source_hash, self._seed, items.height))

    def watched(self, watch: Sequence[str]) -> tuple[str, ...]:
        """Check what is to be watched, ``overall`` or tiers, against the tiers of the eval."""
        scopes = tuple(dict.fromkeys(map(check_tier, watch)))
        for scope in scopes:
            if scope not in self.sizes:
                raise UsageError(
                    f"watch names {scope!r}, but no bundle of {self.path} is in it",
                    next_step=f"Choose from {', '.join(self.sizes)}",
                )
        return scopes

    def hold_against(self, path: Path, scopes: Sequence[str], max_drop: float | None) -> None:
        """Compare later evaluations with a baseline, and warn once of what that cannot show."""
        baseline = load_scored(path)
        header = baseline.board.eval_header
        if header.fingerprint != self.fingerprint:
            raise Refused(
                f"the baseline {path} is of another eval"
                f"\n  baseline  EVAL_FINGERPRINT: {header.fingerprint}  {header.eval_path}"
                f"\n  this eval EVAL_FINGERPRINT: {self.fingerprint}",
                next_step="Score the baseline's model on this eval with 'tellapart bundles score'",
            )
        if max_drop is not None:
            self._baseline, self._max_drop = baseline, max_drop
            self._reported = dict.fromkeys(scopes, max_drop)
        for scope in self._reported:
            self.warn_once(size_caution(scope, self.sizes[scope], self._max_drop))

    def evaluate(self, matcher: Matcher, label: str, checkpoint: str, steps: int) -> StepEvaluation:
        """Score a model as it is now."""
        items, problems = self._items, RowFaults(Path(self.path))
        embedded = embed(matcher, items.anchors.texts, items.options.texts)
        items = drop_faulty(items, embedded, problems)
        self._settle(problems, items.items.height)
        scores = score_items(items, embedded, model=label)
        tiers, _ = given_or_cut(scores["tier"], scores["margin"].to_numpy())
        scores = scores.with_columns(tiers.cast(pl.String))
        frozen = self._frozen
        version = frozen.version if frozen and scores.height == frozen.item_count else None
        header = eval_header(self.path, self._source_hash, scores, self._seed, version)
        board = board_of(
            stats_by_tier(scores), header, model=label, similarity=embedded.unit, checkpoint=checkpoint
        )
        metrics = {
            metric_name(scope, figure): float(value)
            for scope in self.sizes
            for figure in LOGGED
            if (value := getattr(board.tiers[scope], figure)) is not None
        }
        self.latest = StepEvaluation(board, scores, metrics, steps)
        return self.latest

    def write(self, directory: Path, evaluation: StepEvaluation, epoch: float | None) -> None:
        """Write the scoreboard and its scores; a training begun again replaces what the former one left."""
        steps, name = evaluation.steps, re.sub(r"[^\w.+-]+", "_", self.name)
        at_epoch = "" if epoch is None or epoch == -1 else f"epoch{epoch:.4g}"
        stem = joined("bundles", name, at_epoch, "" if steps == -1 else f"step{steps}")
        self._stems[stem] = count = self._stems.get(stem, 0) + 1
        out = directory / f"{stem}{'' if count == 1 else f'-{count}'}.json"
        write_scored(out, evaluation.board, evaluation.scores)

    def warn(self, evaluation: StepEvaluation) -> None:
        """Warn of tiers out of order, and of regressions beyond the limit, again if one deepens as much."""
        self.warn_once(tier_caution(evaluation.scores) or "", about="tiers out of order")
        if self._baseline is None:
            return
        if evaluation.board.eval_header.fingerprint != self.fingerprint:
            self.warn_once("not held against the baseline, as this model's zero vectors leave bundles out")
            return
        for scope, reported in self._reported.items():
            before, now = (board.tiers[scope] for board in (self._baseline.board, evaluation.board))
            if before.pass_rate is None or now.pass_rate is None:
                continue
            drop = rounded(before.pass_rate - now.pass_rate)
            # Intervals are too dear for every evaluation, so only what is below the limit is judged.
            if drop > reported:
                self._reported[scope] = rounded(drop + max(self._max_drop, _SMALLEST_STEP))
                _LOG.warning(
                    "%s: %s pass_rate is %.4g, %.4g below the baseline's %.4g (%s), n = %d: %s",
                    speaker(self.name, evaluation.steps),
                    scope,
                    now.pass_rate,
                    drop,
                    before.pass_rate,
                    self._baseline.path,
                    now.n,
                    judged_drop(self._baseline, evaluation, scope, self._max_drop),
                )

    def warn_once(self, text: str, about: str | None = None) -> None:
        """Warn, if there is a text, unless the same or something ``about`` the same was said before."""
        if text and (about or text) not in self._warned:
            self._warned.add(about or text)
            _LOG.warning("%s: %s", speaker(self.name), text)

    def _settle(self, problems: RowFaults, left: int) -> None:
        """Refuse bad rows, or warn once of what is left out."""
        for text in settle(problems, self.path, _NOTHING_LEFT, left, skip_invalid=self._skip_invalid):
            self.warn_once(text)


def size_caution(scope: str, n: int, max_drop: float) -> str:
    """Say what so many bundles cannot show; may be empty."""
    least = fewest_losses(n, max_drop)
    if least is None:
        return f"{scope} has n = {n}: too few bundles for any drop to be beyond noise"
    if least / n - max_drop <= COARSE:
        return ""
    return (
        f"{scope} has n = {n}: a drop of more than {max_drop:g} is beyond noise only from {least} lost "
        f"bundles on ({100 * least / n:.1f} points), so smaller ones will be unclear"
    )


def judged_drop(baseline: Scored, evaluation: StepEvaluation, scope: str, max_drop: float) -> str:
    """Say whether a drop of the pass rate is beyond noise, as the gate of ``bundles compare`` does."""
    now = Scored(Path(), evaluation.board, evaluation.scores, ScoreNotes())
    boards = Boards((baseline, now), ("the baseline", evaluation.board.model))
    gate, _ = drop_gate(boards, score_grid(boards.table), max_drop, scope)
    change = gate.interval and negated(gate.interval)
    span = "" if change is None else f" ({change.low:+.4f} to {change.high:+.4f})"
    if gate.outcome is GateOutcome.FAILED:
        return f"more than {max_drop:g} below it beyond noise{span}"
    needed = gate.items_needed
    finds = f"; {needed:,} bundles would find a drop of {max_drop:g}" if needed else ""
    return f"unclear{span}: {gate.reason}{finds}"


def canonical_lines(bundles: Iterable[Bundle | Mapping[str, Any]]) -> bytes:
    """Write bundles as JSON Lines with one spelling, so that equal bundles are equal bytes."""
    lines = []
    for number, bundle in enumerate(bundles, start=1):
        row = bundle.to_row() if isinstance(bundle, Bundle) else bundle
        if not isinstance(row, Mapping):
            raise InputError(
                f"this is {type(row).__name__}, expected a Bundle or a mapping such as "
                "{'anchor': …, 'positive': …, 'negatives': […]}",
                where=f"{IN_MEMORY}:{number}",
            )
        try:
            lines.append(canonical_json(dict(row)) + b"\n")
        except (TypeError, ValueError) as error:
            raise InputError(f"JSON cannot hold this row: {error}", where=f"{IN_MEMORY}:{number}") from None
    if not lines:
        raise InputError("there are no bundles", where=IN_MEMORY)
    return b"".join(lines)


def metric_name(scope: str, figure: str) -> str:
    """Name a figure of a tier, or of all bundles."""
    return figure if scope == OVERALL else f"{scope}_{figure}"


def joined(*parts: str) -> str:
    """Join the parts that are not empty with underscores."""
    return "_".join(filter(None, parts))


def speaker(name: str, steps: int = -1) -> str:
    """Who warns, and at which step."""
    at = f" at step {steps}" if steps >= 0 else ""
    return f"BundleEvaluator {name!r}{at}" if name else f"BundleEvaluator{at}"


def checkpoint_label(model: Any, output_path: str | None, steps: int, name: str | None = None) -> str:
    """Name a model as it is at a step, ``NAME step STEPS``; without a step outside of a training."""
    card = getattr(model, "model_card_data", None)
    given = getattr(card, "model_name", None)
    # The first save of a training sets "SentenceTransformer based on …", as that of any other training.
    if not name and str(given).partition(" based on ")[0] != type(model).__name__:
        name = given
    if not name and output_path and steps >= 0:
        name = Path(output_path).resolve().parent.name
    name = name or given or getattr(card, "base_model", None) or "model"
    return f"{name} step {steps}" if steps >= 0 else str(name)
