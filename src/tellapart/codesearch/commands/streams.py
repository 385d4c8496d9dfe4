"""Standard input and output, or the files named in their place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.errors import InputError, UsageError

if TYPE_CHECKING:
    from tellapart.codesearch.repositories import Repositories

STANDARD_INPUT = "standard input"

In = Annotated[
    Path | None, typer.Option("--in", help="Read this file.", show_default="standard input", metavar="FILE")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Write this file.", show_default="standard output", metavar="FILE"),
]


def read(source: Path | None, what: str) -> tuple[bytes, str]:
    """Read all that is given.

    Args:
        source: A file; None or ``-`` for standard input.
        what: What is expected, such as ``search_results.json``, for the message.

    Returns:
        The bytes, and where they come from, for messages.

    Raises:
        UsageError: Standard input is a terminal.
        InputError: The file cannot be read.
    """
    if source is None or str(source) == "-":
        if sys.stdin.isatty():
            raise UsageError(
                f"nothing is given: {what} is expected on standard input",
                next_step=f"Write '< {what}', or name a file with --in",
            )
        return sys.stdin.buffer.read(), STANDARD_INPUT
    try:
        return source.read_bytes(), str(source)
    except OSError as error:
        raise InputError(f"this file cannot be read: {error.strerror}", where=source) from None


def check_out(out: Path | None, *inputs: Path | None, apart: Repositories | None = None) -> None:
    """See that the output has a place of its own, before any work.

    Args:
        out: As ``--out`` names it.
        inputs: Files that are read.
        apart: Neither output nor inputs may lie in these repositories.

    Raises:
        UsageError: The output is a directory or one of the inputs, or something lies in a repository.
    """
    from tellapart.store import check_outs

    files = [path for path in inputs if path is not None and str(path) != "-"]
    written = None if out is None or str(out) == "-" else out
    check_outs([written], files)
    if apart is not None:
        from tellapart.codesearch.apart import check_apart

        check_apart(apart, {"the output": written, **{f"the input {path}": path for path in files}})


def write(out: Path | None, text: str) -> None:
    """Write a text to a file, whole or not at all, or to standard output."""
    if out is None or str(out) == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from tellapart.store import write_text

    write_text(out, text)


def as_json(record: Any) -> str:
    """Put a record as the files of the suite have it; NaN and infinity are no JSON."""
    import json

    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
