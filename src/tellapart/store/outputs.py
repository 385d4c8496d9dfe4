"""Where a command may write: looked at before any work, so that nothing is destroyed and no work is lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tellapart.errors import UsageError

ANOTHER = "Choose another place"


def check_outs(outs: Sequence[Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Refuse places that must not be written.

    Args:
        outs: Files to be written; None for one that is not asked for.
        inputs: Files that are read.

    Raises:
        UsageError: A place is a directory, named twice, or one of the inputs.
    """
    read = {Path(path).resolve() for path in inputs if path is not None}
    taken: set[Path] = set()
    for out in filter(None, outs):
        place = out.resolve()
        if place.is_dir():
            raise UsageError("this is a directory, expected a file", where=out, next_step=ANOTHER)
        if place in taken:
            raise UsageError("two outputs would go to this file", where=out, next_step=ANOTHER)
        if place in read:
            raise UsageError("this file is an input and would be lost", where=out, next_step=ANOTHER)
        taken.add(place)
