"""Read a source file, or say why it cannot be used."""

from __future__ import annotations

from pathlib import Path

from tellapart.extraction.languages import Language

MAX_BYTES = 2_000_000
MAX_LINE_BYTES = 100_000


class Unusable(Exception):
    """Why a file gives no units; the message is the cause under which it is counted."""


def read_source(location: Path, language: Language) -> bytes:
    """Read a file as UTF-8 with Unix line ends and without a byte order mark."""
    try:
        if location.stat().st_size > MAX_BYTES:
            raise Unusable("too large")
        data = location.read_bytes()
    except OSError as error:
        raise Unusable("unreadable") from error
    return usable_source(data, language)


def usable_source(data: bytes, language: Language) -> bytes:
    """Bring a file's bytes into UTF-8 with Unix line ends and without a byte order mark."""
    if len(data) > MAX_BYTES:
        raise Unusable("too large")
    if b"\0" in data:
        raise Unusable("binary")
    data = _as_utf8(data, language).removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if len(data) > MAX_LINE_BYTES and max(map(len, data.split(b"\n"))) > MAX_LINE_BYTES:
        raise Unusable("too large")
    return data


def _as_utf8(data: bytes, language: Language) -> bytes:
    try:
        data.decode()
        return data
    except UnicodeDecodeError as error:
        if not language.declared_encoding:
            raise Unusable("undecodable") from error
    try:
        return data.decode(language.declared_encoding(data)).encode()
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise Unusable("undecodable") from error
