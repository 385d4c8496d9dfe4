"""Where a command of this suite may write: a frozen eval and what stands beside an input are kept too."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tellapart import store
from tellapart.bundles.results import scores_path, version_path
from tellapart.errors import UsageError
from tellapart.store.paths import ANOTHER


def check_outs(outs: Sequence[Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Refuse places that must not be written."""
    read = [Path(os.path.realpath(path)) for path in inputs if path is not None]
    beside = [
        *(scores_path(path) for path in read if path.suffix == ".json"),
        *(version_path(path) for path in read if path.name),
    ]
    store.check_outs(outs, [*read, *filter(Path.exists, beside)])
    scores = [scores_path(out) for out in outs if out is not None]
    for out in filter(None, outs):
        if out.name.endswith(".scores.parquet") and out not in scores and out.exists():
            raise UsageError(
                "these are the scores of a scoreboard, which would be lost",
                where=out,
                next_step="Give a name ending in .json",
            )
        if version_path(Path(os.path.realpath(out))).exists():
            raise UsageError(
                f"this eval is frozen: {version_path(out).name} stands beside it",
                where=out,
                next_step=f"{ANOTHER}; a frozen eval only grows, by 'tellapart bundles extend'",
            )
