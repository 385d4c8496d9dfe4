"""People's labels of some answers: a table of their own, or a filled sheet of ``tellapart label``."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import polars as pl

from tellapart.core.comparison.labels import check_labels
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import LABELS, ScoreTable
from tellapart.errors import InputError, UsageError, near_match, option_name, placed
from tellapart.files.reading import cannot_read, read_text
from tellapart.files.tables import kind_of, read_table

CODE = "code"
"""The column of a sheet that stands for model, item and replicate, so that nobody sees the model."""

_ROW = "row of the labels"


def answer_code(model: str, item: str, replicate: int) -> str:
    """Give an answer its code: the same in every sheet, and told from no other without the scores."""
    digest = blake2b(f"{model}\0{item}\0{replicate}".encode(), digest_size=6).hexdigest()
    # Digits alone, or around an e, would be a number to a spreadsheet.
    return f"a{digest}"


def with_codes(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the codes of answers to rows of scores."""
    keys = frame.select("model", "item", "replicate").iter_rows()
    return frame.with_columns(pl.Series(CODE, [answer_code(*key) for key in keys], dtype=pl.String))


def with_labels(table: ScoreTable, path: Path) -> ScoreTable:
    """Join people's labels to scores that they are to correct, see `joined_labels`."""
    labelled = joined_labels(table, path)
    with placed(path):
        check_labels(score_grid(labelled))
    return labelled


def joined_labels(table: ScoreTable, path: Path) -> ScoreTable:
    """Join people's labels to scores.

    The file has the column ``human`` and either ``code``, or ``model`` and ``item``, and ``replicate`` where
    models answered an item several times; ``label_probability`` where not all answers had the same chance.
    """
    if "human" in table.frame.columns and table.frame["human"].count():
        raise UsageError(
            "the scores have a column 'human' with labels of their own",
            where=path,
            next_step=f"Put all labels into one of the two, or leave out {option_name('human')}",
        )
    labels, keys = _labels(path)
    scores = with_codes(table.frame) if keys == [CODE] else table.frame
    _check(labels, keys, scores, path)
    joined = scores.drop(LABELS, strict=False).join(labels, on=keys, how="left")
    if "label_probability" in labels.columns:
        _check_chances(joined, path)
    return ScoreTable.from_frame(
        joined.drop(CODE, _ROW, strict=False),
        limits=table.limits,
        locate=lambda row: f"{path}, row {joined[_ROW][row]}",
        notes=table.notes,
    )


def label_table(path: Path) -> pl.DataFrame:
    """Read a table that has labels, or is to have some."""
    if not path.is_file():
        raise cannot_read(path)
    kind = kind_of(path)
    if kind is None:
        read_text(path)  # It names an encoding that is not UTF-8.
        raise InputError("this is not a table", where=path, next_step="Expected CSV, Parquet or JSON Lines")
    return read_table(path, kind)


def _labels(path: Path) -> tuple[pl.DataFrame, list[str]]:
    """The rows that have a label, and the columns that say whose it is."""
    frame = label_table(path)
    columns = frame.columns
    keys: list[str] = [name for name in ("model", "item", "replicate") if name in columns]
    if "model" not in columns or "item" not in columns:
        keys = [CODE]
    lacking = [name for name in ("human", *keys) if name not in columns]
    if lacking:
        raise InputError(
            f"there is no column {lacking[0]!r}; there are {', '.join(map(repr, columns))}",
            where=path,
            next_step="Expected 'model', 'item' and 'human', or a filled sheet of: tellapart label",
        )
    used = [*keys, *(name for name in LABELS if name in columns)]
    nested = [name for name in used if frame[name].dtype.is_nested() or frame[name].dtype == pl.Binary]
    if nested:
        raise InputError(f"the column {nested[0]!r} holds neither texts nor numbers", where=path)
    texts = frame.select(pl.col(used).cast(pl.String).str.strip_chars().replace("", None))
    texts = texts.with_row_index(_ROW, 1).drop_nulls("human")
    if texts.is_empty():
        raise InputError("no answer has a label", where=path, next_step="Fill its column 'human'")
    kinds = {name: kind for name, kind in {**LABELS, "replicate": pl.Int64}.items() if name in used}
    numbers = texts.with_columns(pl.col(name).cast(kind, strict=False) for name, kind in kinds.items())
    for name in kinds:
        odd = texts.filter(numbers[name].is_null() & texts[name].is_not_null())
        if odd.height:
            raise InputError(
                f"{name!r} is {odd[name][0]!r}, expected a number{_alike(odd.height)}",
                where=f"{path}, row {odd[_ROW][0]}",
            )
    return numbers, keys


def _check(labels: pl.DataFrame, keys: list[str], scores: pl.DataFrame, path: Path) -> None:
    """Refuse labels of one answer that are several, and labels of no answer."""
    again = labels.group_by(keys, maintain_order=True).agg(pl.len(), pl.col("human").unique().sort())
    again = again.filter(pl.col("len") > 1)
    if again.height:
        different = again["human"][0].to_list()
        contradicting = f", as {' and '.join(f'{label:g}' for label in different)}"
        raise InputError(
            f"{_of(again, keys)} is labelled {again['len'][0]} times"
            f"{contradicting if len(different) > 1 else ''}{_alike(again.height)}",
            where=path,
            next_step="Keep one label of each answer",
        )
    strange = labels.join(scores, on=keys, how="anti", maintain_order="left")
    if strange.height:
        names = scores["model"].unique().to_list()
        model = strange["model"][0] if "model" in keys else None
        sheet = (
            "Take the scores that the sheet was drawn from, and its codes as they were written; a sheet of "
            "files is for: tellapart codesearch rescore"
        )
        near = None if model in names else near_match(str(model), names)
        raise InputError(
            f"the label of {_of(strange, keys)} is of no answer in the scores{_alike(strange.height)}",
            where=f"{path}, row {strange[_ROW][0]}",
            next_step=sheet if model is None else near,
        )
    several = scores.filter(pl.col("replicate").n_unique().over("model", "item") > 1)
    if keys == ["model", "item"] and not several.is_empty():
        raise InputError(
            f"{several['model'][0]!r} has several answers to {several['item'][0]!r}, and these labels have "
            "no column 'replicate'",
            where=path,
            next_step="Say in 'replicate' which answer was labelled",
        )


def _check_chances(joined: pl.DataFrame, path: Path) -> None:
    """Refuse chances of one item that differ; those that are no chances are refused with the table."""
    valid = joined.filter(pl.col("label_probability").is_between(0, 1, closed="right"))
    several = valid.filter(pl.col("label_probability").n_unique().over("item") > 1)
    if several.height:
        raise InputError(
            f"item {several['item'][0]!r} has several values of 'label_probability'"
            f"{_alike(several['item'].n_unique())}",
            where=path,
            next_step="This is the chance of the item, the same for all of its answers",
        )


def _of(rows: pl.DataFrame, keys: list[str]) -> str:
    return ", ".join(f"{key} {rows[key][0]!r}" for key in keys)


def _alike(n: int) -> str:
    return f"; {n:,} labels in all have this fault" if n > 1 else ""
