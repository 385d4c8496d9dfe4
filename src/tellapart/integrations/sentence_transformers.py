"""Scores of single queries in a training: what an evaluator of sentence-transformers averages."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tellapart.bundles.training_eval import CheckpointFiles, checkpoint_label, joined
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import MissingExtra, UsageError, near_match
from tellapart.store import write_frame

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ModuleNotFoundError as error:
    if error.name in {"sentence_transformers", "torch"}:
        raise MissingExtra("PerQuery", "st") from None
    raise

from tellapart.integrations.evaluator_items import WATCHES, ItemValues, ItemWatch, replaced, why_not

_LOG = logging.getLogger(__name__)

_SAME = 1e-9
_SAME_SINGLE = 1e-6
"""So far a mean of items may lie from a figure that the library rounds to single precision."""

_OWN = ("_evaluator", "_metric", "_model_name", "_files", "_warned", "tables", "last_scores")


class PerQuery(SentenceEvaluator):
    """An evaluator of sentence-transformers that also writes the score of each query, triplet or pair.

    In a training, alone or in a list, it is the evaluator that it wraps: the same metrics, primary metric,
    CSV file and section of the model card; its other attributes can be read here too. Beside its files there
    is afterwards one score table for each evaluation, ``per_query_NAME_epochE_stepS.parquet``, which
    ``tellapart audit`` and ``tellapart compare`` read. Models are called as `BundleEvaluator` calls them.

    A table is written only if its means are the figures that the evaluator reports, to 1e-9; triplet
    accuracy, which the library rounds to single precision, to 1e-6. Else, as under a version of the library
    that works in another way, a warning of the logger ``tellapart`` says so, and the training goes on.

    Attributes:
        tables: Paths of the tables that were written, in order.
        last_scores: Scores of the latest evaluation; None before it.

    Source: the metrics are the library's own, see `evaluator_items`.
    """

    tables: tuple[Path, ...]
    last_scores: ScoreTable | None

    def __init__(self, evaluator: Any, *, metric: str | None = None, model_name: str | None = None) -> None:
        """Wrap an evaluator.

        Args:
            evaluator: Of retrieval, reranking, triplets or labelled pairs, for dense, sparse or multi-vector
                models; or of reranking or classification for cross-encoders.
            metric: The metric that ``score`` holds, with or without the similarity and the evaluator's name:
                ``mrr@10``. By default the primary metric, or where that is no mean over items the first one
                that is, such as accuracy beside average precision. The others are further columns.
            model_name: What tables call the model, the step behind it; see `BundleEvaluator`.

        Raises:
            UsageError: The evaluator has no values of single items.
        """
        if not isinstance(evaluator, tuple(WATCHES)):
            raise UsageError(
                f"PerQuery cannot take {type(evaluator).__name__}: {why_not(evaluator)}",
                next_step=_instead(evaluator),
            )
        attributes = {"_evaluator": evaluator, "_metric": metric, "_model_name": model_name, "_warned": set()}
        name = str(getattr(evaluator, "name", "") or "")
        vars(self).update(attributes, _files=CheckpointFiles("per_query", name), tables=(), last_scores=None)

    def __getattr__(self, name: str) -> Any:
        """Give what the wrapped evaluator has, such as ``name`` and ``primary_metric``."""
        if name in _OWN:  # Not there yet, as while it is copied.
            raise AttributeError(name)
        return getattr(self._evaluator, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set what is the wrapped evaluator's there, such as ``greater_is_better``."""
        if name in _OWN:
            vars(self)[name] = value
        else:
            setattr(self._evaluator, name, value)

    def __call__(
        self,
        model: Any,
        output_path: str | None = None,
        epoch: float | None = -1,
        steps: int = -1,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Evaluate ``model``, and write the table if there is a place for it.

        Args:
            model: As it is now.
            output_path: Directory for the table and the evaluator's files; None to write nothing.
            epoch: Of the training; -1 or None outside of one.
            steps: Of the training; -1 outside of one.
            args: What else the evaluator takes.
            kwargs: The same.

        Returns:
            The evaluator's metrics.

        Raises:
            UsageError: It has no such metric as was chosen.
            StorageError: The disk is full or closed to us.
        """
        kind = next(kind for kind in WATCHES if isinstance(self._evaluator, kind))
        watch = WATCHES[kind](self._evaluator, model)
        with ExitStack() as stack:
            stack.enter_context(replaced(self._evaluator, watch.methods))
            stack.enter_context(replaced(model, getattr(watch, "model_methods", {})))
            metrics = self._evaluator(model, output_path, epoch, steps, *args, **kwargs)
        values = self._values(watch, metrics)
        if values is None:
            return metrics
        label = checkpoint_label(model, output_path, steps, self._model_name)
        frame, notes = self._table(values, label)
        self.last_scores = ScoreTable.from_frame(frame, notes=notes)
        if output_path is not None:
            path = Path(output_path) / f"{self._files.stem(epoch, steps)}.parquet"
            write_frame(path, frame, notes)
            self.tables = (*self.tables, path)
        return metrics

    @property
    def description(self) -> str:
        """As the evaluator's."""
        return str(self._evaluator.description)

    def get_config_dict(self) -> dict[str, Any]:
        """What the model card holds about the evaluation: as the evaluator's."""
        config: dict[str, Any] = self._evaluator.get_config_dict()
        return config

    def _values(self, watch: ItemWatch, metrics: dict[str, float]) -> ItemValues | None:
        """Give the values of items, if their means are what was reported; else warn, once a reason."""
        try:
            values = watch.values()
            reason = _difference(values, metrics, str(self._evaluator.name or ""))
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            values, reason = None, f"the library works in a way that is not known here ({error!r})"
        if not reason:
            return values
        if reason not in self._warned:
            self._warned.add(reason)
            kind, name = type(self._evaluator).__name__, self._evaluator.name
            _LOG.warning("PerQuery(%s %r) writes no scores of items: %s", kind, name, reason)
        return None

    def _table(self, values: ItemValues, label: str) -> tuple[pl.DataFrame, ScoreNotes]:
        metric = self._chosen(values)
        columns: dict[str, Any] = {"model": label, "item": values.items, "score": values.values[metric]}
        if values.clusters is not None:
            columns["cluster"] = values.clusters
        frame = pl.DataFrame({**columns, **values.values}, schema_overrides={"model": pl.String})
        return frame, ScoreNotes(measure=metric)

    def _chosen(self, values: ItemValues) -> str:
        names, name = list(values.values), str(self._evaluator.name or "")
        if self._metric is not None:
            wanted = self._metric.removeprefix(f"{name}_" if name else "")
            matching = [name for name in names if wanted == name or name.endswith(f"_{wanted}")]
            if not matching:
                raise UsageError(
                    f"{self._metric!r} is no mean over items that {type(self._evaluator).__name__} reports",
                    next_step=near_match(self._metric, names),
                )
            return matching[0]
        primary = str(self._evaluator.primary_metric).removeprefix(f"{name}_" if name else "")
        if primary in names:
            return primary
        # The best of several similarities; of a figure that is no mean over items, what is beside it.
        _, of_best, figure = primary.rpartition("max_")
        same = [candidate for candidate in names if of_best and candidate.endswith(f"_{figure}")]
        return max(same or names[:1], key=lambda candidate: float(np.mean(values.values[candidate])))


def _difference(values: ItemValues, metrics: dict[str, float], name: str) -> str:
    """Say which reported figure is not the mean of its items; empty where all are."""
    for metric, of in values.values.items():
        reported, mean = metrics[joined(name, metric)], float(np.mean(of))
        is_single = np.float32(mean) == np.float32(reported) and metric.endswith("_accuracy")
        if abs(mean - reported) > (_SAME_SINGLE if is_single else _SAME):
            return f"the mean of {metric} over {len(of)} items is {mean!r}, but {reported!r} is reported"
    return ""


def _instead(evaluator: object) -> str:
    inner = getattr(evaluator, "evaluators", None)
    if inner:
        return "Wrap each of them: evaluator.evaluators = [PerQuery(one) for one in evaluator.evaluators]"
    return f"It takes {', '.join(kind.__name__ for kind in WATCHES)}, and classes made from them"
