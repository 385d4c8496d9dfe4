"""An eval from a file, or from bundles in memory as the file that they would be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.bundles.reading import read_described
from tellapart.bundles.scoring import EvalItems, number_described
from tellapart.bundles.versions import VersionRecord, frozen_version
from tellapart.core.bundle import Bundle
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.errors import InputError
from tellapart.files import RowFaults, sha256_of
from tellapart.files.writing import scratch_directory

IN_MEMORY = "<bundles in memory>"
"""Stands where the path of an eval would."""

BundleSource = str | Path | Iterable[Bundle | Mapping[str, Any]]


@dataclass(frozen=True)
class ReadEval:
    """An eval that has been read.

    Attributes:
        path: Of its file, or ``IN_MEMORY``.
        source_hash: First 16 hexadecimal digits of the SHA-256 of the bytes.
        items: Its bundles without the bad rows.
        frozen: The version record beside its file, if there is one.
    """

    path: str
    source_hash: str
    items: EvalItems
    frozen: VersionRecord | None = None


def read_eval(source: BundleSource) -> tuple[ReadEval, RowFaults]:
    """Read an eval and what is wrong with it."""
    if isinstance(source, str | Path):
        path = Path(source)
        label, frozen, source_hash = str(source), frozen_version(path), sha256_of(path)[:16]
        opened: AbstractContextManager[Path] = nullcontext(path)
    else:
        data = canonical_lines(source)
        if not data:
            raise InputError("there are no bundles", where=IN_MEMORY)
        label, frozen, source_hash = IN_MEMORY, None, sha256(data)[:16]
        opened = _as_file(data)
    problems = RowFaults(Path(label))
    with opened as path:
        items = number_described(read_described(path, problems))
    return ReadEval(label, source_hash, items, frozen), problems


def canonical_lines(bundles: Iterable[Bundle | Mapping[str, Any]]) -> bytes:
    """Write bundles as JSON Lines with one spelling, so that equal bundles are equal bytes."""
    lines = []
    for number, bundle in enumerate(bundles, start=1):
        row = bundle.to_row() if isinstance(bundle, Bundle) else bundle
        if not isinstance(row, Mapping):
            raise InputError(
                f"this is {type(row).__name__}, expected a Bundle or a mapping such as "
                "{'anchor': …, 'positive': …, 'negatives': […]}",
                where=f"{IN_MEMORY}:{number}",
            )
        try:
            lines.append(canonical_json(dict(row)) + b"\n")
        except (TypeError, ValueError) as error:
            raise InputError(f"JSON cannot hold this row: {error}", where=f"{IN_MEMORY}:{number}") from None
    return b"".join(lines)


@contextmanager
def _as_file(data: bytes) -> Iterator[Path]:
    """Lay lines where those who read eval files can read them."""
    with scratch_directory("tellapart-eval-") as directory:
        path = directory / "bundles.jsonl"
        path.write_bytes(data)
        yield path
