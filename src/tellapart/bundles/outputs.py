"""Where a command may write: looked at before any work, so that nothing is destroyed and no work is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tellapart.bundles.scoreboard import scores_path
from tellapart.bundles.versions import version_path
from tellapart.errors import UsageError

_ANOTHER = "Choose another place"


def check_outs(outs: Sequence[Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Refuse places that must not be written.

    Args:
        outs: Files to be written; None for one that is not asked for.
        inputs: Files that are read. The scores beside a scoreboard and the version record beside an eval go
            with them.

    Raises:
        UsageError: A place is a directory, named twice, one of the inputs, or a frozen eval.
    """
    read = [Path(path).resolve() for path in inputs if path is not None]
    read += [beside(path) for path in read for beside in (scores_path, version_path) if path.name]
    taken: set[Path] = set()
    for out in filter(None, outs):
        place = out.resolve()
        if place.is_dir():
            raise UsageError("this is a directory, expected a file", where=out, next_step=_ANOTHER)
        if place in taken:
            raise UsageError("two outputs would go to this file", where=out, next_step=_ANOTHER)
        if place in read:
            raise UsageError("this file is an input and would be lost", where=out, next_step=_ANOTHER)
        if version_path(place).exists():
            raise UsageError(
                f"this eval is frozen: {version_path(place).name} stands beside it",
                where=out,
                next_step=f"{_ANOTHER}; a frozen eval only grows, by 'tellapart bundles extend'",
            )
        taken.add(place)
