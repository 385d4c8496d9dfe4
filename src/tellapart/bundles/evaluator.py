"""Bundles as an evaluator for the trainer of sentence-transformers."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import polars as pl
import torch

from tellapart.bundles.cautions import dropped, tier_caution
from tellapart.bundles.encoder import Encoding, ModelEncoder
from tellapart.bundles.eval_source import BundleSource, read_eval
from tellapart.bundles.figures import LOGGED, MARGINS
from tellapart.bundles.regressions import RegressionWatch, load_baseline
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.run import eval_header, scoreboard, seed_of, with_tiers, write_scored
from tellapart.bundles.scoreboards import Scored
from tellapart.bundles.scoring import drop_faulty, score_items
from tellapart.bundles.tier_names import ADVERSARIAL, OVERALL, TIERS
from tellapart.bundles.tier_stats import less_is_better
from tellapart.core.figure_units import COSINE, require_similarity
from tellapart.core.fingerprint import Fingerprint
from tellapart.embed.similarity import embed
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import RowFaults, storage

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ModuleNotFoundError:  # Its place in early releases of version 5.
    from sentence_transformers.evaluation import SentenceEvaluator  # type: ignore[no-redef,import-not-found]

_LOG = logging.getLogger(__name__)


class BundleEvaluator(SentenceEvaluator):
    """Scores a model in training on bundles, and watches that it loses nothing it could do.

    Vectors are compared as the model says, by its ``similarity_fn_name``.

    Every evaluation gives the metrics of ``LOGGED``: ``pass_rate``, ``q10_margin``, … over all bundles and
    ``tier3_adversarial_pass_rate``, … over each tier that came with the eval. A figure that is undefined, as
    those of an empty tier are, is left out: a trainer logs floats, and neither 0 nor NaN would be true. Tiers
    cut by the danger of the model itself move with it, so an eval without tiers has no metrics by tier.

    Under the ``output_path`` that the trainer gives there is afterwards one scoreboard for each evaluation,
    ``bundles_NAME_epochE_stepS.json`` with its ``.scores.parquet``, as ``tellapart bundles score`` writes
    them, and a line for each in ``bundles_evaluation_NAME_results.csv``. Where several processes train, the
    library says which of them evaluates and writes; the first one warns.

    Attributes:
        name: Put in front of the metrics.
        primary_metric: For ``metric_for_best_model``; known before the first evaluation.
        greater_is_better: Of the primary metric.
        fingerprint: ``source_hash|seed|item_count``, as scoreboards have it.
        last_scoreboard: Of the latest evaluation, None before it.
    """

    def __init__(
        self,
        bundles: BundleSource,
        *,
        name: str = "",
        primary_metric: str | None = None,
        baseline: str | Path | Scored | Scoreboard | None = None,
        max_drop: float | None = 0.02,
        max_q10_drop: float | None = 0.05,
        seed: int | None = None,
        skip_invalid: bool = False,
        batch_size: int = 32,
        show_progress_bar: bool = False,
        truncate_dim: int | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        write_csv: bool = True,
        main_similarity: str | Enum | None = None,
    ) -> None:
        """Read an eval.

        Args:
            bundles: The path of an eval file in any form, or bundles or rows of any such form in memory. The
                fingerprint of the latter is that of the file which ``canonical_lines`` makes of them.
            name: Put in front of the metrics and into the names of files; unlike that of other evaluators.
            primary_metric: One of the metrics, without ``name``; by default the pass rate of tier 3, or of
                all bundles where the eval has no tier 3.
            baseline: A scoreboard of the same eval, best as a path: noise is judged by the scores beside it.
            max_drop: Warn when the pass rate falls below the baseline's by more: that of tier 3, or of all
                bundles where the eval has no tier 3. None never warns.
            max_q10_drop: The same for the 10th percentile of the margin. Not watched, with a warning, against
                a baseline whose margins are not recorded in the unit of the model's similarity.
            seed: That the eval was drawn with, for the fingerprint; by default the frozen one, or 42.
            skip_invalid: Drop bad rows and say how many instead of refusing them.
            batch_size: As for ``SentenceTransformer.encode``; so are the next two.
            show_progress_bar: Whether encoding shows one.
            truncate_dim: First dimensions to keep; None for the model's own number.
            query_prompt: Put in front of anchors; None for the model's own.
            document_prompt: Put in front of positives and negatives; None for the model's own.
            write_csv: Write the line of each evaluation.
            main_similarity: Compare vectors by ``cosine``, ``dot``, ``euclidean`` or ``manhattan``, or by a
                ``SimilarityFunction`` of the library; None for the model's own.

        Raises:
            InputError: A row, the file or the baseline cannot be used, or there are no bundles.
            FingerprintError: The file is not what was frozen.
            Refused: The baseline is of another eval.
            UsageError: There is no such primary metric or similarity, the seed is not the frozen one, or a
                limit is out of range.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.name = name
        self.write_csv = write_csv
        self.truncate_dim = truncate_dim
        self.last_scoreboard: Scoreboard | None = None
        self._skip_invalid = skip_invalid
        self._encoding = Encoding(batch_size, show_progress_bar, truncate_dim, query_prompt, document_prompt)
        self._similarity = None if main_similarity is None else _similarity_of(main_similarity)
        self._warned: set[str] = set()
        self._eval, problems = read_eval(bundles)
        self._seed = seed_of(self._eval.frozen, seed)
        self._settle(problems)
        if not self._eval.items.items.height:
            raise InputError("no bundle is left", where=self._eval.path)
        tiers = set(self._eval.items.items["tier"].drop_nulls())
        self._scopes = [OVERALL, *(tier for tier in TIERS if tier in tiers)]
        counts = dict(self._eval.items.items["tier"].value_counts().iter_rows())
        self._sizes = {OVERALL: self._eval.items.items.height} | {
            tier: counts[tier] for tier in self._scopes[1:]
        }
        self._metrics = [_metric(scope, figure) for scope in self._scopes for figure in LOGGED]
        scope = ADVERSARIAL if ADVERSARIAL in tiers else OVERALL
        chosen = primary_metric or _metric(scope, "pass_rate")
        self.primary_metric = self._checked(chosen)
        self.greater_is_better = not less_is_better(chosen)
        self._primary_scope = next(scope for scope in reversed(self._scopes) if _is_of(chosen, scope))
        self.fingerprint = str(Fingerprint(self._eval.source_hash, self._seed, self._eval.items.items.height))
        self._watch = None
        if baseline is not None:
            loaded = load_baseline(baseline, self.fingerprint)
            self._watch = RegressionWatch(
                loaded, scope, max_drop=max_drop, max_q10_drop=max_q10_drop, similarity=self._similarity
            )
            for caution in self._watch.cautions(self._sizes[scope]):
                self._warn_once(caution)
        self._files = EvaluationFiles(name, self._metrics)

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float | None = -1, steps: int = -1
    ) -> dict[str, float]:
        """Score ``model``.

        Args:
            model: As it is now.
            output_path: Directory for the scoreboards; None to write nothing.
            epoch: Of the training; -1 or None outside of one.
            steps: Of the training; -1 outside of one.

        Returns:
            The metrics, each with ``name`` in front.

        Raises:
            InputError: The model gave NaN, infinity or, unless invalid rows are skipped, a zero vector; or it
                left no bundle for the primary metric.
            StorageError: The disk is full or closed to us.
        """
        board, scores = self._score(model, output_path, steps)
        self.last_scoreboard = board
        metrics = {
            _metric(scope, figure): float(value)
            for scope in self._scopes
            for figure in LOGGED
            if (value := getattr(board.tiers[scope], figure)) is not None
        }
        if output_path is not None:
            out = Path(output_path, self._files.scoreboard(epoch, steps))
            write_scored(out, board, scores, self._eval.items.no_strata)
            if self.write_csv:
                self._files.append_line(Path(output_path), metrics, epoch, steps)
        metrics = self.prefix_name_to_metrics(metrics, self.name)
        if self.primary_metric not in metrics:
            raise InputError(
                f"{self.primary_metric!r} is undefined: this model left no bundle to compute it from",
                where=self._eval.path,
            )
        if hasattr(model, "model_card_data"):
            self.store_metrics_in_model_card_data(model, metrics, epoch, steps)  # type: ignore[arg-type]
        self._report(board, scores, metrics, steps)
        return metrics

    def get_config_dict(self) -> dict[str, Any]:
        """What the model card holds about the evaluation."""
        config: dict[str, Any] = {
            "fingerprint": self.fingerprint,
            "similarity": self._unit(),
            "bundles": self._sizes,
        }
        return config if self.truncate_dim is None else {**config, "truncate_dim": self.truncate_dim}

    def _unit(self) -> str:
        """Of the margins: that of the latest evaluation, or else what is to come where that is known."""
        board = self.last_scoreboard
        unit = board.units[MARGINS[0]].unit if board else self._similarity
        return unit or COSINE

    def _checked(self, metric: str) -> str:
        if metric not in self._metrics:
            raise UsageError(
                f"{metric!r} is not a metric of this eval", next_step=near_match(metric, self._metrics)
            )
        return f"{self.name}_{metric}" if self.name else metric

    def _score(self, model: Any, output_path: str | None, steps: int) -> tuple[Scoreboard, pl.DataFrame]:
        label = _label(model, steps)
        items, problems = self._eval.items, RowFaults(Path(self._eval.path))
        own = getattr(model, "similarity_fn_name", None) or COSINE
        matcher = VectorMatcher(ModelEncoder(model, label, self._encoding), self._similarity or own)
        embedded = embed(matcher, items.anchors.texts, items.options.texts)
        items = drop_faulty(items, embedded, problems)
        self._settle(problems)
        scores = with_tiers(score_items(items, embedded, model=label))
        frozen = self._eval.frozen
        version = frozen.version if frozen and scores.height == frozen.item_count else None
        header = eval_header(self._eval.path, self._eval.source_hash, scores, self._seed, version)
        # Where the trainer saves this step, if it saves it: it evaluates into DIRECTORY/eval.
        saved = Path(output_path).parent / f"checkpoint-{steps}" if output_path and steps > 0 else ""
        board = scoreboard(scores, header, model=label, similarity=embedded.unit, checkpoint=str(saved))
        return board, scores

    def _settle(self, problems: RowFaults) -> None:
        """Refuse bad rows, or warn once about what was dropped."""
        if not self._skip_invalid:
            problems.refuse()
        elif problems.counts:
            self._warn_once(dropped(problems.counts, len(problems.lines)))

    def _warn_once(self, text: str, about: str | None = None) -> None:
        if (about or text) not in self._warned:
            self._warned.add(about or text)
            _LOG.warning("%s: %s", self._who, text)

    @property
    def _who(self) -> str:
        return f"BundleEvaluator {self.name!r}" if self.name else "BundleEvaluator"

    def _report(self, board: Scoreboard, scores: pl.DataFrame, metrics: dict[str, float], steps: int) -> None:
        at = f" at step {steps}" if steps > 0 else ""
        value, n = metrics[str(self.primary_metric)], board.tiers[self._primary_scope].n
        _LOG.info("%s%s: %s = %.4f, n = %d", self._who, at, self.primary_metric, value, n)
        if caution := tier_caution(scores):
            self._warn_once(caution, about="tiers out of order")
        distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
        if self._watch is None or (distributed and torch.distributed.get_rank() > 0):
            return
        if board.eval_header.fingerprint != self.fingerprint:
            self._warn_once("not held against the baseline, as this model's zero vectors leave bundles out")
            return
        for regression in self._watch.regressions(board, scores):
            _LOG.warning("%s%s: %s", self._who, at, regression)


