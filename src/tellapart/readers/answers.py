"""Answers as logs have them, and the frame that they become."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from tellapart.core.fingerprint import sha256
from tellapart.core.scores import FIXED
from tellapart.errors import InputError, option

LONGEST_KIND = 64
"""A longer text, in characters, describes its item; it does not name a kind of items."""

MOST_KINDS = 64
"""A trait of more kinds than this, or than half of the items, identifies items and does not sort them."""


class Answer(NamedTuple):
    """One answer of a model.

    Attributes:
        model: Who answered.
        item: Id of the question.
        score: Higher is better; None where there is none.
        missing: Why there is none; None where there is one.
        replicate: Which of several answers to the same item, from 0.
        cluster: What the item shares its source with.
        traits: What the log records of the item, such as its topic.
    """

    model: str
    item: str
    score: float | None
    missing: str | None
    replicate: int = 0
    cluster: str | None = None
    traits: Mapping[str, object] = {}


def numbered(answers: Sequence[Answer], path: Path) -> tuple[list[Answer], list[str]]:
    """Number answers to one item that a log has several times, in its order, as replicates; with a note."""
    seen: Counter[tuple[str, str, int]] = Counter()
    # So many that none meets a number that the log itself gives.
    step = 1 + max((answer.replicate for answer in answers), default=0)
    result = []
    for answer in answers:
        key = (answer.model, answer.item, answer.replicate)
        result.append(answer._replace(replicate=answer.replicate + step * seen[key]))
        seen[key] += 1
    several = len({key[:2] for key, count in seen.items() if count > 1})
    if not several:
        return result, []
    return result, [
        f"{path.name}: {several} {'item occurs' if several == 1 else 'items occur'} more than once; the "
        "answers count as replicates, in the order of the file."
    ]


def item_of(text: str, content: object) -> str:
    """Name an item whose log gives it no id, by its text and a fingerprint of what makes it this item."""
    as_json = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return f"{shortened(text)} #{sha256(as_json.encode())[:8]}"


def shortened(text: str) -> str:
    """Give a text as one line of at most 40 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"


def finite_score(value: object, metric: str, where: str) -> float | None:
    """Read a value as a score; None for null and NaN, which stand for no score."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, int | float) or math.isinf(value):
        raise InputError(
            f"{metric!r} is {value!r}, expected a finite number",
            where=where,
            next_step=f"Choose another with {option('metric', 'NAME')}",
        )
    return float(value)


def answers_frame(answers: Sequence[Answer], **constant: str) -> pl.DataFrame:
    """Lay answers out as ``ScoreTable.from_frame`` takes them.

    A trait becomes a stratum if each of its values is null, a text of at most ``LONGEST_KIND`` characters, a
    truth value or a whole number, and there are few of them (``MOST_KINDS``). One of the name of a fixed
    column is left out.
    """
    columns: dict[str, Sequence[object]] = {
        name: [getattr(answer, name) for answer in answers]
        for name in ("model", "item", "score", "missing", "replicate", "cluster")
    }
    frame = pl.DataFrame(columns, schema={name: FIXED[name] for name in columns})
    most = min(MOST_KINDS, (frame["item"].n_unique() + 1) // 2)
    strata = [
        pl.Series(name, kinds, dtype=pl.String)
        for name in dict.fromkeys(name for answer in answers for name in answer.traits)
        if name not in FIXED and name not in constant and (kinds := _kinds(answers, name, most)) is not None
    ]
    return frame.with_columns(*strata, **{name: pl.lit(value) for name, value in constant.items()})


def _kinds(answers: Sequence[Answer], name: str, most: int) -> list[str | None] | None:
    """Values of a trait as texts; None if it is not a stratum."""
    kinds: list[str | None] = []
    seen: set[str] = set()
    for answer in answers:
        value = answer.traits.get(name)
        kind = None if value is None else _kind(value)
        if value is not None and kind is None:
            return None
        kinds.append(kind)
        if kind is not None:
            seen.add(kind)
        if len(seen) > most:
            return None
    return kinds if seen else None


def _kind(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= LONGEST_KIND):
        return str(value)
    return None
