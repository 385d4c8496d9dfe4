"""What must be alike in files that are joined: the metric, its direction, and what an item asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import polars as pl

from tellapart.errors import InputError, UsageError, option
from tellapart.readers.column_names import canonical, is_less_better
from tellapart.readers.reader import LogScores
from tellapart.readers.texts import ASKS
from tellapart.report.numbers import listed

Part = TypeVar("Part", bound=LogScores)

PART = "_part"
"""Of each row of files below each other: the number of its file."""
_SHOWN = 5


def sharing_items(frames: Sequence[pl.DataFrame]) -> list[list[int]]:
    """Group files, by their numbers, that have items in common."""
    groups = [{number} for number in range(len(frames))]
    items = [frame.select(pl.lit(n).alias(PART), "item").unique() for n, frame in enumerate(frames)]
    parts = pl.concat(items).group_by("item").agg(pl.col(PART).sort())[PART]
    for linked in set(map(tuple, parts.to_list())):
        joined = [group for group in groups if not group.isdisjoint(linked)]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return sorted(sorted(group) for group in groups)


def common_metrics(parts: Sequence[LogScores], groups: Sequence[Sequence[int]]) -> dict[int, str]:
    """Choose by file the metric to read, where files with common items have chosen different ones.

    It is the first of the first file's that all of them have. What a file calls its scores without naming a
    metric, such as ``score``, is taken to be the metric of the others.
    """
    chosen: dict[int, str] = {}
    for group in groups:
        named = [n for n in group if parts[n].metrics]
        offered = {n: {canonical(name): name for name in reversed(parts[n].metrics)} for n in named}
        if len({canonical(parts[n].metrics[0]) for n in offered}) < 2:
            continue
        in_order = map(canonical, parts[named[0]].metrics)
        metric = next((name for name in in_order if all(name in of for of in offered.values())), None)
        if metric is None:
            by_file = [f"{parts[n].name} has {listed(list(parts[n].metrics), most=_SHOWN)}" for n in offered]
            raise UsageError(
                f"these files have the same items, and no metric in common: {'; '.join(by_file[:_SHOWN])}",
                next_step="Compare scores of one metric; if it has two names, give it one name in all files",
            )
        others = (n for n in offered if canonical(parts[n].metrics[0]) != metric)
        chosen |= {n: offered[n][metric] for n in others}
    return chosen


def negated(frame: pl.DataFrame, limits: tuple[float, float]) -> tuple[pl.DataFrame, tuple[float, float]]:
    """Change the sign of scores and of people's labels; a zero stays one, since -0.0 would be written so."""
    names = [name for name in ("score", "human") if name in frame.columns]
    signed = [pl.when(pl.col(name) == 0).then(0.0).otherwise(-pl.col(name)).alias(name) for name in names]
    return frame.with_columns(signed), (0 - limits[1], 0 - limits[0])


def higher_is_better(parts: Sequence[Part], lower_is_better: bool | None) -> tuple[list[Part], list[str]]:
    """Negate scores of which a file records that less is better; ask where only the name says so."""
    if lower_is_better is not None:
        note = "Lower is better, so scores are negated: -0.2 stands for 0.2, and higher is better here."
        return list(parts), [note] if lower_is_better else []
    recorded: dict[str, set[bool]] = {}
    for part in parts:
        if part.metric and part.less_is_better is not None:
            recorded.setdefault(canonical(part.metric), set()).add(part.less_is_better)
    less_is, more_is = option("lower_is_better"), option("lower_is_better", False)
    turned, notes = [], []
    for part in parts:
        known = recorded.get(canonical(part.metric), set()) if part.metric else set()
        directions = known if part.less_is_better is None else {part.less_is_better}
        if len(directions) > 1 or (not directions and part.metric and is_less_better(part.metric)):
            less = (
                "less is better in one file and more in another" if directions else "usually less is better"
            )
            raise UsageError(
                f"the scores are called {part.metric!r}, of which {less}",
                where=part.name,
                next_step=f"If it is: {less_is}; if more is: {more_is}",
            )
        if True in directions:
            are_shares = bool(part.frame["score"].drop_nulls().is_between(0, 1).all())
            frame, limits = negated(part.frame, part.limits or (0.0, 1.0))
            notes.append(f"Lower {part.metric!r} is better, so its scores are negated.")
            part = replace(part, frame=frame, limits=limits if part.limits or are_shares else None)
        turned.append(part)
    return turned, notes


