"""Bundles as an evaluator for the trainer of sentence-transformers, whose model is embedded as it is."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator

from tellapart.bundles.figures import MARGINS
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.tier_names import OVERALL
from tellapart.bundles.tier_stats import less_is_better, tier_and_figure
from tellapart.bundles.training_eval import (
    BundleSource,
    TrainingEval,
    checkpoint_label,
    joined,
    metric_name,
    speaker,
)
from tellapart.core.arrays import F32
from tellapart.core.comparison import check_limit
from tellapart.core.figure_units import COSINE, require_similarity
from tellapart.embed.protocol import Kind
from tellapart.embed.similarity import VectorMatcher
from tellapart.errors import InputError, UsageError, called_from_python, near_match

_LOG = logging.getLogger(__name__)


class BundleEvaluator(SentenceEvaluator):
    """Scores a model in training on bundles, and watches that it loses nothing it could do.

    Vectors are compared as the model says, by its ``similarity_fn_name``, or by ``main_similarity``.

    Every evaluation gives the metrics of ``LOGGED``: ``pass_rate``, ``q10_margin``, … over all bundles and
    ``tier3_adversarial_pass_rate``, … over each tier that came with the eval. A figure that is undefined, as
    those of an empty tier are, is left out: a trainer logs floats, and neither 0 nor NaN would be true.

    Under the ``output_path`` that the trainer gives there is afterwards one scoreboard for each evaluation,
    ``bundles_NAME_epochE_stepS.json`` with its ``.scores.parquet``, as ``tellapart bundles score`` writes
    them. All of a training have one name with the step behind it: ``model_name``, or that of the model card,
    or else the name of the training's directory.

    For several evals, put an evaluator of each, with a ``name`` of its own, into a ``SequentialEvaluator``.
    """

    @called_from_python()
    def __init__(
        self,
        bundles: BundleSource,
        *,
        name: str = "",
        model_name: str | None = None,
        primary_metric: str | None = None,
        baseline: str | Path | None = None,
        watch: Sequence[str] | None = None,
        max_drop: float | None = 0.02,
        seed: int | None = None,
        skip_invalid: bool = False,
        batch_size: int = 32,
        show_progress_bar: bool = False,
        truncate_dim: int | None = None,
        main_similarity: str | Enum | None = None,
    ) -> None:
        """Read an eval.

        Args:
            bundles: The path of an eval file in any form, or bundles or rows of any such form in memory. The
                fingerprint of the latter is that of the file which ``canonical_lines`` makes of them.
            name: Put in front of the metrics and into the names of files; unlike that of other evaluators.
            model_name: What scoreboards call the model, the step behind it. Runs of one name are taken as
                seeds of one condition by ``pareto``; give other settings another name.
            primary_metric: One of the metrics, without ``name``; by default the pass rate of tier 3, or of
                all bundles where the eval has no tier 3.
            baseline: Path of a scoreboard of the same eval; noise is judged by the scores beside it.
            watch: Whose pass rate is held against the baseline: ``overall`` and tiers such as ``tier1``. By
                default tier 3, or all bundles where the eval has no tier 3.
            max_drop: Warn when a watched pass rate falls below the baseline's by more. None never warns.
            seed: That the eval was drawn with, for the fingerprint; by default the frozen one, or 42.
            skip_invalid: Drop bad rows and say how many instead of refusing them.
            batch_size: As for ``SentenceTransformer.encode``; so are the next two.
            show_progress_bar: Whether encoding shows one.
            truncate_dim: First dimensions to keep; None for the model's own number.
            main_similarity: Compare vectors by ``cosine``, ``dot``, ``euclidean`` or ``manhattan``, or by a
                ``SimilarityFunction`` of the library; None for the model's own.

        Raises:
            InputError: A row, the file or the baseline cannot be used, or there are no bundles.
            FingerprintError: The file is not what was frozen.
            Refused: The baseline is of another eval.
            UsageError: There is no such metric, tier or similarity, the seed is not the frozen one, the limit
                is out of range, or there is something to watch and no baseline.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.name = name
        self._model_name = model_name
        self._encoding: dict[str, Any] = {"batch_size": batch_size, "show_progress_bar": show_progress_bar}
        # Models that are none of the library's may not know how to truncate.
        self._truncated = {} if truncate_dim is None else {"truncate_dim": truncate_dim}
        unit = main_similarity.value if isinstance(main_similarity, Enum) else main_similarity
        self._similarity = None if unit is None else require_similarity(str(unit))
        self._eval = TrainingEval(bundles, name=name, seed=seed, skip_invalid=skip_invalid)
        chosen = primary_metric or metric_name(self._eval.scope, "pass_rate")
        if chosen not in self._eval.metrics:
            raise UsageError(
                f"{chosen!r} is not a metric of this eval", next_step=near_match(chosen, self._eval.metrics)
            )
        self.primary_metric = joined(name, chosen)
        self._primary_scope = tier_and_figure(chosen)[0] or OVERALL
        self.greater_is_better = not less_is_better(chosen)
        if max_drop is not None:
            check_limit(max_drop, "max_drop")
        watched = (watch,) if isinstance(watch, str) else watch
        scopes = self._eval.watched((self._eval.scope,) if watched is None else watched)
        if baseline is not None:
            self._eval.hold_against(Path(baseline), scopes, max_drop)
        elif watched:
            raise UsageError(
                f"watch names {watched[0]!r}, but there is no baseline to hold it against",
                next_step="Give baseline=, a scoreboard that 'tellapart bundles score' wrote",
            )

    @property
    def fingerprint(self) -> str:
        """``source_hash|seed|item_count`` of the eval, as scoreboards have it."""
        return self._eval.fingerprint

    @property
    def last_scoreboard(self) -> Scoreboard | None:
        """Of the latest evaluation, None before it."""
        return self._eval.latest.board if self._eval.latest else None

    @called_from_python()
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
        label = checkpoint_label(model, output_path, steps, self._model_name)
        similarity = self._similarity or getattr(model, "similarity_fn_name", None) or COSINE
        matcher = VectorMatcher(ModelEncoder(model, label, self._encoding | self._truncated), similarity)
        # Where the trainer saves this step, if it saves it: it evaluates into DIRECTORY/eval.
        saved = Path(output_path).parent / f"checkpoint-{steps}" if output_path and steps >= 0 else ""
        evaluation = self._eval.evaluate(matcher, label, str(saved), steps)
        if output_path is not None:
            self._eval.write(Path(output_path), evaluation, epoch)
        metrics = {joined(self.name, metric): value for metric, value in evaluation.metrics.items()}
        if self.primary_metric not in metrics:
            raise InputError(
                f"{self.primary_metric!r} is undefined: this model left no bundle to compute it from",
                where=self._eval.path,
            )
        if hasattr(model, "model_card_data"):
            self.store_metrics_in_model_card_data(model, metrics, epoch, steps)  # type: ignore[arg-type]
        primary, n = str(self.primary_metric), evaluation.board.tiers[self._primary_scope].n
        _LOG.info("%s: %s = %.4f, n = %d", speaker(self.name, steps), primary, metrics[primary], n)
        distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
        if not distributed or torch.distributed.get_rank() == 0:
            self._eval.warn(evaluation)
        return metrics

    def get_config_dict(self) -> dict[str, Any]:
        """What the model card holds about the evaluation."""
        latest = self._eval.latest
        return {
            "fingerprint": self._eval.fingerprint,
            "similarity": latest.board.units[MARGINS[0]].unit if latest else self._similarity or COSINE,
            "bundles": self._eval.sizes,
            **self._truncated,
        }


class ModelEncoder:
    """Embeds with a model as it is now; one without ``encode_query`` encodes with ``encode``."""

    def __init__(self, model: Any, name: str, encoding: Mapping[str, Any]) -> None:
        """Wrap ``model``, which tables call ``name`` and which encodes with these arguments."""
        self.name = name
        self.fingerprint = f"{name} in memory"
        self._model, self._encoding = model, encoding

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed at least one text; see ``Embedder``."""
        encode = getattr(self._model, f"encode_{kind}", self._model.encode)
        vectors = encode(list(texts), convert_to_numpy=True, **self._encoding)
        return np.asarray(vectors, dtype=np.float32)
