"""``tellapart view``: a local page over a folder of runs."""

from __future__ import annotations

import logging
import secrets
import socket
import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from tellapart.cli.output import print_line, say
from tellapart.cli.settings import with_settings
from tellapart.errors import InputError, MissingExtra, UsageError
from tellapart.readers.settings import Columns, Human, Limits, Metric, Models, Qrels, ReadingSettings

_WAITING = 64
"""Connections that wait to be taken, which a browser has few of."""


@with_settings
def view(
    directory: Annotated[
        Path, typer.Argument(help="A folder of runs, scoreboards, score tables and logs.")
    ] = Path("runs"),
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Of 127.0.0.1; 0 for any that is free.")
    ] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    columns: Columns = None,
    models: Models = (),
    limits: Limits = None,
    metric: Metric = None,
    qrels: Qrels = None,
    human: Human = None,
) -> None:
    """Look at runs in a browser.

    From the verdict down to the two answers that decide it. Serves this machine alone, until Ctrl-C.
    --columns, --models, --limits, --metric and --qrels are used for files that cannot be read without them.
    """
    try:
        import uvicorn

        from tellapart.view.server import application
    except ImportError:
        raise MissingExtra("tellapart view", "view") from None
    if not directory.is_dir():
        what = "this is a file, not a folder" if directory.exists() else "there is no such folder"
        raise InputError(what, where=directory, next_step="Give a folder of runs, tables or logs")
    if human is not None and not human.is_file():
        raise InputError("there is no such file", where=human, next_step="Draw it with: tellapart label")
    listening = socket.socket()
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port} of 127.0.0.1 cannot be used: {error.strerror}", next_step="Leave out --port"
        ) from None
    with listening:
        reading = ReadingSettings(
            columns=columns, models=models, limits=limits, metric=metric, qrels=qrels, human=human
        )
        port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
        address = f"http://127.0.0.1:{port}/?token={token}"
        # Who comes at once is kept waiting, not refused.
        listening.listen(_WAITING)
        print_line(address)
        say("Ctrl-C ends it")
        # A browser in this terminal blocks nothing.
        if not no_open:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        # Of more connections than file descriptors, asyncio writes a traceback each, at every try.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            application(directory, token, port, reading),
            log_level="error",
            access_log=False,
            lifespan="off",
            backlog=_WAITING,
        )
        uvicorn.Server(config).run(sockets=[listening])
