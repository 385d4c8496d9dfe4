"""What the evaluators of sentence-transformers average: the value of each query, triplet or pair.

An evaluator works as it always does; one of its methods is watched meanwhile, and the values of single items
come from the library's own functions, on what they were given. So no metric is defined here a second time.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sentence_transformers import SimilarityFunction
from sentence_transformers.cross_encoder.evaluation import (
    CrossEncoderClassificationEvaluator,
    CrossEncoderRerankingEvaluator,
)
from sentence_transformers.sentence_transformer.evaluation import (
    BinaryClassificationEvaluator,
    EmbeddingSimilarityEvaluator,
    InformationRetrievalEvaluator,
    RerankingEvaluator,
    SequentialEvaluator,
    TripletEvaluator,
)

from tellapart.core.arrays import F64
from tellapart.core.fingerprint import sha256_of_json

_DIGEST = 8


@dataclass(frozen=True)
class ItemValues:
    """The values of items whose means an evaluator reports.

    Attributes:
        items: An id for each item: that of a query, or the place of a sample with a digest of its texts, so
            that another sample in the same place is another item.
        values: By metric, as the evaluator calls it without its own name, a value for each item.
        clusters: Of each item what it shares with others, such as the anchor of triplets; None where nothing
            is shared.
    """

    items: tuple[str, ...]
    values: dict[str, F64]
    clusters: tuple[str, ...] | None = None


class ItemWatch(Protocol):
    """Watches one evaluation."""

    @property
    def methods(self) -> Mapping[str, Callable[..., Any]]:
        """By name, what stands in for methods meanwhile: it calls them, and keeps what it saw."""

    def values(self) -> ItemValues:
        """Give the values, after the evaluation."""


@contextmanager
def replaced(of: Any, methods: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """Let methods of one object, and of no other of its class, be others for a while."""
    attributes = vars(of)
    before = {name: attributes[name] for name in methods if name in attributes}
    attributes.update(methods)
    try:
        yield
    finally:
        for name in methods:
            del attributes[name]
        attributes.update(before)


class _Recorded:
    """A function that keeps what it was given and what it gave."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.given: list[tuple[Any, ...]] = []
        self.gave: list[Any] = []

    def __call__(self, *given: Any, **options: Any) -> Any:
        result = self._function(*given, **options)
        self.given.append((*given, *options.values()))
        self.gave.append(result)
        return result


class _Queries:
    """Ranked lists of a retrieval evaluator: its metrics, of one query at a time."""

    def __init__(self, evaluator: Any, model: Any) -> None:
        self._evaluator = evaluator
        self._metrics = _Recorded(evaluator.compute_metrics)
        self.methods = {"compute_metrics": self._metrics}

    def values(self) -> ItemValues:
        evaluator, alone = self._evaluator, copy.copy(self._evaluator)
        values: dict[str, list[float]] = {}
        for function, (ranked, *_) in zip(evaluator.score_functions, self._metrics.given, strict=True):
            for item, query, hits in zip(evaluator.queries_ids, evaluator.queries, ranked, strict=True):
                alone.queries_ids, alone.queries = [item], [query]
                for metric, by_k in alone.compute_metrics([hits]).items():
                    for k, value in by_k.items():
                        name = f"{function}_{metric.replace('@k', f'@{k}')}"
                        values.setdefault(name, []).append(value)
        return ItemValues(tuple(map(str, evaluator.queries_ids)), _arrays(values))


