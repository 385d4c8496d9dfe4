"""Bundles of TREC files, with the texts beside them as BEIR keeps them.

A directory has ``qrels.txt`` (query, 0, document, relevance), ``queries.jsonl`` and ``corpus.jsonl`` (``_id``
and ``text``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tellapart.bundles.reading.forms import Row
from tellapart.bundles.reading.jsonl import read_rows
from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults

QRELS, QUERIES, CORPUS = "qrels.txt", "queries.jsonl", "corpus.jsonl"


def read_trec(directory: Path, problems: RowFaults) -> Iterator[Bundle]:
    """Make a bundle of each document that is judged relevant to a query.

    The negatives are the documents that are judged and not relevant. What a run retrieved without a
    judgement is no negative: it may well be relevant. So a run is not read.
    """
    queries, documents = _texts(directory / QUERIES), _texts(directory / CORPUS)
    for query, (line, judged) in _judgements(directory / QRELS).items():
        unknown = next((name for name in judged if name not in documents), None)
        positives = [name for name, relevance in judged.items() if relevance > 0]
        negatives = [name for name, relevance in judged.items() if relevance <= 0]
        if query not in queries:
            problems.add(line, "query", "unknown query", f"{query!r} is not in {QUERIES}")
        elif unknown is not None:
            problems.add(line, "document", "unknown document", f"{unknown!r} is not in {CORPUS}")
        elif not positives or not negatives:
            problems.add(line, "relevance", "no positives" if not positives else "no negatives")
        else:
            yield from _bundles(query, queries[query], positives, negatives, documents)


def _bundles(
    query: str, row: Row, positives: list[str], negatives: list[str], documents: dict[str, Row]
) -> Iterator[Bundle]:
    tier = (row.get("metadata") or {}).get("tier")
    for number, positive in enumerate(positives, start=1):
        yield Bundle(
            query if len(positives) == 1 else f"{query}.{number}",
            Text(row["text"]),
            Text(documents[positive]["text"]),
            tuple(Text(documents[negative]["text"]) for negative in negatives),
            ALIASES.get(tier, tier) if tier in (*TIERS, *ALIASES) else None,
        )


def _texts(path: Path) -> dict[str, Row]:
    problems, rows = RowFaults(path), dict[str, Row]()
    for piece in read_rows(path, problems):
        for line, row in piece:
            fields = row if isinstance(row, dict) else {}
            if not isinstance(fields.get("_id"), str) or not isinstance(fields.get("text"), str):
                problems.add(line, "row", "wrong type", "expected strings '_id' and 'text'")
            elif not isinstance(fields.get("metadata") or {}, dict):
                problems.add(line, "metadata", "wrong type", "expected an object")
            elif not fields["text"].strip():
                problems.add(line, "text", "empty text")
            else:
                title = fields.get("title") or ""
                rows[fields["_id"]] = {
                    **fields,
                    "text": f"{title} {fields['text']}" if title else fields["text"],
                }
    problems.refuse()
    return rows


def _judgements(path: Path) -> dict[str, tuple[int, dict[str, int]]]:
    """By query: the line where it begins, and the relevance of each document."""
    judgements: dict[str, tuple[int, dict[str, int]]] = {}
    problems = RowFaults(path)
    try:
        with path.open(encoding="utf-8") as file:
            for line, text in enumerate(file, start=1):
                fields = text.split()
                if not fields:
                    continue
                if len(fields) != 4 or not fields[3].lstrip("-").isdigit():
                    problems.add(line, "row", "no judgement", "expected: query 0 document relevance")
                else:
                    judgements.setdefault(fields[0], (line, {}))[1][fields[2]] = int(fields[3])
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    except UnicodeDecodeError:
        raise InputError("this file is not UTF-8", where=path) from None
    problems.refuse()
    return judgements
