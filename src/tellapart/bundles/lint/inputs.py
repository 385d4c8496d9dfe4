"""What is linted: the bundles of one file or several as numbers of texts, and rows that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.lint.training_texts import read_training
from tellapart.bundles.near_texts import NearTexts, equal_form, words_form
from tellapart.bundles.reading import BATCH_SCHEMA, UncheckedRows, read_file_rows, read_unchecked
from tellapart.bundles.scoring import TextNumbers
from tellapart.core.arrays import I64
from tellapart.core.progress import SILENT, Progress
from tellapart.core.severity import Severity
from tellapart.errors import InputError
from tellapart.files import RowFaults


@dataclass(frozen=True)
class BundleFinding:
    """One thing that is wrong with bundles, or worth knowing.

    Attributes:
        severity: An error means that the figures do not measure what they claim.
        rows: Bundles that it is about, as positions in ``LintedBundles.bundles``; empty of a whole file.
        detail: What is the matter, with the texts where they are short.
        location: ``FILE:LINE`` or ``FILE`` of what has no row.
    """

    severity: Severity
    check: str
    rows: tuple[int, ...]
    detail: str
    location: str = ""
    bundle_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowFault:
    """What the reader says about a row.

    Attributes:
        line: From 1.
        cause: Of a handful of kinds.
        detail: What was found; may be empty.
    """

    file: int
    line: int
    field: str
    cause: str
    detail: str


class TextForms:
    """Texts with two forms of each: equal but for case, white space and Unicode, and nearly equal.

    All attributes are by number of a text: ``equal`` and ``near`` number the forms, so that two texts with
    equal numbers have equal forms.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Take distinct texts."""
        self.texts = texts
        equal_numbers, near_numbers = TextNumbers(), TextNumbers()
        equal = pl.Series([equal_form(text) for text in texts], dtype=pl.String)
        self.equal: I64 = equal_numbers.number(equal).astype(np.int64)
        near = pl.Series([words_form(text) for text in texts], dtype=pl.String)
        self.near: I64 = near_numbers.number(near).astype(np.int64)
        self.near_texts = NearTexts(near_numbers.texts)

    @cached_property
    def words(self) -> list[str]:
        """The ``words_form`` of each text, between blanks, so that whole words are found in it."""
        near, texts = self.near.tolist(), self.near_texts.texts
        return [f" {texts[number]} " for number in near]

    @cached_property
    def near_pairs(self) -> pl.DataFrame:
        """Numbers of ``near`` that are nearly the same: ``a``, ``b``, both ways, and each with itself."""
        return self._both_ways(self.near_texts.pairs)

    @cached_property
    def copies(self) -> pl.DataFrame:
        """The same of texts that are copies, see ``NearTexts.copies``."""
        return self._both_ways(self.near_texts.copies)

    def _both_ways(self, pairs: I64) -> pl.DataFrame:
        alone = np.arange(len(self.near_texts.texts))
        return pl.DataFrame(
            {
                "a": np.concatenate([pairs[:, 0], pairs[:, 1], alone]),
                "b": np.concatenate([pairs[:, 1], pairs[:, 0], alone]),
            }
        )


@dataclass(frozen=True)
class LintedBundles:
    """Everything that is linted.

    Attributes:
        files: As they were given.
        bundles: One row a bundle of which texts are known: ``file``, ``line``, ``bundle_id``, ``anchor`` and
            ``positive`` as numbers of texts, and ``tier`` or null.
        negatives: One row a negative, in order: ``owner``, which is a row of ``bundles``, and ``text``.
        counts: Bundles and rows of which none could be made, by file.
        faults: What the reader says.
        unread: Ids of rows of which no bundle could be made, or one without a text, by file and line.
        train: Texts of training data; None where none is given.
    """

    files: tuple[Path, ...]
    bundles: pl.DataFrame
    negatives: pl.DataFrame
    counts: tuple[int, ...]
    forms: TextForms
    faults: tuple[RowFault, ...]
    unread: Mapping[tuple[int, int], str]
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

    def location(self, row: int) -> str:
        """``FILE:LINE`` of a bundle."""
        file, line = self.bundles["file"][row], self.bundles["line"][row]
        return f"{self.files[file]}:{line}"

    def quote(self, text: int) -> str:
        """The beginning of a text, in quotes."""
        return shortened(self.forms.texts[text])


_SHOWN = 60


def shortened(text: str) -> str:
    """The beginning of a text on one line, in quotes."""
    line = " ".join(text.split())
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
class _Gathered:
    texts: TextNumbers = field(default_factory=TextNumbers)
    bundles: list[pl.DataFrame] = field(default_factory=list)
    negatives: list[pl.DataFrame] = field(default_factory=list)
    rows: int = 0

    def add(self, file: int, batch: UncheckedRows) -> dict[int, str]:
        """Take rows of a file; gives line and id of those without texts."""
        frame = batch.frame
        blank = pl.col("anchor", "positive").str.strip_chars().str.len_chars() == 0
        filled = pl.all_horizontal(pl.col("anchor", "positive", "negatives").is_not_null(), ~blank)
        usable = frame.filter(filled)
        owner = pl.int_range(self.rows, self.rows + usable.height, eager=True)
        self.bundles.append(
            pl.DataFrame(
                {
                    "file": pl.repeat(file, usable.height, dtype=pl.Int32, eager=True),
                    "line": usable["line"],
                    "bundle_id": usable["bundle_id"],
                    "anchor": self.texts.number(usable["anchor"]),
                    "positive": self.texts.number(usable["positive"]),
                    "tier": usable["tier"],
                }
            )
        )
        listed = pl.DataFrame({"owner": owner, "text": usable["negatives"]}).filter(
            pl.col("text").list.len() > 0
        )
        negatives = listed.explode("text").filter(pl.col("text").str.strip_chars().str.len_chars() > 0)
        self.negatives.append(negatives.with_columns(text=pl.Series(self.texts.number(negatives["text"]))))
        self.rows += usable.height
        empty = frame.filter(~filled)
        return dict(zip(empty["line"], empty["bundle_id"], strict=True))


def read_inputs(
    files: Sequence[Path], train: Sequence[Path] = (), progress: Progress = SILENT
) -> LintedBundles:
    """Read evals with their bad rows, and training data."""
    gathered, faults, counts = _Gathered(), list[RowFault](), list[int]()
    unread: dict[tuple[int, int], str] = {}
    for number, path in enumerate(files):
        problems, lines, bundles = _EveryFault(path, number), set[int](), 0
        with progress.step(f"reading {path.name}", None, unit="bundles") as step:
            for batch in read_unchecked(path, problems):
                empty = gathered.add(number, batch)
                unread |= {(number, line): name for line, name in empty.items()}
                lines.update(batch.frame["line"])
                bundles += batch.frame.height
                step.update(bundles)
        missing = problems.lines - lines
        unread |= {(number, line): name for line, name in _ids(path, missing).items()}
        faults += problems.every
        counts.append(bundles + len(missing))
    if not gathered.bundles:
        gathered.add(0, _no_rows())
    trained = read_training(train, gathered.texts, progress) if train else None
    with progress.step("comparing texts", None):
        forms = TextForms(gathered.texts.texts)
    return LintedBundles(
        tuple(files),
        pl.concat(gathered.bundles),
        pl.concat(gathered.negatives),
        tuple(counts),
        forms,
        tuple(faults),
        unread,
        trained,
        tuple(train),
    )


def _no_rows() -> UncheckedRows:
    return UncheckedRows(pl.DataFrame(schema=BATCH_SCHEMA), [], np.empty(0, dtype=np.bool_))


def _ids(path: Path, lines: set[int]) -> dict[int, str]:
    """Ids of rows of which no bundle could be made; the number of the line where there is none."""
    names = {line: str(line) for line in lines}
    if not lines:
        return names
    with suppress(InputError):
        for line, row in read_file_rows(path, RowFaults(path)):
            given = [row.get(name) for name in ("bundle_id", "id")] if isinstance(row, dict) else []
            given_id = next((name for name in given if isinstance(name, str | int)), None)
            if line in names and given_id is not None:
                names[line] = str(given_id)
    return names
