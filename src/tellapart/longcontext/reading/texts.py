"""Text files as people write them."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError


def read_text(path: Path) -> str:
    """Read UTF-8 with whatever line ends, without the mark that some editors put first.

    Raises:
        InputError: It cannot be read, or is no UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"this is no UTF-8: byte {error.start} is {error.object[error.start]:#x}", where=path
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
