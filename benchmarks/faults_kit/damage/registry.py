"""What a disk, an editor, another version or an enemy makes of a file: mutations by the kind of file.

Every mutation takes the bytes of a file and a random generator, and gives other bytes. They are drawn by
weight from those of the file's kind.
"""

import csv
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import yaml

JSON, LINES, YAML, TABLE, PARQUET, ARCHIVE, TEXT = "json", "lines", "yaml", "table", "parquet", "zip", "text"
DATABASE = "database"
KINDS = {
    ".json": JSON,
    ".jsonl": LINES,
    ".yaml": YAML,
    ".csv": TABLE,
    ".tsv": TABLE,
    ".parquet": PARQUET,
    ".npz": ARCHIVE,
    ".eval": ARCHIVE,
    ".db": DATABASE,
}
ANY, SAME, REFUSED = "any", "same", "refused"


@dataclass(frozen=True)
class Mutation:
    """One way to change a file; ``change`` gives other bytes, or None where it does not fit.

    What must come of it is its ``effect``: ``any`` refusal or sound answer, the ``same`` answer or a refusal,
    or a refusal (``refused``).
    """

    name: str
    change: Callable[[bytes, np.random.Generator], bytes | None]
    effect: str = ANY
    weight: int = 2


BY_KIND: dict[str, list[Mutation]] = {
    kind: [] for kind in (JSON, LINES, YAML, TABLE, PARQUET, ARCHIVE, TEXT, DATABASE)
}


def of(*kinds, effect=ANY, weight=2):
    def register(function):
        for kind in kinds or BY_KIND:
            BY_KIND[kind].append(Mutation(function.__name__, function, effect, weight))
        return function

    return register


def kind_of(path: Path) -> str:
    return KINDS.get(path.suffix, TEXT)


def pick(rng, things):
    return things[int(rng.integers(len(things)))]


DIRECTORY, DANGLING, LOOP, MISSING = "a directory", "a link to nothing", "a link to itself", "nothing"
INSTEAD = (DIRECTORY, DANGLING, LOOP, MISSING)
"""What may stand in place of a file."""


def put_instead(path: Path, what: str) -> None:
    path.unlink()
    if what == DIRECTORY:
        path.mkdir()
    elif what == DANGLING:
        path.symlink_to("no-such-file")
    elif what == LOOP:
        path.symlink_to(path.name)


_MOST_BYTES = 4_000_000
# What readers of Python's say of bytes that an earlier mutation changed.
_UNFIT = (
    ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, OSError, EOFError,
    RuntimeError, csv.Error, yaml.YAMLError, zipfile.BadZipFile, zlib.error, pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)  # fmt: skip


def changed(mutation: Mutation, data: bytes, rng) -> bytes | None:
    """The bytes after a mutation; None where it does not fit, changes nothing or swells."""
    if len(data) > _MOST_BYTES:
        return None
    try:
        new = mutation.change(data, rng)
    except _UNFIT:
        return None
    return None if new == data or new is not None and len(new) > _MOST_BYTES else new


def draw(kind: str, rng) -> Mutation:
    mutations = BY_KIND[kind]
    weights = np.array([mutation.weight for mutation in mutations], float)
    return mutations[int(rng.choice(len(mutations), p=weights / weights.sum()))]
