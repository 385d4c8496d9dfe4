"""Any cross-encoder of sentence-transformers: it reads query and document together and scores the pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tellapart.core.arrays import F32, F64, I64
from tellapart.core.jobs import Made
from tellapart.core.progress import SILENT, Progress
from tellapart.embed.cache import VectorCache, in_batches, reported
from tellapart.embed.model_files import ModelFiles, find_model, require_kind
from tellapart.embed.models.st import batches_of, load_library_model, tokens_a_batch
from tellapart.embed.request import ModelRequest, as_expected
from tellapart.embed.vector_matcher import distinct_texts
from tellapart.errors import InputError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


PAIRS_A_STEP = 256
"""Pairs that are scored and kept before the next ones: what an interruption may lose."""

_LEAST_PAIRS_A_BATCH = 32
"""The library's default; smaller batches and oneDNN were slower where we measured both."""


class PairBatch(NamedTuple):
    """Pairs of texts that are scored together, and how many tokens of each the model reads."""

    texts: Sequence[tuple[str, str]]
    tokens: Sequence[int]


@dataclass(frozen=True)
class PairJob:
    """Scores batches of pairs with a cross-encoder, without a cache: whoever asked keeps the scores."""

    request: ModelRequest
    fingerprint: str
    name: str = "scoring pairs"

    def open(self) -> CrossEncoderMatcher:
        """Load the model."""
        return as_expected(load(self.request), self.fingerprint)

    def do(self, matcher: CrossEncoderMatcher, batch: PairBatch) -> F32:
        """Score a batch."""
        return matcher.logits(batch)

    def describe(self, batch: PairBatch) -> str:
        """Name the first pair."""
        return f"{len(batch.texts)} pair(s) of texts, the first of which begins {batch.texts[0][0][:60]!r}"


