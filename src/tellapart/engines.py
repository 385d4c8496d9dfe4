"""Where work is done: options of commands, and settings of the functions behind them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

import typer

from tellapart.errors import MissingExtra, UsageError

ENGINES = ("local", "ray")

_PANEL = "Engine: where work is done"
_ENGINE = typer.Option(
    "--engine",
    help="Work part by part: local, in a process for each processor, or ray, on a cluster.",
    show_default=False,
    rich_help_panel=_PANEL,
)
_WORKERS = typer.Option(
    "--workers",
    min=1,
    help="Parts that are worked on at a time; by default one for each processor.",
    rich_help_panel=_PANEL,
)
_ADDRESS = typer.Option(
    "--address",
    help="Of a Ray cluster, or auto; by default a Ray of its own.",
    show_default=False,
    rich_help_panel=_PANEL,
)
_NUM_GPUS = typer.Option(
    "--num-gpus", min=0, help="Of each worker of Ray, such as 1 or 0.5.", rich_help_panel=_PANEL
)


@dataclass(frozen=True)
class EngineOptions:
    """Where work is done, and by how many workers; changes nothing but the time.

    Attributes:
        engine: One of ``ENGINES``; None for the local one, where there are parts to be spread at all.
        workers: Tasks that are done at a time; None for one for each processor, or as memory allows.
        address: Address of a Ray cluster, or ``auto``; None to start Ray on this machine.
        num_gpus: GPUs for each worker of Ray.
    """

    engine: Annotated[str | None, _ENGINE] = None
    workers: Annotated[int | None, _WORKERS] = None
    address: Annotated[str | None, _ADDRESS] = None
    num_gpus: Annotated[float, _NUM_GPUS] = 0

    def check(self) -> None:
        """Refuse what cannot be, before anything is started."""
        if self.engine not in (None, *ENGINES):
            raise UsageError(f"--engine is {self.engine!r}, expected one of {', '.join(ENGINES)}")
        if self.engine != "ray" and (self.address is not None or self.num_gpus):
            raise UsageError(
                "--address and --num-gpus are for clusters", next_step="Add --engine ray, or leave them out"
            )
        if self.engine == "ray" and find_spec("ray") is None:
            raise MissingExtra("--engine ray", "ray")