def paired_by_text(
    frame: pl.DataFrame,
    parts: Sequence[LogScores],
    groups: Sequence[Sequence[int]],
    columns: Mapping[str, str],
) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Check that an item asks the same of all, by the texts of questions; give notes and cautions.

    Texts are compared without regard to white space. Where one of them has several names, the names are
    places in a file: the text names the items then, if each model has it once and ``columns`` does not say
    otherwise; else they are refused. Other texts are other wordings, which a caution tells; a table is asked
    about if most of its names have several.
    """
    if ASKS not in frame.columns:
        return frame, [], []
    notes, cautions = [], []
    asked = frame.select(PART, "model", "item", ASKS).drop_nulls(ASKS)
    doubtful = asked.select("item", ASKS).unique().filter(pl.col("item").is_duplicated())["item"].unique()
    for group in groups if len(doubtful) else ():
        of_group = asked.filter(pl.col(PART).is_in(group)).unique(maintain_order=True)
        n_of_item = pl.struct(PART, "model").n_unique().over("item")
        of_all = of_group.filter(n_of_item > 1)
        differing = of_all.filter(pl.len().over("item", ASKS) < n_of_item)
        if differing.is_empty():
            continue
        once = of_group.filter(~pl.struct(PART, "model", ASKS).is_duplicated())
        n_names = once.group_by(ASKS).agg(n=pl.col("item").n_unique())
        are_places = (differing.join(n_names, on=ASKS)["n"] > 1).any()
        is_complete = frame.filter(pl.col(PART).is_in(group))[ASKS].null_count() == 0
        n, of, item = differing["item"].n_unique(), of_all["item"].n_unique(), differing["item"][0]
        (first, model, _, text), *others = of_all.filter(pl.col("item").eq_missing(item)).rows()
        second, other, _, differs = next((row for row in others if row[3] != text), others[0])
        # Without the fingerprint, unless the texts differ only behind what is shown.
        shown, beside = (asks.rpartition(" #")[0] for asks in (text, differs))
        shown, beside = (text, differs) if shown == beside else (shown, beside)
        what = (
            f"{n:,} of {of:,} names of items stand for different questions, such as {item!r}: {shown!r} of "
            f"{model} in {parts[first].name}, and {beside!r} of {other} in {parts[second].name}"
        )
        table = next((parts[number] for number in group if parts[number].question), None)
        if are_places and once.height == of_group.height and is_complete and "item" not in columns:
            named = pl.when(pl.col(PART).is_in(group)).then(ASKS).otherwise("item").alias("item")
            frame = frame.with_columns(named)
            notes.append(f"{what}. So items are paired by the texts of their questions.")
        elif are_places or (table and "item" not in columns and 2 * n > of):
            raise InputError(what, next_step=_way_out(table, columns, are_places=are_places))
        else:
            cautions.append(f"{what}; part of a difference may come from it.")
    return frame.drop(ASKS), notes, cautions


def _way_out(table: LogScores | None, columns: Mapping[str, str], *, are_places: bool) -> str:
    if table is None:
        return "Give each question one id in all files"
    if are_places:
        return f"To pair them by their texts: {option('columns', {**columns, 'item': table.question})}"
    by_name = option("columns", {**columns, "item": table.item})
    return f"If each name stands for one question all the same: {by_name}"


def copies(frame: pl.DataFrame, parts: Sequence[LogScores], columns: Mapping[str, str]) -> list[str]:
    """Give a caution where several items ask the same, each of which counts as evidence of its own."""
    table = next((part for part in parts if part.question), None)
    if table is None or ("cluster" in frame.columns and frame["cluster"].count()):
        return []
    asked = frame.select("item", ASKS).drop_nulls().unique("item")
    n, different = asked.height, asked[ASKS].n_unique()
    if different in (1, n):  # One question for all is an instruction.
        return []
    return [
        f"{n:,} items ask {different:,} different questions; if the others are copies, count each question "
        f"as one source: {option('columns', {**columns, 'cluster': table.question})}."
    ]
