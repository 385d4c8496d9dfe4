"""What an ``.eval`` log of Inspect holds: a zip of JSON, mostly compressed with Zstandard."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, parse_json

_ZSTANDARD = 93
_CONVERT = "Convert it with: inspect log convert --to json --output-dir DIRECTORY LOG"
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL, _SAMPLES = "_journal/summaries/", "samples/"
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
            samples = [
                sample
                for info in _members(archive.infolist())
                for sample in _entries(_json(archive, info, path), f"{path}:{info.filename}")
            ]
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
    same = [one for one in whole if one.get("uuid") == sample.get("uuid")]
    return (same or whole or [dict(sample)])[-1]


def holds_log(path: Path) -> bool:
    """Check whether a file is a zip with the parts of a log; never raises."""
    try:
        with zipfile.ZipFile(path) as archive:
            return bool({_HEADER, _START} & set(archive.namelist()))
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def _members(infos: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    if summaries := [info for info in infos if info.filename == _SUMMARIES]:
        return summaries[-1:]
    found = [info for info in infos if info.filename.endswith(".json")]
    journal = [info for info in found if info.filename.startswith(_JOURNAL)]
    if journal:
        return sorted(journal, key=lambda info: (len(info.filename), info.filename))
    of_samples = [info for info in found if info.filename.startswith(_SAMPLES)]
    return sorted(of_samples, key=lambda info: info.filename)


def _entries(value: Any, where: str) -> list[dict[str, Any]]:
    return as_objects(value, where) if isinstance(value, list) else [as_object(value, where)]


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Any:
    name = info.filename
    unpack: Callable[[zipfile.ZipFile, zipfile.ZipInfo], bytes] = (
        _unpack_zstandard if info.compress_type == _ZSTANDARD else _unpack
    )
    try:
        text = unpack(archive, info)
    except _DAMAGE as error:
        raise InputError(f"cannot unpack {name}: {error}", where=path, next_step=_CONVERT) from None
    if zlib.crc32(text) != info.CRC:
        raise InputError(f"{name} is damaged: its checksum is wrong", where=path, next_step=_CONVERT)
    return parse_json(text, f"{path}:{name}")


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    return archive.read(info)


def _unpack_zstandard(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack what Python's zipfile cannot before 3.14, with the reader of compressed CSV in Polars.

    JSON has no control characters, so two of them as separators make the whole text one cell.
    """
    if not info.file_size:
        return b""
    cell = pl.read_csv(
        _packed(archive, info),
        has_header=False,
        separator="\x1f",
        eol_char="\x1e",
        quote_char=None,
        schema={"text": pl.String},
    )
    return "".join(text or "" for text in cell["text"]).encode()


def _packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a member as they are stored, behind its local header (APPNOTE 4.3.7)."""
    file = archive.fp
    if file is None:
        raise RuntimeError("the archive is closed")
    file.seek(info.header_offset)
    local = file.read(30)
    if local[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile(f"no member at the place of {info.filename}")
    file.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), 1)
    return file.read(info.compress_size)
