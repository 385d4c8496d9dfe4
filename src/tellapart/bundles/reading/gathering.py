"""What is more than one row: labelled pairs of one anchor, and the line above a frozen eval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tellapart.bundles.reading.forms import HEADER, LABELLED_PAIR, Row, checked, form_of
from tellapart.errors import quoted
from tellapart.files import RowFaults

Numbered = tuple[int, Any]
"""Line, from 1, and what is in it."""

_COUNT = "eval_count"


@dataclass
class _Pairs:
    """The labelled pairs of one anchor, in their order."""

    line: int
    texts: list[str] = field(default_factory=list)
    labels: list[float] = field(default_factory=list)


def gather(pieces: Iterable[Iterable[Numbered]], problems: RowFaults) -> Iterator[list[Numbered]]:
    """Leave rows as they are, but take out the header and make one row of all pairs of an anchor."""
    pairs: dict[str, _Pairs] = {}
    header, rows = None, 0
    for piece in pieces:
        others: list[Numbered] = []
        for line, row in piece:
            if isinstance(row, dict) and HEADER in row:
                if rows or header:
                    problems.add(line, HEADER, "header below the first line")
                header = header or (line, row)
                continue
            rows += 1
            if isinstance(row, dict) and form_of(row) is LABELLED_PAIR:
                _hold(line, row, pairs, problems)
            else:
                others.append((line, row))
        yield others
    if header is not None:
        _check_count(*header, rows, problems)
    if pairs:
        yield [
            (held.line, {"anchor": anchor, "positive": held.texts, "labels": held.labels})
            for anchor, held in pairs.items()
        ]


def _hold(line: int, row: Row, pairs: dict[str, _Pairs], problems: RowFaults) -> None:
    recognised = checked(row, line, problems)
    if recognised is None:
        return
    form, pair = recognised
    if not pair["positive"].strip():
        problems.add(line, form.spelling("positive", row), "empty text", f"found {quoted(pair['positive'])}")
        return
    held = pairs.setdefault(pair["anchor"], _Pairs(line))
    held.texts.append(pair["positive"])
    held.labels.append(pair["label"])


def _check_count(line: int, header: Row, rows: int, problems: RowFaults) -> None:
    """A frozen eval may have grown since its header was written, but not shrunk."""
    count = header.get(_COUNT)
    if count is None:
        return
    if isinstance(count, bool) or not isinstance(count, int):
        problems.add(line, _COUNT, "wrong type", f"found {quoted(count)}, expected a whole number")
    elif rows < count:
        problems.add(line, _COUNT, "rows are missing", f"the header counts {count:,}, the file has {rows:,}")
