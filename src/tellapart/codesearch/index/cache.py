"""What is kept of the approved repositories between runs; losing it costs time, never a result."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.embed.cache import default_path
from tellapart.errors import StorageError
from tellapart.files import write_bytes

_DAMAGED = "this is damaged, or no part of an index of this program; it is made again"


class IndexWarning(UserWarning):
    """What was kept is damaged or cannot be used; results are the same, but slower to get."""


def index_directory() -> Path:
    """``$TELLAPART_INDEX``, else ``codesearch`` beside the cache of vectors."""
    if chosen := os.environ.get("TELLAPART_INDEX"):
        return Path(chosen).expanduser()
    return default_path().parent / "codesearch"


class Kept:
    """One file for one part of the index, such as ``names``, of one set of repositories.

    It is replaced as a whole, so that several processes may use it at once; each finds what one of them
    kept. A file that is damaged, or is something else, counts as empty and an ``IndexWarning`` says so; where
    nothing can be written, one says that. What another ``revision`` wrote counts as empty without a word.
    Contents are not checked against the repositories: whoever reads them compares digests of files.
    """

    def __init__(self, directory: Path, part: str, *, revision: int | str, of: Repositories) -> None:
        """Name the file; nothing is read or written yet."""
        digest = sha256("\0".join((str(of.root), *of.names)).encode("utf-8", "surrogateescape"))[:16]
        self.path = directory / f"{part}-{digest}.index"
        self._heading = {"tellapart index": part, "revision": revision}

    def records(self) -> dict[str, Any]:
        """Read what ``keep`` wrote; empty where there is nothing to use."""
        body = self._body()
        return dict(json.loads(body)) if body else {}

    def keep(self, records: Mapping[str, Any]) -> None:
        """Replace what is kept by values that JSON can say, by name, such as the digest of a file."""
        body = canonical_json(records)
        heading = canonical_json(self._heading | {"sha256": sha256(body)})
        try:
            write_bytes(self.path, heading + b"\n" + body)
        except (OSError, StorageError) as error:
            self._warn(f"nothing can be kept here ({error}); name another directory in TELLAPART_INDEX")

    def _body(self) -> bytes:
        try:
            heading, _, body = self.path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return b""
        except OSError as error:
            self._warn(f"cannot read what was kept ({error.strerror}); it is made again")
            return b""
        stored_heading = _parsed(heading)
        if stored_heading == self._heading | {"sha256": sha256(body)}:
            return body
        if not _older(stored_heading, self._heading):
            self._warn(_DAMAGED)
        return b""

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.path}: {message}", IndexWarning, stacklevel=4)


def _parsed(heading: bytes) -> Any:
    try:
        return json.loads(heading)
    except ValueError:
        return None


def _older(stored_heading: Any, expected: Mapping[str, Any]) -> bool:
    return (
        isinstance(stored_heading, dict)
        and stored_heading.keys() > expected.keys()
        and stored_heading["revision"] != expected["revision"]
    )
