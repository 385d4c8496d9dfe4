"""Runs of TREC and MS MARCO: what a system ranked, a line a document."""

from __future__ import annotations

from pathlib import Path

from tellapart.errors import InputError, option
from tellapart.files.tables import head_text
from tellapart.readers.metric_choice import looks_like_measure
from tellapart.readers.rankings import Rankings, finite, is_number, read_fields, score_rankings
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

NAME = "TREC or MS MARCO run"

TAKES = ("metric", "qrels", "model", "complete", "trec_eval_order")

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
        try:
            if size == 3:
                (query, document, rank), tag = fields, path.stem
                value = -float(int(rank))
            else:
                query, _, document, _, score, tag = fields
                value = finite(score)
        except ValueError:
            raise InputError(
                f"expected {_FIELDS.get(size, _FIELDS[6])!r}, got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            ) from None
        ranked = rankings.setdefault(query, {})
        if document in ranked:
            raise InputError(
                f"document {document!r} occurs twice for query {query!r}", where=f"{path}:{number}"
            )
        if size == 3 and ((query, value) in ranks or value > -1):
            raise InputError(
                f"rank {rank} of query {query!r} " + ("is there twice" if value <= -1 else "is below 1"),
                where=f"{path}:{number}",
                next_step="Write runs with ties as TREC does, with scores: query Q0 document rank score tag",
            )
        ranks.add((query, value))
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
