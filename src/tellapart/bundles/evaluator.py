"""Bundles as an evaluator for the trainer of sentence-transformers."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

import torch

from tellapart.bundles.checkpoint_names import checkpoint_label
from tellapart.bundles.cliff import sentence
from tellapart.bundles.encoder import Encoding, ModelEncoder
from tellapart.bundles.eval_source import BundleSource
from tellapart.bundles.figures import DEFAULT_LOGGED, LOGGED
from tellapart.bundles.regressions import load_baseline
from tellapart.bundles.results import CliffRecord, Scoreboard
from tellapart.bundles.scoreboards import Scored
from tellapart.bundles.tier_stats import less_is_better
from tellapart.bundles.training_eval import StepEvaluation, TrainingEval, metric_name, prefixed, speaker
from tellapart.bundles.training_watch import CliffWatch, named_evals, of_evals, watched_scopes
from tellapart.core.figure_units import COSINE, require_similarity
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.errors import InputError, UsageError, near_match

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ModuleNotFoundError:  # Its place in early releases of version 5.
    from sentence_transformers.evaluation import SentenceEvaluator  # type: ignore[no-redef,import-not-found]

BaselineSource: TypeAlias = str | Path | Scored | Scoreboard

_LOG = logging.getLogger(__name__)


class BundleEvaluator(SentenceEvaluator):
    """Scores a model in training on bundles, and watches that it loses nothing it could do.

    Vectors are compared as the model says, by its ``similarity_fn_name``.

    Every evaluation gives the metrics that were chosen: ``pass_rate``, ``q10_margin``, … over all bundles and
    ``tier3_adversarial_pass_rate``, … over each tier that came with the eval. A figure that is undefined, as
    those of an empty tier are, is left out: a trainer logs floats, and neither 0 nor NaN would be true. Tiers
    cut by the danger of the model itself move with it, so an eval without tiers has no metrics by tier.

    Under the ``output_path`` that the trainer gives there is afterwards one scoreboard for each evaluation,
    ``bundles_NAME_epochE_stepS.json`` with its ``.scores.parquet``, as ``tellapart bundles score`` writes
    them, and a line for each in ``bundles_evaluation_NAME_results.csv``. Where several processes train, the
    library says which of them evaluates and writes; the first one warns. All scoreboards of a training have
    one name with the step behind it, from ``… step 0`` on: ``model_name``, or the ``model_name`` of the model
    card that the user set, or else the name of the training's directory, so that trainings keep apart.

    With several evals, each has metrics, files, a baseline and a section of the model card of its own, and
    its name stands behind ``name``: ``dev_frozen_tier3_adversarial_pass_rate``. A text that several of them
    share is embedded once. The eval of the primary metric is the one that a training may overfit: a step at
    which its pass rate is up while that of another eval is down, both beyond noise, is the cliff of the
    training, and is reported once; see ``find_cliffs``.

    Attributes:
        name: Put in front of the metrics.
        primary_metric: For ``metric_for_best_model``; known before the first evaluation.
        greater_is_better: Of the primary metric.
    """

    def __init__(
        self,
        bundles: BundleSource | Mapping[str, BundleSource] | Sequence[str | Path],
        *,
        name: str = "",
        model_name: str | None = None,
        metrics: Sequence[str] = DEFAULT_LOGGED,
        primary_metric: str | None = None,
        baseline: BaselineSource | Mapping[str, BaselineSource] | None = None,
        watch: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
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
        """Read one eval or several.

        Args:
            bundles: The path of an eval file in any form, or bundles or rows of any such form in memory. The
                fingerprint of the latter is that of the file which ``canonical_lines`` makes of them. Several
                evals are a dictionary of such sources by name, or a list of paths, which are called by their
                files.
            name: Put in front of the metrics and into the names of files; unlike that of other evaluators.
            model_name: What scoreboards call the model, the step behind it. Runs of one name are taken as
                seeds of one condition by ``pareto``; give other settings another name.
            metrics: Figures to log and to put into the model card, of ``LOGGED``, for all bundles and each
                tier. The primary metric is always among them. The table of evaluations has all of ``LOGGED``.
            primary_metric: One of the metrics, without ``name``; by default the pass rate of tier 3, or of
                all bundles where the eval has no tier 3; of the first of several evals.
            baseline: A scoreboard of the same eval, best as a path: noise is judged by the scores beside it.
                Of several evals, a dictionary by name; those that it leaves out are held against nothing.
            watch: What is held against the baseline: ``overall`` and tiers such as ``tier1``, each by its
                pass rate and the 10th percentile of its margins, or by one of them: ``tier1_pass_rate``. By
                default tier 3, or all bundles where the eval has no tier 3. Of several evals each watches
                what it has of these, or what a dictionary says by name.
            max_drop: Warn when a watched pass rate falls below the baseline's by more. None never warns.
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
            UsageError: There is no such figure, primary metric, eval, tier or similarity, the seed is not the
                frozen one, a limit is out of range, or there is something to watch and no baseline.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.name = name
        self._model_name = model_name
        self.write_csv = write_csv
        self.truncate_dim = truncate_dim
        self._encoding = Encoding(batch_size, show_progress_bar, truncate_dim, query_prompt, document_prompt)
        self._similarity = None if main_similarity is None else _similarity_of(main_similarity)
        self._evals = {
            key: TrainingEval(source, key, name=prefixed(name, key), seed=seed, skip_invalid=skip_invalid)
            for key, source in named_evals(bundles).items()
        }
        self._metrics = {
            prefixed(key, metric): (key, metric) for key, one in self._evals.items() for metric in one.metrics
        }
        figures = _checked_figures(metrics)
        chosen = primary_metric or self._default_metric(next(iter(self._evals)))
        if chosen not in self._metrics:
            evals = "this eval" if len(self._evals) == 1 else "these evals"
            raise UsageError(
                f"{chosen!r} is not a metric of {evals}", next_step=near_match(chosen, self._metrics)
            )
        self.primary_metric = prefixed(name, chosen)
        first, of_primary = self._metrics[chosen]
        self._primary = self._evals[first]
        self._primary_scope = self._primary.scope_of(of_primary)
        self.greater_is_better = not less_is_better(of_primary)
        self._hold_against(baseline, watch, {"pass_rate": max_drop, "q10_margin": max_q10_drop})
        rate = metric_name(self._primary_scope, "pass_rate")
        self._cliffs = [
            CliffWatch(self._evals, rising=first, metric=rate, falling=other)
            for other in self._evals
            if other != first
        ]
        self._in_card = {key: self._alone(key) for key in self._evals} if len(self._evals) > 1 else {}
        self._logged = {self.primary_metric, *(alone.primary_metric for alone in self._in_card.values())} | {
            prefixed(one.name, metric_name(scope, figure))
            for one in self._evals.values()
            for scope in one.sizes
            for figure in figures
        }

    @property
    def fingerprint(self) -> str:
        """``source_hash|seed|item_count`` of the eval of the primary metric, as scoreboards have it."""
        return self._primary.fingerprint

    @property
    def fingerprints(self) -> dict[str, str]:
        """The same of each eval, by name; that of an eval alone is by ""."""
        return {key: one.fingerprint for key, one in self._evals.items()}

    @property
    def last_scoreboard(self) -> Scoreboard | None:
        """Of the latest evaluation on the eval of the primary metric, None before it."""
        return self._primary.latest.board if self._primary.latest else None

    @property
    def last_scoreboards(self) -> dict[str, Scoreboard]:
        """The same of each eval that was evaluated, by name."""
        return {key: one.latest.board for key, one in self._evals.items() if one.latest}

    @property
    def cliffs(self) -> tuple[CliffRecord, ...]:
        """Those of this training that were reported, one for each other eval at most."""
        return tuple(watch.cliff for watch in self._cliffs if watch.cliff)

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
            The metrics, each with ``name``, and of several evals that of its eval, in front.

        Raises:
            InputError: The model gave NaN, infinity or, unless invalid rows are skipped, a zero vector; or it
                left no bundle for the primary metric.
            StorageError: The disk is full or closed to us.
        """
        label = checkpoint_label(model, output_path, steps, self._model_name)
        own = getattr(model, "similarity_fn_name", None) or COSINE
        matcher = VectorMatcher(ModelEncoder(model, label, self._encoding), self._similarity or own)
        # Where the trainer saves this step, if it saves it: it evaluates into DIRECTORY/eval.
        saved = Path(output_path).parent / f"checkpoint-{steps}" if output_path and steps >= 0 else ""
        evaluations = {
            key: one.evaluate(matcher, label, str(saved), steps) for key, one in self._evals.items()
        }
        if output_path is not None:
            for key, one in self._evals.items():
                one.write(Path(output_path), evaluations[key], epoch, table=self.write_csv)
        metrics = {
            name: value
            for key, evaluation in evaluations.items()
            for metric, value in evaluation.metrics.items()
            if (name := prefixed(self._evals[key].name, metric)) in self._logged
        }
        if self.primary_metric not in metrics:
            raise InputError(
                f"{self.primary_metric!r} is undefined: this model left no bundle to compute it from",
                where=self._primary.path,
            )
        if hasattr(model, "model_card_data"):
            self._store(model, evaluations, metrics, epoch, steps)
        self._report(evaluations, metrics, steps)
        return metrics

    def get_config_dict(self) -> dict[str, Any]:
        """What the model card holds about the evaluation."""
        one = self._primary
        config: dict[str, Any] = {
            "fingerprint": one.fingerprint,
            "similarity": one.margin_unit() or self._similarity or COSINE,
            "bundles": one.sizes,
        }
        return config if self.truncate_dim is None else {**config, "truncate_dim": self.truncate_dim}

    def _default_metric(self, key: str) -> str:
        return prefixed(key, metric_name(self._evals[key].scope, "pass_rate"))

    def _alone(self, key: str) -> BundleEvaluator:
        """Give this evaluator as one of an eval alone, for its section of the model card."""
        alone = copy.copy(self)
        alone._evals, alone._primary = {key: self._evals[key]}, self._evals[key]
        alone.name = self._evals[key].name
        if alone._primary is not self._primary:
            alone.primary_metric = prefixed(self.name, self._default_metric(key))
        return alone

    def _hold_against(
        self,
        baseline: BaselineSource | Mapping[str, BaselineSource] | None,
        watch: Sequence[str] | Mapping[str, Sequence[str]] | None,
        limits: Mapping[str, float | None],
    ) -> None:
        baselines = self._by_eval(baseline)
        watched = watched_scopes(watch, self._evals, baselines)
        for key, source in baselines.items():
            one = self._evals[key]
            one.hold_against(load_baseline(source, one.fingerprint), watched[key], limits, self._similarity)

    def _by_eval(
        self, baseline: BaselineSource | Mapping[str, BaselineSource] | None
    ) -> Mapping[str, BaselineSource]:
        if baseline is None:
            return {}
        if isinstance(baseline, Mapping):
            return of_evals(baseline, self._evals, "baseline")
        if len(self._evals) > 1:
            names = ", ".join(f"{key!r}: …" for key in self._evals)
            raise UsageError(
                f"there are {len(self._evals)} evals and one baseline",
                next_step=f"Give a baseline of each by name: baseline={{{names}}}",
            )
        return dict.fromkeys(self._evals, baseline)

    def _store(
        self,
        model: Any,
        evaluations: Mapping[str, StepEvaluation],
        metrics: dict[str, float],
        epoch: float | None,
        steps: int,
    ) -> None:
        """Put metrics into the model card, a section for each eval."""
        if not self._in_card:
            self.store_metrics_in_model_card_data(model, metrics, epoch, steps)  # type: ignore[arg-type]
        for key, alone in self._in_card.items():
            names = [prefixed(alone.name, metric) for metric in evaluations[key].metrics]
            own = {name: metrics[name] for name in names if name in metrics}
            alone.store_metrics_in_model_card_data(model, own, epoch, steps)  # type: ignore[arg-type]

    def _report(
        self, evaluations: Mapping[str, StepEvaluation], metrics: Mapping[str, float], steps: int
    ) -> None:
        primary, board = str(self.primary_metric), self.last_scoreboard
        n = board.tiers[self._primary_scope].n if board else 0
        _LOG.info("%s: %s = %.4f, n = %d", speaker(self.name, steps), primary, metrics[primary], n)
        distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
        judges = not distributed or torch.distributed.get_rank() == 0
        for key, one in self._evals.items():
            one.warn(evaluations[key], judges=judges)
        for watch in self._cliffs if judges else ():
            if cliff := watch.look():
                _LOG.warning("%s: %s", speaker(self.name), sentence(cliff))


def _similarity_of(name: str | Enum) -> str:
    return require_similarity(str(name.value) if isinstance(name, Enum) else name)


def _checked_figures(metrics: Sequence[str]) -> tuple[str, ...]:
    figures = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    for figure in figures:
        if figure not in LOGGED:
            raise UsageError(
                f"metrics names {figure!r}, expected figures of a tier, such as 'pass_rate'",
                next_step=near_match(str(figure), LOGGED),
            )
    return figures
