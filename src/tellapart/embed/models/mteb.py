"""Any text embedder that MTEB loads, with the prompts and the revision that MTEB has for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tellapart.core.arrays import F32
from tellapart.core.figure_units import COSINE, VECTOR_SIMILARITIES
from tellapart.core.fingerprint import sha256
from tellapart.embed.model_files import find_model, require_kind
from tellapart.embed.models.st import TEXTS_A_STEP, load_library_model
from tellapart.embed.mteb_library import SPLIT, code_search_metadata, named_object, quiet_mteb, require_mteb
from tellapart.embed.protocol import Embedder, Kind
from tellapart.embed.request import ModelRequest
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, UsageError, close_match

_NO_REVISION = (None, "", "no_revision_available")
_TEXTS_A_BATCH = 32
"""MTEB's default."""

_OTHERS = {
    "CrossEncoderWrapper": "ce",
    "MultiVectorWrapper": "multivector",
    "SparseEncoderWrapper": "sparse",
    "BM25Search": "bm25",
}
"""Classes of MTEB's models that give no dense vector for a text, and which models of ours are such."""


@dataclass(frozen=True)
class MtebModel:
    """A model as MTEB loaded it.

    Attributes:
        model: An ``EncoderProtocol``, ``CrossEncoderProtocol`` or ``SearchProtocol`` of MTEB.
        identity: Which weights these are: name and revision, or a digest of the files.
        is_pinned: Whether the identity says so for sure.
    """

    model: Any
    identity: str
    is_pinned: bool


class MtebEmbedder:
    """Embeds as MTEB does in a task of finding code by a summary, queries and documents with a prompt each.

    A document is stripped of the white space at its ends, as in MTEB.

    Attributes:
        name: What the user typed.
        fingerprint: MTEB's version, the model, its revision, its prompts and how it is loaded.
        similarity: That by which MTEB compares the model's vectors.
    """

    def __init__(self, name: str, loaded: MtebModel) -> None:
        """Embed with a model."""
        import mteb

        self.name = name
        self._model = loaded.model
        self._task = code_search_metadata()
        kind = type(loaded.model).__name__
        if kind in _OTHERS or not isinstance(loaded.model, mteb.EncoderProtocol):
            prefix = _OTHERS.get(kind)
            spec = prefix if prefix == "bm25" else f"{prefix}:{name.partition(':')[2]}"
            raise UsageError(
                f"{name!r} is a {kind} of MTEB, which gives no dense vector for a text",
                next_step=f"Write {spec}" if prefix else "Give a model that embeds texts",
            )
        self.similarity = _similarity(loaded.model, name)
        self.fingerprint = f"mteb {mteb.__version__} {loaded.identity} {self._settings()}"

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``."""
        from mteb.types import PromptType

        # Without texts nobody knows the dimensions.
        every = list(texts) or [""]
        with quiet_mteb():
            vectors = self._model.encode(
                _inputs(every, kind),
                task_metadata=self._task,
                hf_split=SPLIT,
                hf_subset="default",
                prompt_type=PromptType(kind),
                batch_size=_TEXTS_A_BATCH,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32)[: len(texts)]

    def _settings(self) -> str:
        """Prompts in words, as a run's record should show them, and a digest of all that they come from."""
        from mteb.models.abs_encoder import AbsEncoder
        from mteb.types import PromptType

        prompts: Mapping[str, str] = getattr(self._model, "model_prompts", None) or {}
        chosen: dict[str, str] = {}
        for side in ("query", "document"):
            name = AbsEncoder.get_prompt_name(self._model, self._task, PromptType(side)) if prompts else None
            if name and prompts.get(name):
                chosen[side] = prompts[name]
        meta = self._model.mteb_model_meta
        loading = {
            "class": f"{type(self._model).__module__}.{type(self._model).__qualname__}",
            "settings": getattr(meta, "loader_kwargs", {}),
            "prompts": prompts,
            "task": [self._task.name, self._task.type, self._task.prompt],
        }
        digest = sha256(json.dumps(loading, sort_keys=True, default=_name_of).encode())[:16]
        return f"prompts={json.dumps(chosen, sort_keys=True, ensure_ascii=False)} settings={digest}"


