"""Command lines in this process, in a directory of their own."""

import contextlib
import io
import os
import sys
from pathlib import Path
from unittest import mock

from typer.main import get_command


def environment(directory):
    """The environment of a command: a screen of fixed width, and nothing kept from other runs."""
    return os.environ | {
        "COLUMNS": "100",
        "LINES": "40",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "TELLAPART_CACHE": str(directory / "cache.sqlite"),
        "TELLAPART_INDEX": str(directory / "index"),
    }


def tellapart(directory, *arguments):
    """Run a command line in a directory; gives the exit code, stdout and stderr."""
    from tellapart.cli.main import main

    before = Path.cwd()
    out, err = io.StringIO(), io.StringIO()
    os.chdir(directory)
    try:
        with (
            mock.patch.dict(os.environ, environment(directory)),
            mock.patch.object(sys, "argv", ["tellapart", *arguments]),
            # What is run with `python -m` is called so in the help of every command.
            mock.patch.object(sys.modules["__main__"], "__package__", "", create=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
                code = 0
            except SystemExit as stop:
                code = stop.code or 0
    finally:
        os.chdir(before)
    return code, out.getvalue(), err.getvalue()


def groups():
    """The words of every command and group of commands, by the name of the group that they are in."""
    from tellapart.cli.main import command_line

    found = {}

    def walk(command, words):
        here = getattr(command, "commands", None)
        found.setdefault((words if here is not None else words[:-1])[:1] or ("tellapart",), []).append(words)
        for name in sorted(here or {}):
            walk(here[name], (*words, name))

    walk(get_command(command_line()), ())
    return {name: commands for (name,), commands in found.items()}