class _Samples:
    """Samples of a reranking evaluator: its metrics, of one sample at a time, on the vectors that it had."""

    def __init__(self, evaluator: Any, model: Any) -> None:
        self._evaluator = evaluator
        self._embedded = _Recorded(evaluator.embed_inputs)
        self.methods = {"embed_inputs": self._embedded}

    def values(self) -> ItemValues:
        alone, values = copy.copy(self._evaluator), dict[str, list[float]]()
        samples = self._evaluator.samples
        for sample, vectors in zip(samples, self._vectors(samples), strict=True):
            alone.samples, left = [sample], list(vectors)
            alone.embed_inputs = lambda *_, left=left, **__: left.pop(0)
            for metric, value in alone.compute_metrics(None).items():
                name = metric if metric == "map" else f"{metric}@{alone.at_k}"
                values.setdefault(name, []).append(value)
        return _of_samples(samples, values)

    def _vectors(self, samples: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        """Give those of each sample's query and documents."""
        gave = self._embedded.gave
        if not self._evaluator.use_batched_encoding:
            yield from zip(gave[::2], gave[1::2], strict=True)
            return
        queries, documents = gave
        start = 0
        for i, sample in enumerate(samples):
            end = start + len(sample["positive"]) + len(sample["negative"])
            yield queries[i : i + 1], documents[start:end]
            start = end


class _CrossEncoderSamples:
    """Samples of a reranking evaluator of cross-encoders; one without a relevant document scores 0 there."""

    def __init__(self, evaluator: Any, model: Any) -> None:
        self._evaluator = evaluator
        self._metrics = _Recorded(evaluator.compute_metrics)
        self.methods = {"compute_metrics": self._metrics}

    def values(self) -> ItemValues:
        samples = self._evaluator.samples
        relevant = [self._has_relevant(sample) for sample in samples]
        # The order of first-stage retrieval is measured before, for the figures called base.
        reranked = iter(self._metrics.gave[len(self._metrics.gave) - sum(relevant) :])
        rows = [next(reranked) if is_relevant else (0.0, 0.0, 0.0) for is_relevant in relevant]
        at_k = self._evaluator.at_k
        names = (f"mrr@{at_k}", f"ndcg@{at_k}", "map")
        return _of_samples(samples, {name: [row[i] for row in rows] for i, name in enumerate(names)})

    def _has_relevant(self, sample: Mapping[str, Any]) -> bool:
        positive = sample["positive"]
        if "documents" not in sample or self._evaluator.always_rerank_positives:
            return bool(positive)
        return any(
            document in ([positive] if isinstance(positive, str) else positive)
            for document in sample["documents"]
        )


class _Triplets:
    """Triplets: 1 where the positive is nearer than the negative by more than the margin, else 0."""

    def __init__(self, evaluator: Any, model: Any) -> None:
        self._evaluator = evaluator
        self._embedded = _Recorded(evaluator.embed_inputs)
        self.methods = {"embed_inputs": self._embedded}

    def values(self) -> ItemValues:
        evaluator = self._evaluator
        anchors, positives, negatives = self._embedded.gave
        values = {}
        for function in evaluator.similarity_fn_names:
            similarity = SimilarityFunction.to_similarity_pairwise_fn(function)
            near = similarity(anchors, positives)
            far = similarity(anchors, negatives) + evaluator.margin[function]
            values[f"{function}_accuracy"] = (near > far).tolist()
        triplets = list(zip(evaluator.anchors, evaluator.positives, evaluator.negatives, strict=True))
        return ItemValues(_ids(triplets), _arrays(values), _clusters(evaluator.anchors))


class _Pairs:
    """Labelled pairs: 1 where the pair is on its label's side of the threshold of best accuracy, else 0."""

    def __init__(self, evaluator: Any, model: Any) -> None:
        self._evaluator = evaluator
        self._best = _Recorded(evaluator.find_best_acc_and_threshold)
        self.methods = {"find_best_acc_and_threshold": self._best}

    def values(self) -> ItemValues:
        evaluator = self._evaluator
        values = {
            f"{function}_accuracy": _on_their_side(scores, labels, threshold, more_is_similar=more)
            for function, (scores, labels, more), (_, threshold) in zip(
                evaluator.similarity_fn_names, self._best.given, self._best.gave, strict=True
            )
        }
        pairs = list(zip(evaluator.sentences1, evaluator.sentences2, strict=True))
        return ItemValues(_ids(pairs), _arrays(values), _clusters(evaluator.sentences1))


class _CrossEncoderPairs:
    """Labelled pairs of a cross-encoder: of two labels as `_Pairs`, else whether the best label is right."""

    def __init__(self, evaluator: Any, model: Any) -> None:
        self._evaluator = evaluator
        self._predicted = _Recorded(model.predict)
        self._model = model
        self.methods: Mapping[str, Callable[..., Any]] = {}
        self.model_methods = {"predict": self._predicted}

    def values(self) -> ItemValues:
        (scores,), labels = self._predicted.gave, self._evaluator.labels
        if self._model.num_labels == 1:
            _, threshold = BinaryClassificationEvaluator.find_best_acc_and_threshold(scores, labels, True)
            right = {"accuracy": _on_their_side(scores, labels, threshold, more_is_similar=True)}
        else:
            # Every pair has one label, so that the micro-averaged F1 is the share of right ones.
            right = {"f1_micro": np.argmax(scores, axis=1) == labels}
        pairs = [tuple(pair) for pair in self._evaluator.sentence_pairs]
        return ItemValues(_ids(pairs), _arrays(right), _clusters([pair[0] for pair in pairs]))


WATCHES: dict[type, Callable[[Any, Any], ItemWatch]] = {
    InformationRetrievalEvaluator: _Queries,
    RerankingEvaluator: _Samples,
    TripletEvaluator: _Triplets,
    BinaryClassificationEvaluator: _Pairs,
    CrossEncoderRerankingEvaluator: _CrossEncoderSamples,
    CrossEncoderClassificationEvaluator: _CrossEncoderPairs,
}
"""By class, what watches an evaluator of it, or of a class made from it."""


def why_not(evaluator: object) -> str:
    """Say why an evaluator has no values of items that PerQuery could write: a clause."""
    if isinstance(evaluator, SequentialEvaluator) or hasattr(evaluator, "evaluators"):
        return "it holds several evaluators, each with items of its own"
    if isinstance(evaluator, EmbeddingSimilarityEvaluator) or "Correlation" in type(evaluator).__name__:
        return "a correlation is of all pairs together, and the mean of no value of single pairs"
    return "its figures are not known to be means over items"


def _on_their_side(scores: Any, labels: Any, threshold: float, *, more_is_similar: bool) -> Any:
    scores = np.asarray(scores).ravel()
    return (scores >= threshold if more_is_similar else scores <= threshold) == (np.asarray(labels) == 1)


def _of_samples(samples: Sequence[Any], values: Mapping[str, Sequence[float]]) -> ItemValues:
    fields = ("query", "positive", "negative", "documents")
    parts = [[sample.get(field) for field in fields] for sample in samples]
    return ItemValues(_ids(parts), _arrays(values), _clusters([sample["query"] for sample in samples]))


def _ids(parts: Sequence[Any]) -> tuple[str, ...]:
    width = len(str(len(parts)))
    return tuple(f"{i:0{width}}{_digest(part, '-')}" for i, part in enumerate(parts, 1))


def _digest(value: Any, before: str) -> str:
    """A digest of texts; empty for pictures and the like, whose place alone must do."""
    try:
        return before + sha256_of_json(value)[:_DIGEST]
    except TypeError:
        return ""


def _clusters(shared: Sequence[Any]) -> tuple[str, ...] | None:
    digests = [_digest(value, "") for value in shared]
    has_repeats = all(digests) and max(Counter(digests).values(), default=0) > 1
    return tuple(digests) if has_repeats else None


def _arrays(values: Mapping[str, Any]) -> dict[str, F64]:
    return {name: np.asarray(of, dtype=np.float64) for name, of in values.items()}