def load(request: ModelRequest) -> Embedder:
    """Load the model that the argument names."""
    require_mteb(f"the model {request.name!r}")
    with quiet_mteb():
        loaded = _load(request.argument)
        embedder = MtebEmbedder(request.name, loaded)
    # Vectors are kept by the fingerprint, which must say which weights they are of.
    return request.cached(embedder, batch_size=TEXTS_A_STEP, load=load) if loaded.is_pinned else embedder


def _load(reference: str) -> MtebModel:
    """Load a directory, what a module of the user's holds, or a name in MTEB or the hub, ``@REVISION``."""
    import mteb

    if Path(reference).expanduser().is_dir():
        return _load_directory(reference)
    if ":" in reference:
        value = named_object(reference, "the model")
        model = value.load_model() if isinstance(value, mteb.models.ModelMeta) else value
        return _identified(model)
    name, _, revision = reference.partition("@")
    try:
        return _identified(mteb.get_model(name, revision=revision or None))
    except Exception as error:  # Each of some 270 loaders has errors of its own.
        available = [meta.name for meta in mteb.get_model_metas() if meta.name]
        reason = without_secrets(str(error)).split("\n")[0]
        raise InputError(
            f"MTEB cannot load the model {name!r} ({type(error).__name__}: {reason:.300})",
            next_step=_what_next(name, available, error),
        ) from error


def _what_next(name: str, names: Sequence[str], error: Exception) -> str:
    if isinstance(error, ImportError):
        return "Install what is missing"
    if name in names:
        return "Check the connection, or give the directory of a downloaded copy: mteb:PATH"
    close = close_match(name, names)
    return (f"Did you mean {close!r}? " if close else "") + (
        "Give a model in MTEB or on the Hugging Face hub (owner/name), the directory of one, or MODULE:NAME "
        "of one of your own"
    )


def _load_directory(reference: str) -> MtebModel:
    """Load what sentence-transformers saved, wrapped as `mteb.evaluate` wraps it."""
    import mteb
    from sentence_transformers import SentenceTransformer

    files = find_model(reference)
    require_kind(files, "SentenceTransformer", plain="")
    model = mteb.SentenceTransformerEncoderWrapper(load_library_model(SentenceTransformer, files))
    return MtebModel(model, files.identity, is_pinned=True)


def _identified(model: Any) -> MtebModel:
    meta = getattr(model, "mteb_model_meta", None)
    name, revision = getattr(meta, "name", None), getattr(meta, "revision", None)
    pinned = revision not in _NO_REVISION
    return MtebModel(model, f"model={name} revision={revision if pinned else 'unknown'}", is_pinned=pinned)


def _similarity(model: Any, name: str) -> str:
    """By which of our similarities MTEB compares the model's vectors."""
    declared = getattr(getattr(model, "model", None), "similarity_fn_name", None)
    recorded = (
        declared or getattr(getattr(model, "mteb_model_meta", None), "similarity_fn_name", None) or COSINE
    )
    similarity = str(getattr(recorded, "value", recorded))
    if similarity not in VECTOR_SIMILARITIES:
        raise UsageError(
            f"{name!r} compares by {similarity!r} in MTEB, expected one of {', '.join(VECTOR_SIMILARITIES)}"
        )
    return similarity


def _inputs(texts: Sequence[str], kind: Kind) -> Any:
    """The batches that MTEB makes of queries and of documents, with the columns that its models may read."""
    from datasets import Dataset
    from torch.utils.data import DataLoader

    if kind == "query":
        columns = {"text": list(texts), "query": list(texts)}
    else:
        columns = {"text": [text.strip() for text in texts], "body": list(texts)}
    columns["id"] = [str(i) for i in range(len(texts))]
    return DataLoader(Dataset.from_dict(columns), batch_size=_TEXTS_A_BATCH)


def _name_of(value: Any) -> str:
    """What stands for an object in a digest: never its address in memory."""
    return str(
        getattr(value, "__qualname__", None) or f"{type(value).__qualname__} {value}".partition(" at 0x")[0]
    )
