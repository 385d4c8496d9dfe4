"""Runs of TREC and MS MARCO: what a system ranked, a line a document."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError, option
from tellapart.files.tables import head_text
from tellapart.readers.rankings import Rankings, is_number, read_fields, score_rankings
from tellapart.readers.reader import LogScores
from tellapart.readers.row_form import looks_like_measure
from tellapart.readers.settings import ReadingSettings

NAME = "TREC or MS MARCO run"

TAKES = ("metric", "qrels", "model", "trec_eval")

_FIELDS = {6: "query Q0 document rank score tag", 3: "query document rank"}


def recognises(path: Path) -> bool:
    """Check whether a file begins like a run of TREC or of MS MARCO.

    TREC's first line has six fields, the second Q0, the fourth and fifth numbers. MS MARCO's lines have
    three, the third a rank: the first query has the ranks 1, 2 and so on, as no judgments or scores have.
    """
    text = (head_text(path) or "") if path.is_file() else ""
    # Unless it ends with a line, the last one may be cut off.
    lines = [line.split() for line in text[: text.rfind("\n") + 1 or None].split("\n")]
    lines = [fields for fields in lines if fields and not fields[0].startswith("#")]
    first = lines[0] if lines else []
    if len(first) == 6 and first[1].casefold() == "q0":
        return first[3].lstrip("-").isdecimal() and is_number(first[4])
    if len(first) != 3 or any(map(looks_like_measure, first[:2])):
        return False
    if any(len(fields) != 3 or not fields[2].isdecimal() for fields in lines):
        return False
    ranks = [rank for query, _, rank in lines if query == first[0]]
    return len(ranks) > 1 and ranks == [str(rank) for rank in range(1, len(ranks) + 1)]


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Score a run; the model is ``settings.name``, or a TREC run's tag, or the name of the file."""
    rankings: Rankings = {}
    tags: dict[str, int] = {}
    ranks: set[tuple[str, float]] = set()
    lines = read_fields(path)
    size = len(lines[0][1])
    for number, fields in lines:
        value, where = fields[-1 if size == 3 else -2] if len(fields) == size else "", f"{path}:{number}"
        if not (value.isdecimal() if size == 3 else is_number(value)):
            form = _FIELDS.get(size, _FIELDS[6])
            raise InputError(f"expected {form!r}, got {' '.join(fields)[:60]!r}", where=where)
        query, document = fields[0], fields[size // 3]
        score = -float(value) if size == 3 else float(value)
        ranked = rankings.setdefault(query, {})
        if document in ranked:
            raise InputError(f"document {document!r} occurs twice for query {query!r}", where=where)
        if size == 3 and (score > -1 or (query, score) in ranks):
            raise InputError(
                f"rank {value} of query {query!r} " + ("is below 1" if score > -1 else "is there twice"),
                where=where,
                next_step="Write runs with ties as TREC does, with scores: query Q0 document rank score tag",
            )
        ranks.add((query, score))
        ranked[document] = score
        tags.setdefault(path.stem if size == 3 else fields[5], number)
    if len(tags) > 1 and settings.name is None:
        (first, _), (second, number) = list(tags.items())[:2]
        raise InputError(
            f"the tag is {second!r}, but {first!r} before",
            where=f"{path}:{number}",
            next_step=f"Put each system into a file of its own, or name it: {option('model', 'NAME')}",
        )
    return score_rankings(rankings, settings.name or next(iter(tags)), settings, path)
