"""What an ``.eval`` log of Inspect holds: a zip of JSON, mostly compressed with Zstandard."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, parse_json

_ZSTANDARD = 93
_CONVERT = "Convert it with: inspect log convert --to json --output-dir DIRECTORY LOG"
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL, _SAMPLES = "_journal/summaries/", "samples/"
_MOST_BYTES = 256 * 2**20
"""Of one part of a log, unpacked: it is held in memory, and parsed, which takes several times as much."""
_DAMAGE = (zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, pl.exceptions.PolarsError)


def read_archive(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read the header and the samples' summaries; the samples themselves only where there are no summaries.

    A log whose run was killed has no header, but a journal; its status is ``started``.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            start = members.get(_HEADER) or members.get(_START)
            if start is None:
                raise InputError("this zip is not an Inspect log: it has no header.json", where=path)
            header = as_object(_json(archive, start, path), path)
            samples = []
            for info in _members(archive.infolist()):
                value = _json(archive, info, path)
                samples += as_objects(
                    value if isinstance(value, list) else [value], f"{path}:{info.filename}"
                )
    except zipfile.BadZipFile as error:
        raise InputError(
            f"this is not a complete zip archive ({error}), which an Inspect .eval log is",
            where=path,
            next_step="If the file was cut off, copy it again",
        ) from None
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    return {"status": "started", **header}, samples


def read_sample(path: Path, sample: Mapping[str, Any]) -> dict[str, Any]:
    """Read a sample whole, whose summary the log has; the summary where the log has no more."""
    name = f"{_SAMPLES}{sample.get('id')}_epoch_{sample.get('epoch', 1)}.json"
    try:
        with zipfile.ZipFile(path) as archive:
            # Samples with one id and epoch have one name, too.
            whole = [
                as_object(_json(archive, info, path), f"{path}:{name}")
                for info in archive.infolist()
                if info.filename == name
            ]
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"cannot read this sample: {error}", where=f"{path}:{name}") from None
    same = [entry for entry in whole if entry.get("uuid") == sample.get("uuid")]
    return (same or whole or [dict(sample)])[-1]


def holds_log(path: Path) -> bool:
    """Check whether a file is a zip with the parts of a log; never raises."""
    try:
        with zipfile.ZipFile(path) as archive:
            return bool({_HEADER, _START} & set(archive.namelist()))
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def _members(infos: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The samples' summaries; those of the journal where the run was killed; else the samples."""
    if summaries := [info for info in infos if info.filename == _SUMMARIES]:
        return summaries[-1:]
    parts = [info for info in infos if info.filename.endswith(".json")]
    journal = [info for info in parts if info.filename.startswith(_JOURNAL)]
    of_samples = [info for info in parts if info.filename.startswith(_SAMPLES)]
    return sorted(journal, key=lambda info: (len(info.filename), info.filename)) or sorted(
        of_samples, key=lambda info: info.filename
    )


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Any:
    name = info.filename
    if info.file_size > _MOST_BYTES:
        raise InputError(
            f"{name} has {info.file_size:,} bytes unpacked, expected at most {_MOST_BYTES:,}",
            where=path,
            next_step="Is this the log that you mean? Run the evaluation in several logs if it is",
        )
    try:
        text = _unpacked(archive, info) if info.compress_type == _ZSTANDARD else archive.read(info)
    except _DAMAGE as error:
        raise InputError(f"cannot unpack {name}: {error}", where=path, next_step=_CONVERT) from None
    if zlib.crc32(text) != info.CRC:
        raise InputError(f"{name} is damaged: its checksum is wrong", where=path, next_step=_CONVERT)
    return parse_json(text, f"{path}:{name}")


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack what Python's zipfile cannot before 3.14, with the reader of compressed CSV in Polars.

    JSON has no control characters, so two of them as separators make the whole text one cell.
    """
    file = archive.fp
    if file is None or not info.file_size:
        return b""
    # The bytes of a member stand behind its local header (APPNOTE 4.3.7).
    file.seek(info.header_offset)
    local = file.read(30)
    if local[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile(f"no member at the place of {info.filename}")
    file.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), 1)
    cell = pl.read_csv(
        file.read(info.compress_size),
        has_header=False,
        separator="\x1f",
        eol_char="\x1e",
        quote_char=None,
        schema={"text": pl.String},
    )
    return "".join(text or "" for text in cell["text"]).encode()
