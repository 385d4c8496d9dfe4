"""Tables with one column per model: which columns these are, and the same scores with one row each."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

import polars as pl

from tellapart.audit.reading.cells import Cells, is_number, read_cells, refuse_cell, with_right, words_of
from tellapart.audit.reading.column_names import (
    is_about_items,
    is_metric,
    is_unnamed,
    likely_columns,
    written,
)
from tellapart.audit.reading.replicates import distinguishing
from tellapart.audit.reading.summary_rows import rounding
from tellapart.audit.reading_settings import WideColumns
from tellapart.core.scores import FIXED
from tellapart.errors import InputError, near_match

_CARRIED = ("cluster", "replicate", "grading")
_SHOWN = 6
_OF_MANY = ("run", "run_id", "name")
"""Likely names of a column of models that other columns have as well."""
_METRIC_AT_THE_END = re.compile(r"(?P<model>.+)[\s_.\-/:](?P<metric>[A-Za-z0-9@]+)")


@dataclass(frozen=True)
class WideLayout:
    """The columns of a table with one column per model.

    Attributes:
        item: The column that names the items; None where its rows are numbered.
        models: At least one column, and how its cells are read.
        others: The columns that go with the item: strata, and those of ours such as ``cluster``.
        left_out: Columns of numbers that describe items by their names.
        replicate: The one of ``others`` that tells several answers to an item apart; None where each item
            has one row, or a column ``replicate``.
    """

    item: str | None
    models: Mapping[str, Cells]
    others: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    replicate: str | None = None


def wide_layout(
    frame: pl.DataFrame,
    given: WideColumns | None,
    where: str,
    named: Collection[str] = (),
    right: str | None = None,
) -> WideLayout | None:
    """Find the layout of a table.

    A table has one column per model where no column is named like a column of models or a metric, and at
    least two hold numbers or truth values and are not named like a fact about items, such as ``n_tokens``.
    The item is the column with a likely name, else the only column of text that differs in each row, else
    an index without name, else the number of the row.
    """
    names = [name for name in frame.columns if not frame[name].dtype.is_nested()]
    if given is None and _is_long(names):
        _ask_about_metrics(frame, names, where)
        return None
    if given is not None and given.item is not None and given.item not in frame.columns:
        raise InputError(
            f"there is no column {given.item!r} for --wide item",
            where=where,
            next_step=near_match(given.item, names),
        )
    words = with_right([frame[name] for name in names], right)
    columns = {name: read_cells(frame[name], words) for name in names}
    models = None if given is None or given.models is None else _named_models(given.models, names, where)
    item = given.item if given is not None and given.item is not None else _item(frame, names, models or [])
    rest = [name for name in names if name != item and name not in FIXED and not is_unnamed(name)]
    left_out: list[str] = []
    free = [name for name in rest if name not in (models or ())]
    replicate = None if item is None else _replicate(frame, item, free)
    if models is None:
        candidates = [name for name in rest if name not in named]
        _refuse_unread(frame, {name: columns[name] for name in candidates}, where)
        numbers = [name for name in candidates if _holds_scores(columns[name], named=given is not None)]
        truths = [name for name in numbers if columns[name].words is not None]
        if given is None and len(numbers) - len(truths) > 1:
            # Beside models with numbers, what is yes or no sorts the items.
            numbers = [name for name in numbers if name not in truths]
        models = [name for name in numbers if not is_about_items(name) and name != replicate]
        means = _means_of_others(frame, models)
        models = [name for name in models if name not in means]
        left_out = [name for name in numbers if name not in models and name != replicate]
        if given is None and len(models) < 2:
            return None
        if not models:
            raise InputError("no column holds scores", where=where, next_step=_columns(names))
        if given is None:
            _check_one_meaning(frame, models, truths, item, where)
        _check_one_scale(frame, models, item, where)
    if replicate is None:
        _check_items(frame, item, where)
    others = [
        name
        for name in (*rest, *(name for name in _CARRIED if name in frame.columns))
        if name not in models
        and name not in left_out
        and (name in _CARRIED or name == replicate or name in named or not is_number(frame[name]))
    ]
    return WideLayout(
        item, {name: columns[name] for name in models}, tuple(others), tuple(left_out), replicate
    )


def to_long(frame: pl.DataFrame, layout: WideLayout, where: str) -> pl.DataFrame:
    """Give each score a row of its own: ``model``, ``item``, ``score`` and the other columns."""
    row = "row of the wide table"
    items = item_names(frame, layout)
    parts = []
    for model, cells in layout.models.items():
        if cells.wrong.any():
            raise refuse_cell(frame[model], cells, where)
        causes = cells.causes.set(cells.causes == "unknown", None).alias("missing")
        parts.append(
            frame.select(
                pl.int_range(pl.len()).alias(row),
                pl.lit(model).alias("model"),
                items,
                cells.scores.alias("score"),
                *([causes] if causes.is_not_null().any() else []),
                *layout.others,
            )
        )
    return pl.concat(parts, how="diagonal_relaxed").sort(row, maintain_order=True).drop(row)


def item_names(frame: pl.DataFrame, layout: WideLayout) -> pl.Series:
    """The column ``item``: the one that names the items, else the number of each row, from 1."""
    if layout.item is not None:
        return frame[layout.item].alias("item")
    return pl.int_range(1, frame.height + 1, eager=True).cast(pl.String).alias("item")


def note_on_layout(frame: pl.DataFrame, layout: WideLayout, kept: Collection[str], name: str) -> str:
    """Say how a wide table was read, and how to override it."""
    items = "the rows are numbered as items" if layout.item is None else f"{layout.item!r} names the items"
    if layout.item == "":
        items = "the column without a name names the items"
    strata = [
        other
        for other in layout.others
        if other in kept and other not in FIXED and frame[other].n_unique() < frame[other].len()
    ]
    parts = [f"read as one column per model: {_few(list(layout.models))}", items]
    if strata:
        parts.append(f"strata: {', '.join(strata)}")
    if layout.left_out:
        parts.append(f"numbers left out: {', '.join(layout.left_out)}")
    models = "+".join(layout.models) if len(layout.models) <= _SHOWN else None
    option = WideColumns(layout.item or None, models)
    return f"{name}: {'; '.join(parts)}. To choose otherwise: --wide {quote(str(option))}."


def _is_long(names: list[str]) -> bool:
    """Whether a column has the name of a model or of a metric."""
    models = [name for name in likely_columns("model", names) if written(name) not in _OF_MANY]
    return bool(models) or any(is_metric(name) for name in names)


def _ask_about_metrics(frame: pl.DataFrame, names: list[str], where: str) -> None:
    """Ask where models seem to have columns of their own, and a metric stands beside them."""
    if likely_columns("model", names) or "score" in map(written, names):
        return
    metrics = [name for name in names if is_metric(name)]
    free = [
        name for name in names if name not in metrics and not is_about_items(name) and not is_unnamed(name)
    ]
    models = [
        name for name in free if read_cells(frame[name]).are_scores and not likely_columns("item", [name])
    ]
    if len(models) > 1:
        _ask(where, _item(frame, names, models), models, f"{_few(metrics)} may be a metric")


def _item(frame: pl.DataFrame, names: list[str], models: list[str]) -> str | None:
    free = [name for name in names if name not in models]
    likely = likely_columns("item", free)
    differing = [name for name in likely if _differs(frame[name])]
    unnamed = [name for name in free if is_unnamed(name) and _differs(frame[name])]
    if likely and not differing and any(_replicate(frame, name, free) for name in likely):
        return next(name for name in likely if _replicate(frame, name, free))
    if likely:
        # Where the text of questions repeats, an index tells them apart.
        return (differing or unnamed or likely)[0]
    texts = [name for name in free if frame[name].dtype == pl.String and not is_number(frame[name])]
    unique = [name for name in texts if _differs(frame[name]) and name not in FIXED]
    if len(unique) == 1:
        return unique[0]
    if unnamed:
        return unnamed[0]
    running = [name for name in free[:1] if is_number(frame[name]) and _is_running(frame[name])]
    return next(iter([*running, *unique]), None)


def _replicate(frame: pl.DataFrame, item: str, free: list[str]) -> str | None:
    """The column that tells rows of the same item apart, where they are several answers."""
    if "replicate" in frame.columns or not frame[item].is_duplicated().any():
        return None
    return distinguishing(frame, [item], [name for name in free if name != item])


def _differs(values: pl.Series) -> bool:
    return values.null_count() == 0 and values.n_unique() == len(values)


def _is_running(values: pl.Series) -> bool:
    """Whether a column numbers its rows, from 0 or 1."""
    numbers = values.cast(pl.Float64, strict=False)
    first = numbers.first()
    return len(numbers) > 2 and first in (0, 1) and bool((numbers.diff().drop_nulls() == 1).all())


def _holds_scores(cells: Cells, *, named: bool) -> bool:
    """Whether a column can be scores; one that holds nothing only where the form is named."""
    return cells.are_scores or (named and not cells.wrong.any())


def _refuse_unread(frame: pl.DataFrame, columns: Mapping[str, Cells], where: str) -> None:
    """Refuse where several columns look like scores and a cell of one is none, or two words are not known."""
    free = {name: cells for name, cells in columns.items() if not is_about_items(name)}
    faulty = [name for name, cells in free.items() if cells.wrong.any() and cells.are_mostly_scores]
    if faulty and sum(cells.are_mostly_scores for cells in free.values()) > 1:
        raise refuse_cell(frame[faulty[0]], free[faulty[0]], where)
    words = {name: set(words_of(frame[name], cells)) for name, cells in free.items()}
    for name, two in words.items():
        alike = [other for other in words if words[other] and words[other] <= two]
        if len(two) == 2 and len(alike) > 1 and not any(cells.are_scores for cells in free.values()):
            raise refuse_cell(frame[name], free[name], where)


def _means_of_others(frame: pl.DataFrame, models: Sequence[str]) -> set[str]:
    """Columns that are the mean of the others in every row, as spreadsheets have them on the right."""
    scores = pl.DataFrame([read_cells(frame[name]).scores.alias(name) for name in models])
    if scores.width < 3:
        return set()
    sums = scores.select(total=pl.sum_horizontal(pl.all()), n=pl.sum_horizontal(pl.all().is_not_null()))
    means = set()
    for candidate in scores:
        # Where there is a score of its own, so that the others are one fewer.
        rows = sums.with_columns(candidate=candidate).drop_nulls().filter(pl.col("n") > 1)
        others = (rows["total"] - rows["candidate"]) / (rows["n"] - 1)
        fractions = (rows["candidate"] % 1 != 0).any()
        if (
            rows.height > 1
            and fractions
            and ((rows["candidate"] - others).abs() <= rounding(candidate)).all()
        ):
            means.add(candidate.name)
    return means


def _check_one_meaning(
    frame: pl.DataFrame, models: list[str], words: Collection[str], item: str | None, where: str
) -> None:
    """Ask where the columns are several metrics of each model, truth values beside numbers, or benchmarks."""
    ends = {name: _METRIC_AT_THE_END.fullmatch(name) for name in models}
    metrics = {name: match["metric"] for name, match in ends.items() if match and is_metric(match["metric"])}
    if len(set(metrics.values())) > 1:
        first = next(iter(metrics.values()))
        of_one = [name for name, metric in metrics.items() if metric == first]
        _ask(where, item, of_one, f"{_few(list(metrics))} look like several metrics of each model")
    truths = [name for name in models if name in words or _holds_truth(frame[name])]
    numbers = [name for name in models if name not in truths]
    if truths and numbers:
        _ask(
            where,
            item,
            numbers if len(numbers) > 1 else truths,
            f"{_few(truths)} are right or wrong and {_few(numbers)} numbers",
        )
    if item is not None and likely_columns("model", [item]):
        _ask(where, item, models, f"it is not clear whether {item!r} names items or models")


def _ask(where: str, item: str | None, models: list[str], doubt: str) -> None:
    raise InputError(
        f"this looks like a table with one column per model, but {doubt}, so it is not clear which columns "
        "are models",
        where=where,
        next_step=f"Name them: --wide {quote(str(WideColumns(item, '+'.join(models))))}",
    )


def _holds_truth(values: pl.Series) -> bool:
    if values.dtype == pl.Boolean:
        return True
    if values.dtype != pl.String:
        return False
    texts = values.drop_nulls().str.strip_chars().str.to_lowercase()
    return texts.is_in(["true", "false"]).any()


def _check_items(frame: pl.DataFrame, item: str | None, where: str) -> None:
    """Refuse rows that repeat an item without a number: which of a model's scores would count is not said."""
    if item is None or "replicate" in frame.columns:
        return
    repeated = frame[item].drop_nulls()
    repeated = repeated.filter(repeated.is_duplicated())
    if repeated.is_empty():
        return
    raise InputError(
        f"{len(repeated):,} of {frame.height:,} rows share their {item!r} with another row, such as "
        f"{str(repeated[0])[:60]!r}, so it does not name the items",
        where=where,
        next_step="Name a column that differs in each row, --wide item=COLUMN; or where rows are several "
        "answers to one item, number them in a column 'replicate'",
    )


