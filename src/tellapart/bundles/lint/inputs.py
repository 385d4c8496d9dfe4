"""What is linted: the bundles of one file or several as numbers of texts, and faults of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.lint.training import read_training
from tellapart.bundles.near_texts import NearTexts, equal_form, words_form
from tellapart.bundles.reading import read_unchecked
from tellapart.bundles.scoring import TextNumbers
from tellapart.core.arrays import I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.core.severity import Severity
from tellapart.files import RowFaults

_SHOWN = 60


class BundleFinding(Record):
    """One thing that is wrong with bundles, or worth knowing, as ``bundles lint --json`` lists it.

    Attributes:
        severity: An error means that the figures do not measure what they claim.
        bundles: Ids of the bundles that it is about; empty of a whole file, or of a row that makes no bundle.
        places: ``FILE:LINE`` of each of ``bundles`` or of the row, or the file.
    """

    check: str
    severity: Severity
    bundles: tuple[str, ...]
    detail: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class RowFault:
    """What the reader says about a row, counted from 1."""

    file: int
    line: int
    field: str
    cause: str
    detail: str


class TextForms:
    """Texts by number, with two forms of each: texts with equal numbers in ``equal`` or ``near`` are alike.

    ``equal`` passes over case, white space and Unicode, ``near`` over punctuation and layout too.
    """

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
    """Everything that is linted.

    Attributes:
        bundles: One row a bundle of which texts are known: ``file``, ``line``, ``bundle_id``, ``anchor`` and
            ``positive`` as numbers of texts, and ``tier`` or null.
        negatives: One row a negative, in order: ``owner``, which is a row of ``bundles``, and ``text``.
        n_rows: Bundles, and rows of which none could be made.
        train: Texts of training data; None where none is given.
    """

    files: tuple[Path, ...]
    bundles: pl.DataFrame
    negatives: pl.DataFrame
    n_rows: int
    forms: TextForms
    faults: tuple[RowFault, ...]
    train: pl.DataFrame | None = None
    train_files: tuple[Path, ...] = ()

    @cached_property
    def anchors(self) -> I64:
        """Numbers of the anchors' texts, shape (bundles,)."""
        return self.bundles["anchor"].to_numpy().astype(np.int64)

    @cached_property
    def positives(self) -> I64:
        """Numbers of the positives' texts, shape (bundles,)."""
        return self.bundles["positive"].to_numpy().astype(np.int64)

    @cached_property
    def owners(self) -> I64:
        """The bundle of each negative, shape (negatives,)."""
        return self.negatives["owner"].to_numpy().astype(np.int64)

    @cached_property
    def negative_texts(self) -> I64:
        """Numbers of the negatives' texts, shape (negatives,)."""
        return self.negatives["text"].to_numpy().astype(np.int64)

    def finding(
        self, check: str, severity: Severity, detail: str, rows: Sequence[int] = (), place: str = ""
    ) -> BundleFinding:
        """Make a finding about rows of ``bundles``, or about another place."""
        named = self.bundles[list(rows)]
        places = [
            f"{self.files[file]}:{line}" for file, line in named.select("file", "line").iter_rows()
        ] or [place]
        return BundleFinding(
            check=check,
            severity=severity,
            bundles=tuple(named["bundle_id"]),
            detail=detail,
            places=tuple(places),
        )

    def quote(self, text: int) -> str:
        """The beginning of a text on one line, in quotes."""
        line = " ".join(self.forms.texts[text].split())
        return f'"{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"}"'


class _EveryFault(RowFaults):
    """Keeps each fault, where ``RowFaults`` keeps the first of a kind."""

    def __init__(self, path: Path, file: int) -> None:
        super().__init__(path)
        self.every: list[RowFault] = []
        self._file = file

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        super().add(line, field, cause, detail)
        self.every.append(RowFault(self._file, line, field, cause, detail))


@dataclass
class _Numbered:
    """Bundles and their negatives, batch by batch."""

    texts: TextNumbers = field(default_factory=TextNumbers)
    bundles: list[pl.DataFrame] = field(default_factory=list)
    negatives: list[pl.DataFrame] = field(default_factory=list)
    rows: int = 0

    def add(self, file: int, batch: pl.DataFrame) -> None:
        listed = batch.select(
            text="negatives", owner=pl.int_range(self.rows, self.rows + batch.height, dtype=pl.Int64)
        ).explode("text")
        filled = listed.filter(pl.col("text").str.strip_chars() != "")
        self.bundles.append(
            batch.select("line", "bundle_id", "tier").with_columns(
                file=pl.lit(file),
                anchor=pl.Series(self.texts.number(batch["anchor"])),
                positive=pl.Series(self.texts.number(batch["positive"])),
            )
        )
        self.negatives.append(filled.with_columns(text=pl.Series(self.texts.number(filled["text"]))))
        self.rows += batch.height


_NO_BUNDLE = pl.DataFrame(
    schema={
        "line": pl.Int64,
        "bundle_id": pl.String,
        "tier": pl.String,
        "anchor": pl.String,
        "positive": pl.String,
        "negatives": pl.List(pl.String),
    }
)


def read_inputs(
    files: Sequence[Path], train: Sequence[Path] = (), progress: Progress = SILENT
) -> LintedBundles:
    """Read evals with their bad rows, and training data."""
    numbered, faults, n_rows = _Numbered(), list[RowFault](), 0
    numbered.add(0, _NO_BUNDLE)
    for number, path in enumerate(files):
        problems, lines = _EveryFault(path, number), set[int]()
        with progress.step(f"reading {path.name}", None, unit="bundles") as step:
            for batch in read_unchecked(path, problems):
                numbered.add(number, batch.frame)
                lines.update(batch.frame["line"])
                n_rows += batch.frame.height
                step.update(n_rows)
        n_rows += len(problems.lines - lines)
        faults += problems.every
    trained = read_training(train, numbered.texts, progress) if train else None
    with progress.step("comparing texts", None):
        forms = TextForms(numbered.texts.texts)
    return LintedBundles(
        tuple(files),
        pl.concat(numbered.bundles),
        pl.concat(numbered.negatives),
        n_rows,
        forms,
        tuple(faults),
        trained,
        tuple(train),
    )
