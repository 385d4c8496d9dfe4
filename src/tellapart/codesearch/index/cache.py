"""What is kept of the approved repositories between runs; losing it costs time, never a result."""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.embed.cache import default_path
from tellapart.errors import StorageError
from tellapart.files import write_bytes

Arrays = dict[str, NDArray[Any]]

_RECORDS = "records"
_DAMAGED = "this is damaged, or no part of an index of this program; it is made again"


class IndexWarning(UserWarning):
    """What was kept is damaged or cannot be used; results are the same, but slower to get."""


def index_directory() -> Path:
    """``$TELLAPART_INDEX``, else ``codesearch`` beside the cache of vectors."""
    if chosen := os.environ.get("TELLAPART_INDEX"):
        return Path(chosen).expanduser()
    return default_path().parent / "codesearch"


class Kept:
    """One file for one part of the index, such as ``terms``, of one set of repositories.

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

    def arrays(self) -> Arrays:
        """Read what ``keep`` wrote: arrays by name; empty where there is nothing to use."""
        body = self._body()
        if not body:
            return {}
        try:
            with np.load(io.BytesIO(body), allow_pickle=False) as stored:
                return dict(stored)
        except (ValueError, zipfile.BadZipFile):
            self._warn(_DAMAGED)
            return {}

    def keep(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace what is kept; arrays hold numbers or text, never objects."""
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        body = buffer.getvalue()
        heading = canonical_json(self._heading | {"sha256": sha256(body)})
        try:
            write_bytes(self.path, heading + b"\n" + body)
        except (OSError, StorageError) as error:
            self._warn(f"nothing can be kept here ({error}); name another directory in TELLAPART_INDEX")

    def records(self) -> dict[str, Any]:
        """Read what ``keep_records`` wrote; empty where there is nothing to use."""
        stored = self.arrays()
        return dict(json.loads(stored[_RECORDS].tobytes())) if _RECORDS in stored else {}

    def keep_records(self, records: Mapping[str, Any]) -> None:
        """Replace what is kept by values that JSON can say, by name, such as the digest of a file."""
        self.keep({_RECORDS: np.frombuffer(canonical_json(records), dtype=np.uint8)})

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
