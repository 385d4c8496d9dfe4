"""Options of commands that an engine can do part by part."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from tellapart.errors import UsageError

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def parse_bytes(text: str | None) -> int | None:
    """Read an amount of memory such as ``8G`` or ``512MiB``; units are powers of 1,024.

    Raises:
        UsageError: It is none, or not above 0.
    """
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s?([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    amount = float(match[1]) * _UNITS[match[2].upper()] if match else 0.0
    if amount < 1:
        raise UsageError(f"--memory is {text!r}, expected an amount such as 8G or 512M")
    return int(amount)


def known_engine(name: str | None) -> str | None:
    """See that there is such an engine."""
    from tellapart.engine.choice import ENGINES

    if name is not None and name not in ENGINES:
        raise UsageError(f"--engine is {name!r}, expected one of {', '.join(ENGINES)}")
    return name


EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Work part by part: local, on all processors, or ray, on a cluster. Folders always are.",
        show_default=False,
        callback=known_engine,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, help="Parts that are worked on at a time; by default one for each processor."
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        help="For all workers of a machine, such as 8G; by default 70 % of what is there.",
        show_default=False,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address", help="Of a Ray cluster, or auto; by default a Ray of its own.", show_default=False
    ),
]
NumGpus = Annotated[float, typer.Option("--num-gpus", min=0, help="Of each worker of Ray, such as 1 or 0.5.")]
