"""Leaderboards as they are published, as tables and as frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.errors import InputError
from tellapart.files import read_json
from tellapart.files.tables import kind_of, read_table
from tellapart.leaderboard import forms
from tellapart.leaderboard.board import Leaderboard, Published, board_of
from tellapart.leaderboard.tables import read_frame


def read_leaderboard(
    paths: Sequence[Path],
    *,
    tasks: Sequence[str] = (),
    benchmark: str | None = None,
    model: str | None = None,
    progress: Progress = SILENT,
) -> Leaderboard:
    """Read a leaderboard from files, or folders of them.

    Args:
        paths: Results of MTEB or Every Eval Ever, tables of HELM's groups, SWE-bench's ``leaderboards.json``,
            or tables with a row for each model in CSV, TSV or Parquet.
        tasks: Those that stay; models without a score on one are left out. All that every model has if empty.
        benchmark: Of MTEB, whose definition chooses tasks, splits and subsets; or a board of SWE-bench.
        model: The column of a table that names the models, where that is not clear.
        progress: Receives how many files are read.

    Raises:
        InputError: No form is known, or something could be read in two ways.
    """
    published, read, where = Published(), set[str | None](), ", ".join(map(str, paths))
    for path in counted(list(_files(paths)), progress, "reading results", unit="files"):
        if path.suffix != ".json" and (kind := kind_of(path)) is not None:
            read.add("table")
            read_frame(read_table(path, kind), str(path), published, model, tasks)
            continue
        form = forms.read_form(path, read_json(path), published, benchmark)
        read.add(form)
        if form is None:
            published.left_out["Left out, since these files are no results"].append(path.name)
    if not read - {None}:
        raise InputError(
            "there are no results of a leaderboard",
            where=where,
            next_step="Give those of MTEB, Every Eval Ever, HELM or SWE-bench, or a table with a row a model",
        )
    if "Every Eval Ever" in read:
        forms.settle_metrics(published, where, tasks)
    of_mteb = benchmark is not None and "SWE-bench" not in read
    return board_of(published, where, tasks, forms.mteb_definition(benchmark or "") if of_mteb else None)


def board_of_frame(
    frame: Any,
    name: str,
    *,
    tasks: Sequence[str] = (),
    benchmark: str | None = None,
    model: str | None = None,
) -> Leaderboard:
    """Read a leaderboard from a frame with a row for each model, or from ``{model: {task: score}}``.

    Args:
        frame: Of Polars or pandas, whose index names the models if it is text; or a dictionary.
        name: What errors call it.
        tasks: As for `read_leaderboard`, as the others.
        benchmark: Of MTEB.
        model: The column that names the models.
    """
    if isinstance(frame, Mapping):
        model = "model"
        frame = pl.from_dicts([{model: of, **row} for of, row in frame.items()], infer_schema_length=None)
    elif not isinstance(frame, pl.DataFrame):
        if frame.index.dtype.kind == "O":
            frame = frame.reset_index(names=frame.index.name or "model")
        frame = pl.from_pandas(frame)
    published = Published()
    read_frame(frame, name, published, model, tasks)
    return board_of(published, name, tasks, forms.mteb_definition(benchmark) if benchmark else None)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise InputError("there is no such file or directory", where=path)
        folder = (
            sorted(file for file in path.rglob("*.json") if file.name != forms.META and file.is_file())
            if path.is_dir()
            else [path]
        )
        yield from folder
