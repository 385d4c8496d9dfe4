"""Training data as texts, whatever form it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from tellapart.bundles.reading import read_file_rows
from tellapart.bundles.scoring import TextNumbers
from tellapart.core.progress import Progress
from tellapart.errors import InputError
from tellapart.files import RowFaults

_NO_TEXTS = frozenset(
    """
    bundle_id bundle_ids id _id idx index event_id tier difficulty_tier metadata sense sense_id source lemma
    pos role label labels score scores split lang language _header embedding
    """.split()  # noqa: SIM905
)
"""Fields whose strings say something about a text, and are none."""

_ROWS = 8_192


def read_training(files: Sequence[Path], texts: TextNumbers, progress: Progress) -> pl.DataFrame:
    """Read training data.

    Args:
        files: JSON Lines or Parquet: bundles of any form, pairs, single texts, conversations. Of a row every
            string counts, at any depth, unless its field names an id, a tier, metadata or the like.
        texts: Gets them.
        progress: Receives how many rows there are.

    Returns:
        ``file``, ``line``, ``text``, a number of ``texts``, and ``negative``, whether it is in the row as a
        negative alone; each text of a row once.

    Raises:
        InputError: A file cannot be read, a line is no JSON, or there is no text in a file.
    """
    frames = []
    for number, path in enumerate(files):
        problems, of_file = RowFaults(path), 0
        with progress.step(f"reading {path.name}", None, unit="rows") as step:
            rows = read_file_rows(path, problems)
            while piece := list(islice(rows, _ROWS)):
                found = [(line, *one) for line, row in piece for one in _distinct(row).items()]
                frames.append(
                    pl.DataFrame(
                        {
                            "file": number,
                            "line": pl.Series([line for line, _, _ in found], dtype=pl.Int64),
                            "text": texts.number(pl.Series([text for _, text, _ in found], dtype=pl.String)),
                            "negative": pl.Series([wrong for _, _, wrong in found], dtype=pl.Boolean),
                        }
                    )
                )
                of_file += len(found)
                step.update(of_file)
        problems.refuse(next_step="Fix them, or leave them out of the file")
        if not of_file:
            raise InputError(
                "there is no text in this training data",
                where=path,
                next_step='A line is a text, or an object such as {"anchor": …, "positive": …}',
            )
    return pl.concat(frames)


def _distinct(row: object) -> dict[str, bool]:
    """The texts of a row, and whether each is in it as a negative alone."""
    distinct: dict[str, bool] = {}
    for text, is_negative in _texts(row, is_negative=False):
        distinct[text] = distinct.get(text, True) and is_negative
    return distinct


def _texts(value: object, *, is_negative: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(value, str):
        if value.strip():
            yield value, is_negative
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _NO_TEXTS:
                yield from _texts(inner, is_negative=is_negative or str(name).startswith("neg"))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, is_negative=is_negative)
