"""Any cross-encoder of sentence-transformers: it reads query and document together and scores the pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.core.arrays import F32, F64, I64
from tellapart.embed.model_files import find_model, require_kind
from tellapart.embed.models.st import batches_of, load_library_model, token_counts, tokens_a_batch
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.request import ModelRequest
from tellapart.embed.vector_matcher import distinct_texts
from tellapart.errors import InputError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

PAIRS_A_STEP = 256
"""Pairs that are scored and kept before the next ones: what an interruption may lose."""

_PAIRS_AT_ONCE = 65_536
_LEAST_PAIRS_A_BATCH = 32
"""The library's default; smaller batches and oneDNN were slower where we measured both."""

_UNITS = {"Identity": "logit", "Sigmoid": "sigmoid"}


class PairEncoder:
    """Encodes texts that each hold a query and a document, see `_joined`, by the pair's logit.

    Pairs of like numbers of tokens go through the model together; a logit may differ in its last digits with
    the batch that its pair was in.
    """

    def __init__(self, name: str, model: CrossEncoder, fingerprint: str) -> None:
        if model.num_labels != 1:
            raise InputError(
                f"this cross-encoder gives {model.num_labels} scores for a pair, one for each label, "
                "expected a single one to rank by",
                where=name.partition(":")[2] or name,
                next_step="Give a cross-encoder with num_labels=1, as rerankers have; not a classifier",
            )
        self.name, self.fingerprint, self.model = name, fingerprint, model
        self._tokens_a_batch = tokens_a_batch(model)

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Have the model read pairs; float32 of shape (pairs, 1)."""
        import torch

        pairs = [_parted(text) for text in texts]
        distinct = list({text for pair in pairs for text in pair})
        counts = dict(zip(distinct, token_counts(self.model, distinct), strict=True))
        window = self.model.max_seq_length or np.inf
        tokens = [int(min(counts[q] + counts[d], window)) for q, d in pairs]
        logits = np.empty((len(pairs), 1), dtype=np.float32)
        most = max(self._tokens_a_batch, _LEAST_PAIRS_A_BATCH * max(tokens, default=0))
        for chosen in batches_of(tokens, most):
            logits[chosen, 0] = self.model.predict(
                [pairs[i] for i in chosen],
                batch_size=len(chosen),
                activation_fn=torch.nn.Identity(),
                show_progress_bar=False,
            )
        finite = np.isfinite(logits)
        if not finite.all():
            first = pairs[int(np.argmin(finite))][0]
            raise InputError(
                f"model {self.name!r} gave NaN or infinity for {np.count_nonzero(~finite)} of {len(pairs)} "
                f"pairs, the first of which begins {first[:60]!r}",
                next_step="No pair can be ranked by such a score; check the model or leave it out",
            )
        return logits


def _joined(query: str, document: str) -> str:
    """One text for two, different for different ones."""
    return f"{len(query)} {query}{document}"


def _parted(pair: str) -> tuple[str, str]:
    length, _, texts = pair.partition(" ")
    return texts[: int(length)], texts[int(length) :]


class CrossEncoderMatcher:
    """Scores pairs with a cross-encoder, each distinct pair of texts once, and no pair that nobody needs.

    Scores are what ``CrossEncoder.predict`` gives: the logit, or the activation that the model was saved with
    or has by default. A sigmoid is computed in double precision, where single precision makes 1 of every
    logit above 17.

    Attributes:
        unit: ``logit``, ``sigmoid``, or the name of another activation.
    """

    def __init__(self, pairs: PairEncoder, encoder: Embedder | None = None) -> None:
        """Score with a model; ``encoder`` gives its logits, such as a cache before it."""
        import torch

        self.name, self.fingerprint = pairs.name, pairs.fingerprint
        self._activation: Callable[..., Any] = pairs.model.activation_fn or torch.nn.Identity()
        activation = type(self._activation).__name__
        self.unit = _UNITS.get(activation, activation.lower())
        self._encoder = encoder or pairs

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``."""
        if not len(query_index):
            return np.empty(0)
        first, query_row = distinct_texts(queries, query_index)
        second, document_row = distinct_texts(documents, document_index)
        codes, position = np.unique(query_row * len(second) + document_row, return_inverse=True)
        logits = np.empty(len(codes))
        for start in range(0, len(codes), _PAIRS_AT_ONCE):
            chosen = codes[start : start + _PAIRS_AT_ONCE].tolist()
            texts = [_joined(first[code // len(second)], second[code % len(second)]) for code in chosen]
            logits[start : start + len(texts)] = self._encoder.encode(texts)[:, 0]
        return self._activated(logits)[position]

    def _activated(self, logits: F64) -> F64:
        import torch

        if self.unit == "logit":
            return logits
        with torch.inference_mode():
            return np.asarray(self._activation(torch.from_numpy(logits)).numpy(), dtype=np.float64)


def load(request: ModelRequest) -> CrossEncoderMatcher:
    """Load the cross-encoder that the argument names."""
    pairs = load_encoder(request)
    steps = {"document": ("scores pairs", "pairs")}
    return CrossEncoderMatcher(
        pairs, request.cached(pairs, batch_size=PAIRS_A_STEP, load=load_encoder, steps=steps)
    )


def load_encoder(request: ModelRequest) -> PairEncoder:
    """Load what gives the logits, in this process or in another one."""
    from sentence_transformers import CrossEncoder

    files = find_model(request.argument, owner="cross-encoder")
    require_kind(files, "CrossEncoder")
    model = load_library_model(CrossEncoder, files)
    return PairEncoder(request.name, model, f"cross-encoder {files.identity}")
