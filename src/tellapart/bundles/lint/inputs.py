"""What is linted: the bundles of files and their training data as numbers of texts, and faults of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.near_texts import NearTexts, equal_form, words_form
from tellapart.bundles.reading import BATCH_SCHEMA, read_file_rows, read_unchecked
from tellapart.bundles.scoring import TextNumbers
from tellapart.core.arrays import I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.core.severity import Severity
from tellapart.errors import InputError
from tellapart.files import RowFaults

_SHOWN = 60


class BundleFinding(Record):
    """One thing wrong with bundles, as ``bundles lint --json`` lists it; places are ``FILE:LINE``.

    An error means that the figures do not measure what they claim.
    """

    check: str
    severity: Severity
    bundles: tuple[str, ...]
    detail: str
    places: tuple[str, ...]


class TextForms:
    """Distinct texts with two numbers each: alike but for case, space and Unicode, or punctuation too."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take distinct texts."""
        self.texts = texts
        equal, near = TextNumbers(), TextNumbers()
        self.equal: I64 = equal.number(pl.Series([*map(equal_form, texts)], dtype=pl.String)).astype(np.int64)
        self.near: I64 = near.number(pl.Series([*map(words_form, texts)], dtype=pl.String)).astype(np.int64)
        self.near_texts = NearTexts(near.texts)

    @cached_property
    def near_pairs(self) -> pl.DataFrame:
        """Numbers of ``near`` that are nearly the same: ``a``, ``b``, both ways, and each with itself."""
        pairs, alone = self.near_texts.pairs, np.arange(len(self.near_texts.texts))
        a, b = pairs[:, 0], pairs[:, 1]
        return pl.DataFrame({"a": np.concatenate([a, b, alone]), "b": np.concatenate([b, a, alone])})


@dataclass(frozen=True)
class LintedBundles:
    """Everything that is linted; texts by their numbers in ``forms``.

    ``owners`` has the bundle of each negative, ``n_rows`` counts the rows of which no bundle could be made
    too, and ``train`` is the training data: ``file``, ``line``, ``text`` and ``negative``.
    """

    files: tuple[Path, ...]
    bundles: pl.DataFrame
    anchors: I64
    positives: I64
    owners: I64
    negatives: I64
    n_rows: int
    forms: TextForms
    faults: pl.DataFrame
    train: pl.DataFrame | None = None
    train_files: tuple[Path, ...] = ()

    def finding(
        self, check: str, severity: Severity, detail: str, rows: Sequence[int] = (), place: str = ""
    ) -> BundleFinding:
        """Make a finding about rows of ``bundles``, or about another place."""
        named = self.bundles[list(rows)]
        places = [f"{self.files[file]}:{line}" for file, line in named.select("file", "line").iter_rows()]
        return BundleFinding(
            check=check,
            severity=severity,
            bundles=tuple(named["bundle_id"]),
            detail=detail,
            places=tuple(places or [place]),
        )

    def quote(self, text: int) -> str:
        """The beginning of a text on one line, in quotes."""
        line = " ".join(self.forms.texts[text].split())
        return f'"{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"}"'


_FAULTS = {"file": pl.Int32, "line": pl.Int64, "field": pl.String, "cause": pl.String, "detail": pl.String}


class _EveryFault(RowFaults):
    """Keeps each fault, where ``RowFaults`` keeps the first of a kind."""

    def __init__(self, path: Path, file: int) -> None:
        super().__init__(path)
        self.every: list[tuple[int, int, str, str, str]] = []
        self._file = file

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        super().add(line, field, cause, detail)
        self.every.append((self._file, line, field, cause, detail))


