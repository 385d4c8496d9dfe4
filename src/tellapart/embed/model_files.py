"""Where the files of a sentence-transformers model are, which revision they are, and of which class."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.environment.secrets import remember_secret, without_secrets
from tellapart.errors import InputError
from tellapart.files import read_json, sha256_of

_HUB_ID = re.compile(r"([\w.-]+/)?[\w.-]+")
_HUB_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model to load.

    Attributes:
        location: A directory, or the id of a repository on the Hugging Face hub.
        revision: The commit on the hub; None for a directory.
        identity: What the vectors depend on, for the fingerprint: id and commit, or a digest of the files.
    """

    location: str
    revision: str | None
    identity: str


def find_model(reference: str) -> ModelFiles:
    """Find a model by the path of its directory or by its id on the Hugging Face hub.

    An id is ``owner/name`` or ``owner/name@revision``; a name without an owner belongs to
    ``sentence-transformers``. The hub is asked once, for the commit; while it cannot be reached, a copy that
    was downloaded earlier serves.
    """
    directory = Path(reference).expanduser()
    if directory.is_dir():
        return ModelFiles(str(directory), None, f"files=sha256:{_digest_below(directory)}")
    name, _, revision = reference.partition("@")
    if not _HUB_ID.fullmatch(name):
        raise InputError(
            f"there is no directory {reference!r}",
            next_step="Give the directory of a sentence-transformers model, or an id on the hub (owner/name)",
        )
    return _find_on_hub(name if "/" in name else f"sentence-transformers/{name}", revision or None)


def _find_on_hub(repository: str, revision: str | None) -> ModelFiles:
    from huggingface_hub import HfApi, get_token, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        commit = HfApi().model_info(repository, revision=revision, timeout=_HUB_TIMEOUT_S).sha
        return ModelFiles(repository, commit, f"model={repository} revision={commit}")
    except (RepositoryNotFoundError, RevisionNotFoundError, HFValidationError) as error:
        raise InputError(
            f"{repository!r} is neither a directory nor a model that the Hugging Face hub shows"
            + (f" at revision {revision!r}" if revision else ""),
            next_step="Check the spelling; a private model needs HF_TOKEN",
        ) from error
    except Exception as error:  # Which HTTP library's, depends on the version of the hub's client.
        for name in ("modules.json", "config.json"):
            cached = try_to_load_from_cache(repository, name, revision=revision)
            if isinstance(cached, str):
                directory = Path(cached).parent
                return ModelFiles(str(directory), None, f"model={repository} revision={directory.name}")
        # The token may lie in the hub's own file, and be in the words of whichever library asked.
        remember_secret(get_token())
        raise InputError(
            f"{repository!r} is neither on this machine nor within reach on the Hugging Face hub "
            f"({without_secrets(str(error))})",
            next_step="Check the connection, or download the model elsewhere and give the path of its "
            "directory",
        ) from error


def _digest_below(directory: Path) -> str:
    """SHA-256 of the names and contents of the files below a directory, but for hidden ones and ``*.md``."""
    digest = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory)
        if path.is_file() and path.suffix != ".md" and not any(part.startswith(".") for part in name.parts):
            digest.update(f"{sha256_of(path)}  {name.as_posix()}\n".encode())
    return digest.hexdigest()


def require_embedder(files: ModelFiles) -> None:
    """Refuse a model of another class, which the library would convert with random weights or none.

    A plain model of transformers is embedded by the mean of its tokens, as the library does.
    """
    kind = _configuration(files, "config_sentence_transformers.json").get("model_type")
    architecture = str(_configuration(files, "config.json").get("architectures"))
    if kind is None and "HF_ColBERT" in architecture:
        kind = "ColBERT"
    elif kind is None and _path_of(files, "modules.json") is None and "ForSequence" in architecture:
        kind = "CrossEncoder"
    if kind not in (None, "SentenceTransformer"):
        raise InputError(
            f"this is a {kind}, and st: loads a SentenceTransformer",
            where=files.location,
            next_step="Give a model with one dense vector for a text",
        )


def _configuration(files: ModelFiles, name: str) -> dict[str, Any]:
    path = _path_of(files, name)
    try:
        content = read_json(path) if path else None
    except InputError:  # Whoever loads the model says what is wrong with it.
        content = None
    return content if isinstance(content, dict) else {}


def _path_of(files: ModelFiles, name: str) -> Path | None:
    """Where a file of a model is on this machine, downloaded if need be; None where the model has none."""
    if files.revision is None:
        path = Path(files.location, name)
        return path if path.is_file() else None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    try:
        return Path(hf_hub_download(files.location, name, revision=files.revision))
    except EntryNotFoundError:
        return None
