"""The eval of a training: what a model scores on it, what that is held against, and the files of both."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.boards import eval_header, scoreboard
from tellapart.bundles.cautions import dropped, tier_caution
from tellapart.bundles.eval_source import BundleSource, read_eval
from tellapart.bundles.figures import LOGGED, MARGINS
from tellapart.bundles.regressions import Baseline, RegressionWatch
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.run import seed_of, with_tiers, write_scored
from tellapart.bundles.scoring import drop_faulty, score_items
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL, TIERS
from tellapart.core.fingerprint import Fingerprint
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError
from tellapart.files import RowFaults, storage

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class StepEvaluation:
    """One evaluation of a model on one eval.

    Attributes:
        scores: Of each bundle; rows of ``SCORE_SCHEMA``.
        metrics: Figures by metric, without those that are undefined.
        steps: Of the training; -1 outside of one.
    """

    board: Scoreboard
    scores: pl.DataFrame
    metrics: dict[str, float]
    steps: int


class TrainingEval:
    """The eval that a training is evaluated on.

    Attributes:
        name: What stands in front of its metrics, in the names of its files and in what it says.
        fingerprint: ``source_hash|seed|item_count``.
        path: Of its file, or what stands for bundles in memory.
        sizes: Bundles by scope: ``overall``, then the tiers that came with the eval.
        scope: What is judged unless somebody says otherwise: tier 3, or ``overall`` without one.
        metrics: Its metrics, without the name.
        latest: The latest evaluation, or None.
    """

    def __init__(self, source: BundleSource, *, name: str, seed: int | None, skip_invalid: bool) -> None:
        """Read an eval; see ``BundleEvaluator``."""
        self.name = name
        self.latest: StepEvaluation | None = None
        self._skip_invalid = skip_invalid
        self._warned: set[str] = set()
        self._watches: list[RegressionWatch] = []
        self._eval, problems = read_eval(source)
        self._seed = seed_of(self._eval.frozen, seed)
        self._settle(problems)
        items = self._eval.items.items
        if not items.height:
            raise InputError("no bundle is left", where=self._eval.path)
        counts = dict(items["tier"].value_counts().iter_rows())
        self.path = self._eval.path
        self.sizes = {OVERALL: items.height} | {tier: counts[tier] for tier in TIERS if tier in counts}
        self.scope = ADVERSARIAL if ADVERSARIAL in self.sizes else OVERALL
        self.metrics = [metric_name(scope, figure) for scope in self.sizes for figure in LOGGED]
        self.fingerprint = str(Fingerprint(self._eval.source_hash, self._seed, items.height))
        self._files = EvaluationFiles(name, self.metrics)

    def scope_of(self, metric: str) -> str:
        """The tier that a metric is of, or ``overall``."""
        return next(
            (scope for scope in self.sizes if scope != OVERALL and metric.startswith(f"{scope}_")), OVERALL
        )

    def hold_against(self, baseline: Baseline, scopes: Sequence[str], max_drop: float) -> None:
        """Compare later evaluations with a baseline, and warn once of what that cannot show."""
        for scope in scopes:
            watch = RegressionWatch(baseline, scope, max_drop)
            self._watches.append(watch)
            if caution := watch.caution(self.sizes[scope]):
                self.warn_once(caution)

    def evaluate(self, matcher: Matcher, label: str, checkpoint: str, steps: int) -> StepEvaluation:
        """Score a model as it is now."""
        items, problems = self._eval.items, RowFaults(Path(self._eval.path))
        embedded = embed(matcher, items.anchors.texts, items.options.texts)
        items = drop_faulty(items, embedded, problems)
        self._settle(problems)
        scores = with_tiers(score_items(items, embedded, model=label))
        frozen = self._eval.frozen
        version = frozen.version if frozen and scores.height == frozen.item_count else None
        header = eval_header(self._eval.path, self._eval.source_hash, scores, self._seed, version)
        board = scoreboard(scores, header, model=label, similarity=embedded.unit, checkpoint=checkpoint)
        metrics = {
            metric_name(scope, figure): float(value)
            for scope in self.sizes
            for figure in LOGGED
            if (value := getattr(board.tiers[scope], figure)) is not None
        }
        self.latest = StepEvaluation(board, scores, metrics, steps)
        return self.latest

    def write(self, directory: Path, evaluation: StepEvaluation, epoch: float | None, *, table: bool) -> None:
        """Write the scoreboard of an evaluation, the scores beside it and, for ``table``, a line of CSV."""
        out = directory / self._files.scoreboard(epoch, evaluation.steps)
        write_scored(out, evaluation.board, evaluation.scores, self._eval.items.no_strata)
        if table:
            self._files.append_line(directory, evaluation.metrics, epoch, evaluation.steps)

    def warn(self, evaluation: StepEvaluation, *, judges: bool) -> None:
        """Warn of tiers out of order and, where this process ``judges``, of regressions."""
        if caution := tier_caution(evaluation.scores):
            self.warn_once(caution, about="tiers out of order")
        if not judges or not self._watches:
            return
        if not self.is_whole(evaluation):
            self.warn_once("not held against the baseline, as this model's zero vectors leave bundles out")
            return
        for watch in self._watches:
            if regression := watch.regression(evaluation.board, evaluation.scores):
                _LOG.warning("%s: %s", speaker(self.name, evaluation.steps), regression)

    def is_whole(self, evaluation: StepEvaluation) -> bool:
        """Whether an evaluation is of all bundles; zero vectors may leave some out."""
        return evaluation.board.eval_header.fingerprint == self.fingerprint

    def warn_once(self, text: str, about: str | None = None) -> None:
        """Warn, unless the same, or something ``about`` the same, was said before."""
        if (about or text) not in self._warned:
            self._warned.add(about or text)
            _LOG.warning("%s: %s", speaker(self.name), text)

    def margin_unit(self) -> str | None:
        """Of the latest evaluation; None before it."""
        return self.latest.board.units[MARGINS[0]].unit if self.latest else None

    def _settle(self, problems: RowFaults) -> None:
        """Refuse bad rows, or warn once about what was dropped."""
        if not self._skip_invalid:
            problems.refuse()
        elif problems.counts:
            self.warn_once(dropped(problems.counts, problems.n_rows))


def metric_name(scope: str, figure: str) -> str:
    """Name a figure of a tier, or of all bundles."""
    return figure if scope == OVERALL else f"{scope}_{figure}"


def prefixed(name: str, metric: str) -> str:
    """Put a name, if there is one, in front of a metric or of another name."""
    return joined(name, metric)


def speaker(name: str, steps: int = -1) -> str:
    """Who warns, and at which step."""
    at = f" at step {steps}" if steps >= 0 else ""
    return f"BundleEvaluator {name!r}{at}" if name else f"BundleEvaluator{at}"


class EvaluationFiles:
    """Names for the scoreboards of one evaluator, and the table with a line for each evaluation."""

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        """Prepare for an evaluator."""
        self._scoreboards = CheckpointFiles("bundles", name)
        self._table = f"{joined('bundles_evaluation', name_in_files(name), 'results')}.csv"
        self._columns = columns

    def scoreboard(self, epoch: float | None, steps: int) -> str:
        """Name the next scoreboard; see `CheckpointFiles.stem`."""
        return f"{self._scoreboards.stem(epoch, steps)}.json"

    def append_line(
        self, directory: Path, metrics: Mapping[str, float], epoch: float | None, steps: int
    ) -> None:
        """Add an evaluation to the table; an undefined metric is an empty cell."""
        path = directory / self._table
        with storage(path):
            is_new = not path.exists()
            with path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                if is_new:
                    writer.writerow(["epoch", "steps", *self._columns])
                writer.writerow([epoch, steps, *(metrics.get(column, "") for column in self._columns)])


def checkpoint_label(model: Any, output_path: str | None, steps: int, name: str | None = None) -> str:
    """Name a model as it is at a step, ``NAME step STEPS``; without a step outside of a training."""
    name = name or _name_of(model, output_path, steps)
    return f"{name} step {steps}" if steps >= 0 else name


def _name_of(model: Any, output_path: str | None, steps: int) -> str:
    card = getattr(model, "model_card_data", None)
    name = getattr(card, "model_name", None)
    # The first save of a training sets "SentenceTransformer based on …", as that of any other training.
    is_default = str(name).partition(" based on ")[0] == type(model).__name__
    if name and not is_default:
        return str(name)
    if output_path and steps >= 0 and (directory := Path(output_path).resolve().parent.name):
        return directory
    return str(name or getattr(card, "base_model", None) or "model")


class CheckpointFiles:
    """Names for the files of one evaluator.

    They depend on the evaluator's name, the epoch and the step, so a training that is begun again in the same
    directory replaces what the former one left, as it does with checkpoints.
    """

    def __init__(self, kind: str, name: str) -> None:
        """Prepare for an evaluator."""
        self._kind, self._name = kind, name_in_files(name)
        self._used: dict[str, int] = {}

    def stem(self, epoch: float | None, steps: int) -> str:
        """Name the next file, without a suffix; one more of the same step is another file."""
        at_epoch = "" if epoch is None or epoch == -1 else f"epoch{epoch:.4g}"
        stem = joined(self._kind, self._name, at_epoch, "" if steps == -1 else f"step{steps}")
        self._used[stem] = count = self._used.get(stem, 0) + 1
        return stem if count == 1 else f"{stem}-{count}"


def name_in_files(name: str) -> str:
    """Write an evaluator's name as the name of a file can hold it."""
    return re.sub(r"[^\w.+-]+", "_", name)


def joined(*parts: str) -> str:
    """Join the parts that are not empty with underscores."""
    return "_".join(filter(None, parts))