def read_inputs(
    files: Sequence[Path], train: Sequence[Path] = (), progress: Progress = SILENT
) -> LintedBundles:
    """Read evals with their bad rows, and training data."""
    batches, faults, n_rows = [pl.DataFrame(schema={**BATCH_SCHEMA, "file": pl.Int32})], [], 0
    for number, path in enumerate(files):
        problems, lines = _EveryFault(path, number), set[int]()
        with progress.step(f"reading {path.name}", None, unit="bundles") as step:
            for batch in read_unchecked(path, problems):
                batches.append(batch.frame.with_columns(file=pl.lit(number, dtype=pl.Int32)))
                lines.update(batch.frame["line"])
                n_rows += batch.frame.height
                step.update(n_rows)
        n_rows += len(problems.lines - lines)
        faults += problems.every
    bundles, texts = pl.concat(batches), TextNumbers()
    listed = bundles.select(pl.int_range(pl.len()).alias("owner"), pl.col("negatives").alias("text"))
    listed = listed.explode("text").filter(pl.col("text").str.strip_chars() != "")
    anchors, positives = texts.number(bundles["anchor"]), texts.number(bundles["positive"])
    negatives = texts.number(listed["text"])
    trained = _read_training(train, texts, progress) if train else None
    with progress.step("comparing texts", None):
        forms = TextForms(texts.texts)
    return LintedBundles(
        files=tuple(files),
        bundles=bundles.select("file", "line", "bundle_id", "tier"),
        anchors=anchors.astype(np.int64),
        positives=positives.astype(np.int64),
        owners=listed["owner"].to_numpy().astype(np.int64),
        negatives=negatives.astype(np.int64),
        n_rows=n_rows,
        forms=forms,
        faults=pl.DataFrame(faults, schema=_FAULTS, orient="row"),
        train=trained,
        train_files=tuple(train),
    )


_NO_TEXTS = frozenset(
    ("bundle_id", "id", "_id", "idx", "index", "event_id", "tier", "difficulty_tier", "metadata", "sense_id")
    + ("role", "score", "scores", "split", "lang", "language", "_header", "embedding", "label", "labels")
)
"""Fields whose strings say something about a text, and are none."""

_ANCHORS = ("anchor", "anchor_text", "query", "question", "prompt", "instruction", "input")
"""Fields that no label makes wrong; in a row without any, the first text is the anchor."""

_WRONG = ("neg", "rejected", "distractor", "incorrect", "wrong", "irrelevant")
"""Parts of the names of fields that hold texts which do not answer: ``hard_negative_2``, ``neg``."""


def _read_training(files: Sequence[Path], texts: TextNumbers, progress: Progress) -> pl.DataFrame:
    frames = []
    for number, path in enumerate(files):
        problems = RowFaults(path)
        read: list[tuple[int, str, bool]] = []
        with progress.step(f"reading {path.name}", None, unit="rows") as step:
            for line, row in read_file_rows(path, problems):
                read += ((line, text, wrong) for text, wrong in dict.fromkeys(_texts(row, wrong=False)))
                step.update(line)
        problems.refuse(next_step="Fix them, or leave them out of the file")
        if not read:
            raise InputError(
                "there is no text in this training data",
                where=path,
                next_step='A line is a text, or an object such as {"anchor": …, "positive": …}',
            )
        schema = {"line": pl.Int64, "text": pl.String, "negative": pl.Boolean}
        frame = pl.DataFrame(read, schema=schema, orient="row")
        frames.append(frame.with_columns(file=pl.lit(number), text=pl.Series(texts.number(frame["text"]))))
    return pl.concat(frames)


def _texts(value: object, *, wrong: bool) -> Iterator[tuple[str, bool]]:
    """The texts of a row, and whether each stands there as one that does not answer."""
    if isinstance(value, str) and value.strip():
        yield value, wrong
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, wrong=wrong)
    elif isinstance(value, Mapping):
        fields = {name: inner for name, inner in value.items() if name not in _NO_TEXTS}
        labels = value.get("labels", value.get("label"))
        anchor = next((name for name in _ANCHORS if name in fields), next(iter(fields), None))
        for name, inner in fields.items():
            is_wrong = wrong or any(part in name.lower() for part in _WRONG)
            if isinstance(labels, list) and isinstance(inner, list) and len(inner) == len(labels):
                for text, label in zip(inner, labels, strict=True):
                    yield from _texts(text, wrong=is_wrong or label == 0)
            else:
                yield from _texts(inner, wrong=is_wrong or (name != anchor and labels == 0))