def _similarity_of(name: str | Enum) -> str:
    return require_similarity(str(name.value) if isinstance(name, Enum) else name)


def _metric(scope: str, figure: str) -> str:
    return figure if scope == OVERALL else f"{scope}_{figure}"


def _is_of(metric: str, scope: str) -> bool:
    return scope == OVERALL or metric.startswith(f"{scope}_")


def _label(model: Any, steps: int) -> str:
    card = getattr(model, "model_card_data", None)
    name = getattr(card, "model_name", None) or getattr(card, "base_model", None) or "model"
    return f"{name} step {steps}" if steps > 0 else str(name)


class EvaluationFiles:
    """Names for the files of one evaluator, and the table with a line for each evaluation.

    Names depend on the evaluator's name, the epoch and the step, so a training that is begun again in the
    same directory replaces what the former one left, as it does with checkpoints.
    """

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        """Prepare for an evaluator.

        Args:
            name: Its own, or "".
            columns: The metrics of the table, which need not all be there in each evaluation.
        """
        self._name = re.sub(r"[^\w.+-]+", "_", name)
        self._columns = columns
        self._used: dict[str, int] = {}

    def scoreboard(self, epoch: float | None, steps: int) -> str:
        """Name the next scoreboard; one more of the same step is another file.

        Args:
            epoch: Of the training; -1 or None outside of one.
            steps: The same.
        """
        at_epoch = "" if epoch is None or epoch == -1 else f"epoch{epoch:.4g}"
        stem = _joined("bundles", self._name, at_epoch, "" if steps == -1 else f"step{steps}")
        self._used[stem] = count = self._used.get(stem, 0) + 1
        return f"{stem}.json" if count == 1 else f"{stem}-{count}.json"

    def append_line(
        self, directory: Path, metrics: Mapping[str, float], epoch: float | None, steps: int
    ) -> None:
        """Add an evaluation to the table; an undefined metric is an empty cell.

        Raises:
            StorageError: The disk is full or closed to us.
        """
        path = directory / _joined("bundles_evaluation", self._name, "results.csv")
        with storage(path):
            is_new = not path.exists()
            with path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                if is_new:
                    writer.writerow(["epoch", "steps", *self._columns])
                writer.writerow([epoch, steps, *(metrics.get(column, "") for column in self._columns)])


def _joined(*parts: str) -> str:
    return "_".join(part for part in parts if part)
