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
    """
    bundle_id bundle_ids id _id idx index event_id tier difficulty_tier metadata sense_id
    role score scores split lang language _header embedding
    """.split()  # noqa: SIM905
)
"""Fields whose strings say something about a text, and are none."""

_LABELS = ("labels", "label", "is_selected", "is_relevant", "is_correct", "is_duplicate", "relevance")
"""Fields that say of a text, or of each in a list, whether it answers; the first that is there counts."""

_TAGS = frozenset({"source", "lemma", "sense", "pos", "from", *_LABELS})
"""Fields that hold a tag in some data and a text in other: a word is a tag, more is a text."""

_PAIRED = {"source": "target", "pos": "query"}
"""Tags that are a text, be it a word, where the other field is there."""

_ANCHORS = frozenset(
    {"anchor", "anchor_text", "query", "question", "prompt", "instruction", "input", "source"}
)
"""Fields of which no label says that they are wrong; in a row without, it is the first text."""

_NEGATIVE = re.compile(
    r"(?:.*_)?(?:(?:hard)?neg(?:ative)?s?|distractors?|rejected|incorrect|wrong|irrelevant)(?:_.*|[0-9]+)?"
)
"""Fields of texts that do not answer: ``neg``, ``hard_negative_2``, ``negative_ctxs``, ``rejected``."""

_ROWS = 8_192


def read_training(files: Sequence[Path], texts: TextNumbers, progress: Progress) -> pl.DataFrame:
    """Read training data."""
    frames = []
    for number, path in enumerate(files):
        problems, of_file = RowFaults(path), 0
        with progress.step(f"reading {path.name}", None, unit="rows") as step:
            rows = read_file_rows(path, problems)
            while piece := list(islice(rows, _ROWS)):
                texts_of_piece = [
                    (line, *text_and_role) for line, row in piece for text_and_role in _distinct(row).items()
                ]
                frames.append(
                    pl.DataFrame(
                        {
                            "file": number,
                            "line": pl.Series([line for line, _, _ in texts_of_piece], dtype=pl.Int64),
                            "text": texts.number(
                                pl.Series([text for _, text, _ in texts_of_piece], dtype=pl.String)
                            ),
                            "negative": pl.Series(
                                [wrong for _, _, wrong in texts_of_piece], dtype=pl.Boolean
                            ),
                        }
                    )
                )
                of_file += len(texts_of_piece)
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
    for text, is_negative in _texts(row, is_negative=False, is_row=True):
        distinct[text] = distinct.get(text, True) and is_negative
    return distinct


def _texts(value: object, *, is_negative: bool, is_row: bool = False) -> Iterator[tuple[str, bool]]:
    if isinstance(value, str):
        if value.strip():
            yield value, is_negative
    elif isinstance(value, Mapping):
        row = {_plain(str(name)): inner for name, inner in value.items()}
        fields = {name: inner for name, inner in row.items() if _holds_texts(name, row)}
        labels = _labels(row)
        anchors = _ANCHORS & fields.keys() or (set(list(fields)[:1]) if is_row else set())
        for name, inner in fields.items():
            wrong = is_negative or _names_negatives(name)
            if isinstance(labels, list) and isinstance(inner, list) and len(inner) == len(labels):
                for text, label in zip(inner, labels, strict=True):
                    yield from _texts(text, is_negative=wrong or _is_wrong(label))
            else:
                of_label = _is_wrong(labels) and name not in anchors
                yield from _texts(inner, is_negative=wrong or of_label)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, is_negative=is_negative)


@lru_cache(maxsize=4_096)
def _plain(name: str) -> str:
    """``hardNegatives`` and ``Hard negatives`` as ``hard_negatives``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]+", "_", name).lower()


@lru_cache(maxsize=4_096)
def _names_negatives(name: str) -> bool:
    return _NEGATIVE.fullmatch(name) is not None


def _holds_texts(name: str, row: Mapping[str, object]) -> bool:
    value = row.get(name)
    if name in _NO_TEXTS or not isinstance(value, str | Mapping | list):
        return False
    if name in _TAGS and isinstance(value, str):
        return len(value.split()) > 1 or _PAIRED.get(name) in row
    return True


def _labels(row: Mapping[str, object]) -> object:
    # Of premise and hypothesis, 0 says that the one follows from the other.
    if "hypothesis" in row:
        return None
    return next((row[name] for name in _LABELS if row.get(name) is not None), None)


def _is_wrong(label: object) -> bool:
    if isinstance(label, str):
        return label.strip().lower() in ("0", "-1", "false")
    return isinstance(label, int | float) and label <= 0
