"""Training data as texts, whatever form it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import polars as pl

from tellapart.bundles.reading import read_file_rows
from tellapart.bundles.scoring import TextNumbers
from tellapart.core.progress import Progress
from tellapart.errors import InputError
from tellapart.files import RowFaults

_NO_TEXTS = frozenset(
    ("bundle_id", "id", "_id", "idx", "index", "event_id", "tier", "difficulty_tier", "metadata", "sense_id")
    + ("role", "score", "scores", "split", "lang", "language", "_header", "embedding", "label", "labels")
)
"""Fields whose strings say something about a text, and are none."""

_ANCHORS = ("anchor", "anchor_text", "query", "question", "prompt", "instruction", "input")
"""Fields that no label makes wrong; in a row without any, the first text is the anchor."""

_NEGATIVE = re.compile(
    r"(?:.*_)?(?:(?:hard)?neg(?:ative)?s?|distractors?|rejected|incorrect|wrong|irrelevant)(?:_.*|[0-9]+)?"
)
"""Fields of texts that do not answer: ``neg``, ``hard_negative_2``, ``negative_ctxs``, ``rejected``."""

_ROWS = 8_192


def read_training(files: Sequence[Path], texts: TextNumbers, progress: Progress) -> pl.DataFrame:
    """Read training data: ``file``, ``line``, ``text`` by number, and whether it is a ``negative`` there."""
    frames = []
    for number, path in enumerate(files):
        problems, n_texts = RowFaults(path), 0
        with progress.step(f"reading {path.name}", None, unit="rows") as step:
            rows = read_file_rows(path, problems)
            while piece := list(islice(rows, _ROWS)):
                read = [(line, *text) for line, row in piece for text in _distinct(row).items()]
                frame = pl.DataFrame(
                    read,
                    schema={"line": pl.Int64, "text": pl.String, "negative": pl.Boolean},
                    orient="row",
                )
                frames.append(
                    frame.with_columns(file=pl.lit(number), text=pl.Series(texts.number(frame["text"])))
                )
                n_texts += frame.height
                step.update(n_texts)
        problems.refuse(next_step="Fix them, or leave them out of the file")
        if not n_texts:
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
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, is_negative=is_negative)
    elif isinstance(value, Mapping):
        fields = {name: inner for name, inner in value.items() if name not in _NO_TEXTS}
        labels = value.get("labels", value.get("label"))
        anchor = next((name for name in _ANCHORS if name in fields), next(iter(fields), None))
        for name, inner in fields.items():
            wrong = is_negative or _names_negatives(name)
            if isinstance(labels, list) and isinstance(inner, list) and len(inner) == len(labels):
                for text, label in zip(inner, labels, strict=True):
                    yield from _texts(text, is_negative=wrong or label == 0)
            else:
                is_wrong = name != anchor and not isinstance(labels, list) and labels == 0
                yield from _texts(inner, is_negative=wrong or is_wrong)


@lru_cache(maxsize=4_096)
def _names_negatives(name: str) -> bool:
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]+", "_", name).lower()
    return _NEGATIVE.fullmatch(plain) is not None
