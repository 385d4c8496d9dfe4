"""Whether what a command reads is there: looked at before anything else is, so that a slip costs no time."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError
from tellapart.store.growing import partial_path

RESUME = "Run the same command again to resume it"


def require_there(path: Path, what: str, *, next_step: str | None = None) -> None:
    """Refuse a path at which there is nothing; ``-``, standard input, is always there."""
    if str(path) != "-" and not path.exists():
        raise InputError(what, where=path, next_step=next_step)


def require_run(path: Path) -> None:
    """Refuse what is no directory of a complete run."""
    if path.is_dir():
        return
    if partial_path(path).is_dir():
        raise InputError("this run is not complete", where=path, next_step=RESUME)
    raise InputError(
        "there is no such run directory",
        where=path,
        next_step="See 'tellapart runs list' for those there are",
    )
