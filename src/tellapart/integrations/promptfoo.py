"""A gate inside promptfoo: ``python -m tellapart.integrations.promptfoo DIR`` copies the files that it takes.

They are a provider that runs ``tellapart compare``, an assertion that passes if the gate does, and a
configuration that uses both. They are JavaScript, since every promptfoo runs that.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from tellapart.cli.output import say
from tellapart.errors import Refused, TellapartError
from tellapart.files import make_directory, write_bytes
from tellapart.store.paths import check_directory, check_outs

FILES = ("tellapart_provider.cjs", "tellapart_assertion.cjs", "tellapart_gate.yaml")
"""What is copied; the last one is for the user to edit."""


def copy_files(folder: Path) -> tuple[Path, ...]:
    """Copy the provider, the assertion and the configuration.

    Args:
        folder: Where; made if it is not there.

    Returns:
        The files that were written; one that is there already with the same content is not among them.

    Raises:
        Refused: A file of that name is there with another content; nothing is written.
        StorageError: The folder cannot be written to.
        UsageError: It is a file.
    """
    packaged = files("tellapart.integrations").joinpath("promptfoo_files")
    contents = {folder / name: packaged.joinpath(name).read_bytes() for name in FILES}
    there = {path: path.read_bytes() for path in contents if path.is_file()}
    for path, content in there.items():
        if content != contents[path]:
            raise Refused(
                "this file is there already and has been changed",
                where=path,
                next_step="Move it away, or copy to another folder",
            )
    written = tuple(path for path in contents if path not in there)
    check_directory(folder)
    check_outs(written)
    make_directory(folder)
    for path in written:
        write_bytes(path, contents[path])
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """Copy the files to the folder that the command line names, and give the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tellapart.integrations.promptfoo",
        description="Copy a gate for promptfoo to a folder.",
    )
    parser.add_argument("folder", type=Path, help="where the files go")
    folder = parser.parse_args(arguments).folder
    try:
        written = copy_files(folder)
    except TellapartError as error:
        say(f"error: {error}")
        return error.exit_code
    for path in written:
        say(f"wrote {path}")
    say(f"Name your results in {folder / FILES[-1]}, then: promptfoo eval -c {folder / FILES[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