def _check_one_scale(frame: pl.DataFrame, models: list[str], item: str | None, where: str) -> None:
    """Ask where some columns are within [0, 1] and others far outside: counts are no scores of a model."""
    largest = {name: _largest(frame[name]) for name in models}
    within = [name for name, value in largest.items() if value <= 1]
    beyond = [name for name in models if name not in within]
    if not within or not beyond or (len(beyond) > 1 and max(largest[name] for name in beyond) <= 10):
        return
    proposed = within if len(within) >= len(beyond) else beyond
    option = WideColumns(item, "+".join(proposed))
    raise InputError(
        f"this looks like a table with one column per model, but the values of {_few(within)} are within "
        f"[0, 1] and those of {_few(beyond)} go up to {max(largest.values()):g}, so it is not clear which "
        "columns are models",
        where=where,
        next_step=f"Name the models: --wide {quote(str(option))}",
    )


def _largest(values: pl.Series) -> float:
    scores = read_cells(values).scores
    return float(scores.filter(scores.is_finite()).abs().max() or 0)  # type: ignore[arg-type]


def _named_models(text: str, names: list[str], where: str) -> list[str]:
    """The columns between plus signs; a column may itself have one in its name."""
    pieces, models = text.split("+"), []
    while pieces:
        fits = [n for n in range(len(pieces), 0, -1) if "+".join(pieces[:n]) in names]
        if not fits:
            raise InputError(
                f"there is no column {pieces[0]!r} for --wide models",
                where=where,
                next_step=near_match(pieces[0], names),
            )
        models.append("+".join(pieces[: fits[0]]))
        pieces = pieces[fits[0] :]
    return models


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _columns(names: list[str]) -> str:
    return f"There are: {', '.join(names)}"
