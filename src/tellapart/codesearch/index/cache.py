"""What is kept of the approved repositories between runs; losing it costs time, never a result."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.embed.cache import default_path
from tellapart.errors import StorageError
from tellapart.files import write_bytes


def index_directory() -> Path:
    """``$TELLAPART_INDEX``, else ``codesearch`` beside the cache of vectors."""
    if chosen := os.environ.get("TELLAPART_INDEX"):
        return Path(chosen).expanduser()
    return default_path().parent / "codesearch"


class Kept:
    """One file for one part of the index, such as ``names``, of one set of repositories.

    It is replaced as a whole, so that several processes may use it at once. What is damaged, something else,
    or of another ``revision`` counts as empty. Contents are not checked against the repositories: whoever
    reads them compares digests of files.
    """

    def __init__(self, directory: Path, part: str, *, revision: int | str, of: Repositories) -> None:
        """Name the file; nothing is read or written yet."""
        digest = sha256("\0".join((str(of.root), *of.names)).encode("utf-8", "surrogateescape"))[:16]
        self.path = directory / f"{part}-{digest}.index"
        self._revision = canonical_json({"tellapart index": part, "revision": revision})

    def records(self) -> dict[str, Any]:
        """Read what ``keep`` wrote; empty where there is nothing to use."""
        try:
            heading, _, body = self.path.read_bytes().partition(b"\n")
        except OSError:
            return {}
        return dict(json.loads(body)) if heading == self._heading(body) else {}

    def keep(self, records: Mapping[str, Any]) -> None:
        """Replace what is kept by values that JSON can say, by name, such as the digest of a file."""
        body = canonical_json(records)
        with suppress(OSError, StorageError):
            write_bytes(self.path, self._heading(body) + b"\n" + body)

    def _heading(self, body: bytes) -> bytes:
        return sha256(self._revision + body).encode()
