"""TREC runs: what a system ranked, a line a document."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError, option
from tellapart.files.tables import head_text
from tellapart.readers.rankings import Rankings, finite, read_fields, score_rankings
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

NAME = "TREC run"

TAKES = ("metric", "qrels", "model", "complete")

_FIELDS = "query Q0 document rank score tag"


def recognises(path: Path) -> bool:
    """Check whether the first line of a file is one of a run: six fields, the fourth and fifth numbers."""
    lines = (head_text(path) or "").split("\n") if path.is_file() else []
    fields = next((line.split() for line in lines if line.strip() and not line.startswith("#")), [])
    if len(fields) != 6 or fields[1].casefold() != "q0":
        return False
    try:
        int(fields[3]), finite(fields[4])
    except ValueError:
        return False
    return True


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Score a run; the model is its tag, or ``settings.name``."""
    rankings: Rankings = {}
    tags: dict[str, int] = {}
    for number, fields in read_fields(path):
        try:
            query, _, document, _, score, tag = fields
            value = finite(score)
        except ValueError:
            raise InputError(
                f"expected {_FIELDS!r}, got {' '.join(fields)[:60]!r}", where=f"{path}:{number}"
            ) from None
        ranked = rankings.setdefault(query, {})
        if document in ranked:
            raise InputError(
                f"document {document!r} occurs twice for query {query!r}", where=f"{path}:{number}"
            )
        ranked[document] = value
        tags.setdefault(tag, number)
    if len(tags) > 1 and settings.name is None:
        (first, _), (second, number) = list(tags.items())[:2]
        raise InputError(
            f"the tag is {second!r}, but {first!r} before",
            where=f"{path}:{number}",
            next_step=f"Put each system into a file of its own, or name it: {option('model', 'NAME')}",
        )
    return score_rankings(rankings, settings.name or next(iter(tags)), settings, path)