class CrossEncoderMatcher:
    """Scores pairs with a cross-encoder, each distinct pair of texts once, and no pair that nobody needs.

    Scores are what ``CrossEncoder.predict`` gives: the logit, or the activation that the model was saved with
    or has by default. The logits are kept in the cache. A sigmoid is computed in double precision, where
    single precision makes 1 of every logit above 17. Pairs of like numbers of tokens go through the model
    together; a score may differ in its last digits with the batch that its pair was in.

    Attributes:
        name: What the user typed.
        fingerprint: Of the model's files.
        unit: ``logit``, ``sigmoid``, or the name of another activation.
    """

    def __init__(
        self,
        name: str,
        model: CrossEncoder,
        fingerprint: str,
        *,
        cache: VectorCache | None = None,
        progress: Progress = SILENT,
        elsewhere: Callable[[Sequence[PairBatch]], Iterator[tuple[int, F32]]] | None = None,
    ) -> None:
        """Score with a model."""
        import torch

        if model.num_labels != 1:
            raise InputError(
                f"this cross-encoder gives {model.num_labels} scores for a pair, one for each label, "
                "expected a single one to rank by",
                where=name.partition(":")[2] or name,
                next_step="Give a cross-encoder with num_labels=1, as rerankers have; not a classifier",
            )
        self.name = name
        self.fingerprint = fingerprint
        self._activation: Callable[..., Any] = model.activation_fn or torch.nn.Identity()
        activation = type(self._activation).__name__
        self.unit = _UNITS.get(activation, activation.lower())
        self._model = model
        self._cache = cache
        self._progress = progress
        self._elsewhere = elsewhere
        self._logits = partial(model.predict, activation_fn=torch.nn.Identity(), show_progress_bar=False)
        self._tokens_a_batch = tokens_a_batch(model)

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``."""
        if not len(query_index):
            return np.empty(0)
        first, query_row = distinct_texts(queries, query_index)
        second, document_row = distinct_texts(documents, document_index)
        codes, position = np.unique(query_row * len(second) + document_row, return_inverse=True)
        pairs = _TextPairs(first, second, *np.divmod(codes, len(second)))
        return self._activated(self._score(pairs))[position]

    def _score(self, pairs: _TextPairs) -> F64:
        """Logits of distinct pairs."""
        lengths = pairs.lengths(self._token_counts(pairs.queries), self._token_counts(pairs.documents))
        self._report_cuts(lengths)
        logits = np.empty(len(lengths))
        order = np.argsort(lengths, kind="stable").tolist()
        what = f"{self.name} scores pairs"
        steps = in_batches(order, PAIRS_A_STEP)
        scored = self._steps(pairs, lengths, steps)
        for numbers, scores in reported(steps, scored, self._progress, what, unit="pairs"):
            logits[numbers] = scores
        if not np.isfinite(logits).all():
            bad = int(np.argmin(np.isfinite(logits)))
            raise InputError(
                f"model {self.name!r} gave NaN or infinity for {np.count_nonzero(~np.isfinite(logits))} of "
                f"{len(logits)} pairs, the first of which begins {pairs.texts(bad)[0][:60]!r}",
                next_step="No pair can be ranked by such a score; check the model or leave it out",
            )
        return logits

    def _steps(
        self, pairs: _TextPairs, lengths: I64, steps: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, F32]]:
        """Logits of the pairs of each step, from the cache or the model."""
        logits = [self._kept(pairs, numbers) for numbers in steps]
        new = [np.array(numbers)[np.isnan(kept)] for numbers, kept in zip(steps, logits, strict=True)]
        yield from ((step, kept) for step, kept in enumerate(logits) if not len(new[step]))
        left = [step for step, numbers in enumerate(new) if len(numbers)]

        def batch(index: int) -> PairBatch:
            numbers = new[left[index]]
            tokens = np.minimum(lengths[numbers], self._window).astype(np.int64)
            return PairBatch([pairs.texts(i) for i in numbers], tokens.tolist())

        batches = Made(len(left), batch)
        scored = (
            ((index, self.logits(batches[index])) for index in range(len(left)))
            if self._elsewhere is None
            else self._elsewhere(batches)
        )
        for index, scores in scored:
            step = left[index]
            logits[step][np.isnan(logits[step])] = scores
            if self._cache is not None:
                keys = map(pairs.key, new[step].tolist())
                rows = dict(zip(keys, scores.reshape(-1, 1), strict=True))
                self._cache.put(self.fingerprint, "pair", rows)
            yield step, logits[step]

    def _kept(self, pairs: _TextPairs, numbers: Sequence[int]) -> F32:
        """Logits in the cache, NaN for those that are not there."""
        keys = [pairs.key(i) for i in numbers]
        kept = {} if self._cache is None else self._cache.get(self.fingerprint, "pair", keys)
        return np.array([kept[key][0] if key in kept else np.nan for key in keys], dtype=np.float32)

    def logits(self, batch: PairBatch) -> F32:
        """Have the model read pairs: shape (pairs,)."""
        logits = np.empty(len(batch.texts), dtype=np.float32)
        most = max(self._tokens_a_batch, _LEAST_PAIRS_A_BATCH * max(batch.tokens, default=0))
        for chosen in batches_of(batch.tokens, most):
            texts = [batch.texts[i] for i in chosen]
            logits[chosen] = self._logits(texts, batch_size=len(texts))
        return logits

    def _activated(self, logits: F64) -> F64:
        import torch

        if self.unit == "logit":
            return logits
        with torch.inference_mode():
            return np.asarray(self._activation(torch.from_numpy(logits)).numpy(), dtype=np.float64)

    def _token_counts(self, texts: Sequence[str]) -> I64:
        """Tokens of each text; by its characters where the model has no such tokenizer."""
        from transformers import PreTrainedTokenizerBase

        tokenizer = self._model.tokenizer
        if not isinstance(tokenizer, PreTrainedTokenizerBase):
            return np.array([len(text) // 4 + 1 for text in texts], dtype=np.int64)
        tokens = tokenizer(list(texts), add_special_tokens=False, return_attention_mask=False, verbose=False)
        return np.array([len(ids) for ids in tokens["input_ids"]], dtype=np.int64)

    @property
    def _window(self) -> float:
        """Tokens that the model reads of a pair."""
        return self._model.max_seq_length or np.inf

    def _report_cuts(self, lengths: I64) -> None:
        cut = np.count_nonzero(lengths > self._window)
        if cut:
            self._progress(
                f"{self.name} reads {self._window:,} tokens of a pair; "
                f"{cut:,} of {len(lengths):,} pairs are cut off there"
            )


_UNITS = {"Identity": "logit", "Sigmoid": "sigmoid"}

_SPECIAL_TOKENS = 3
"""Around and between two texts, as in BERT; others have one more or less."""


class _TextPairs:
    """Distinct pairs of distinct texts."""

    def __init__(
        self, queries: Sequence[str], documents: Sequence[str], query_of: I64, document_of: I64
    ) -> None:
        self.queries, self.documents = queries, documents
        self._query_of, self._document_of = query_of, document_of

    def texts(self, pair: int) -> tuple[str, str]:
        return self.queries[self._query_of[pair]], self.documents[self._document_of[pair]]

    def key(self, pair: int) -> str:
        """One text for two, different for different ones."""
        query, document = self.texts(pair)
        return f"{len(query)} {query}{document}"

    def lengths(self, of_queries: I64, of_documents: I64) -> I64:
        """Tokens of each pair."""
        return of_queries[self._query_of] + of_documents[self._document_of] + _SPECIAL_TOKENS


def load(request: ModelRequest) -> CrossEncoderMatcher:
    """Load the cross-encoder that the argument names."""
    model, fingerprint = load_cross_encoder(find_model(request.argument, owner="cross-encoder"))
    job = PairJob(request.bare, fingerprint)
    return CrossEncoderMatcher(
        request.name,
        model,
        fingerprint,
        cache=request.cache,
        progress=request.progress,
        elsewhere=None if request.spread is None else partial(request.spread, job),
    )


def load_cross_encoder(files: ModelFiles) -> tuple[CrossEncoder, str]:
    """Load a cross-encoder and give its fingerprint."""
    from sentence_transformers import CrossEncoder

    require_kind(files, "CrossEncoder")
    return load_library_model(CrossEncoder, files), f"cross-encoder {files.identity}"
