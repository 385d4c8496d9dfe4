"""A sentence-transformers model in memory, which may be in training, as an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer

from tellapart.core.arrays import F32
from tellapart.embed.protocol import Kind

_METHODS: dict[Kind, str] = {"query": "encode_query", "document": "encode_document"}


@dataclass(frozen=True)
class Encoding:
    """How a model encodes; as the arguments of ``SentenceTransformer.encode``.

    Attributes:
        batch_size: Texts that go through the model together.
        truncate_dim: First dimensions to keep; None for what the model is set to.
        query_prompt: Put in front of anchors; None for the model's own.
        document_prompt: Put in front of positives and negatives; None for the model's own.
    """

    batch_size: int = 32
    show_progress_bar: bool = False
    truncate_dim: int | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None

    def prompt(self, kind: Kind) -> str | None:
        """The prompt of a side."""
        return self.query_prompt if kind == "query" else self.document_prompt


class ModelEncoder:
    """Embeds with a model as it is now; make a new one after each training step.

    A text is embedded once, and once for both sides where the model treats them alike. A model without
    ``encode_query`` or ``encode_document`` encodes with ``encode``.
    """

    def __init__(self, model: Any, name: str, encoding: Encoding) -> None:
        """Wrap ``model``, which tables call ``name``."""
        self.name = name
        self.fingerprint = f"{name} in memory"
        self._model = model
        self._encoding = encoding
        self._alike = _treats_sides_alike(model) and encoding.query_prompt == encoding.document_prompt
        self._vectors: dict[Kind, dict[str, F32]] = {}

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed at least one text; see ``Embedder``."""
        vector_of = self._vectors.setdefault("document" if self._alike else kind, {})
        new = list(dict.fromkeys(text for text in texts if text not in vector_of))
        if new:
            # An array of another length is for checked_vectors to refuse, so nothing is lost by zip.
            vectors = self._encode(new, kind)
            if len(vectors) != len(new):
                return vectors
            vector_of.update(zip(new, vectors, strict=True))
        return np.stack([vector_of[text] for text in texts])

    def _encode(self, texts: list[str], kind: Kind) -> F32:
        encode = getattr(self._model, _METHODS[kind], self._model.encode)
        options = {"prompt": self._encoding.prompt(kind), "truncate_dim": self._encoding.truncate_dim}
        vectors = encode(
            texts,
            batch_size=self._encoding.batch_size,
            show_progress_bar=self._encoding.show_progress_bar,
            convert_to_numpy=True,
            **{option: value for option, value in options.items() if value is not None},
        )
        return np.asarray(vectors, dtype=np.float32)


def _treats_sides_alike(model: Any) -> bool:
    """Say whether a text certainly has the same vector as a query and as a document."""
    kind = type(model)
    if not any(hasattr(kind, method) for method in _METHODS.values()):
        return True
    stock = all(
        getattr(kind, method, None) is getattr(SentenceTransformer, method) for method in _METHODS.values()
    )
    # A router, or a module that gets the task, may send the two sides through different weights.
    return stock and not any((model.prompts or {}).values()) and "task" not in model.get_model_kwargs()
