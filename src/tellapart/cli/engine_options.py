"""Options of commands that an engine can do part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.core.jobs import Spread
    from tellapart.parallel import EngineOptions


def known_engine(name: str | None) -> str | None:
    """See that there is such an engine."""
    from tellapart.parallel import ENGINES

    if name is not None and name not in ENGINES:
        raise UsageError(f"--engine is {name!r}, expected one of {', '.join(ENGINES)}")
    return name


_PANEL = "Engine: where work is done"

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Work part by part: local, in a process for each processor, or ray, on a cluster.",
        show_default=False,
        callback=known_engine,
        rich_help_panel=_PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Parts that are worked on at a time; by default one for each processor.",
        rich_help_panel=_PANEL,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="Of a Ray cluster, or auto; by default a Ray of its own.",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
NumGpus = Annotated[
    float,
    typer.Option(
        "--num-gpus", min=0, help="Of each worker of Ray, such as 1 or 0.5.", rich_help_panel=_PANEL
    ),
]


@dataclass(frozen=True)
class EngineSettings:
    """Which engine does the work of a command, if any; see ``EngineOptions``.

    Attributes:
        engine: Its name; None where nobody says.
        workers: How many parts at a time; None for as many as there is room for.
        address: Of a Ray cluster.
        num_gpus: Of each worker of Ray.
    """

    engine: EngineName = None
    workers: Workers = None
    address: Address = None
    num_gpus: NumGpus = 0

    @property
    def options(self) -> EngineOptions:
        """The same for the engine itself, which is the local one where nobody says."""
        from tellapart.parallel import EngineOptions

        return EngineOptions(self.engine or "local", self.workers, self.address, self.num_gpus)

    @contextmanager
    def spread(self) -> Iterator[Spread | None]:
        """Have the engine that was named ready, and end it with the block; None where none was."""
        from tellapart.parallel import open_spread

        if self.engine is None:
            if self != EngineSettings():
                raise UsageError(
                    "--workers, --address and --num-gpus are for an engine",
                    next_step="Add --engine local or --engine ray, or leave them out",
                )
            yield None
            return
        with open_spread(self.options) as spread:
            yield spread
