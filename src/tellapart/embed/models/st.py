"""Any sentence-transformers model, from a directory or from the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from tellapart.core.arrays import F32
from tellapart.embed.model_files import ModelFiles, find_model
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.request import ModelRequest
from tellapart.errors import InputError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

ARGUMENT = "path or hub id"
REQUIRES = ("sentence_transformers",)
EXTRA = "st"

_BATCH_SIZE = 32


class SentenceTransformerEmbedder:
    """Embeds with sentence-transformers, queries with the model's query prompt and documents with its own.

    Runs on CUDA where there is a device, else on the processor. A text longer than the model's window is cut
    by the model. A vector may differ in its last digits with the batch that its text was in.
    """

    def __init__(self, name: str, files: ModelFiles, *, batch_size: int = _BATCH_SIZE) -> None:
        """Load a model; importing torch for it takes seconds.

        Args:
            name: What the user typed.
            files: From ``find_model``.
            batch_size: Texts that go through the model together.

        Raises:
            InputError: The files are not those of a sentence-transformers model, or are damaged.
        """
        self.name = name
        self.fingerprint = f"sentence-transformers {files.identity}"
        self._batch_size = batch_size
        self._model = _load(files)

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        # Without texts the library forgets the dimensions.
        vectors = encode(list(texts) or [""], batch_size=self._batch_size, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)[: len(texts)]


def load(request: ModelRequest) -> Embedder:
    """Load the model that the argument names."""
    return request.cached(SentenceTransformerEmbedder(request.name, find_model(request.argument)))


def _load(files: ModelFiles) -> SentenceTransformer:
    import torch
    from sentence_transformers import SentenceTransformer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    with _without_progress_bars():
        try:
            return SentenceTransformer(
                files.location,
                device=device,
                revision=files.revision,
                local_files_only=files.revision is None,
            )
        except Exception as error:  # Every file format in there has errors of its own.
            raise InputError(
                f"sentence-transformers cannot load this model ({error})",
                where=files.location,
                next_step="Give a directory that its save_pretrained wrote, or an id on the Hugging Face hub",
            ) from error


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
