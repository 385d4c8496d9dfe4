"""TREC files, with the texts beside them as BEIR keeps them.

A directory has ``qrels.txt`` (query, 0, document, relevance), ``queries.jsonl`` and ``corpus.jsonl`` (``_id``
and ``text``), and ``run.txt`` (query, Q0, document, rank, score, tag) where a model has scored it. Every
bundle is a query of its own, since two may have one anchor and different negatives: its positive is judged 1,
its negatives 0. Spaces end a field, so that those in ids are percent-encoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from tellapart.bundles.reading.forms import Row
from tellapart.bundles.reading.jsonl import read_rows
from tellapart.bundles.row_export import write_json_lines
from tellapart.bundles.scoring import EvalItems
from tellapart.bundles.tier_names import ALIASES, TIERS
from tellapart.core.bundle import Bundle, Text
from tellapart.core.trec_measures import decoded, encoded
from tellapart.embed.lineups import Similarity
from tellapart.errors import InputError
from tellapart.files import RowFaults, replacing

QRELS, QUERIES, CORPUS, RUN = "qrels.txt", "queries.jsonl", "corpus.jsonl", "run.txt"


def write_trec(out: Path, items: EvalItems, similarity: Similarity | None, *, tag: str) -> tuple[Path, ...]:
    """Write an eval, and a model's run on it.

    Documents are the distinct texts of positives and negatives; a text that is twice among the negatives of a
    bundle is judged and ranked once.
    """
    names = [QRELS, QUERIES, CORPUS, *([RUN] if similarity else [])]
    with ExitStack() as stack:
        paths = {name: stack.enter_context(replacing(out / name)) for name in names}
        _write_lines(paths[QRELS], _qrels(items))
        write_json_lines(paths[QUERIES], _queries(items))
        documents = enumerate(items.options.texts)
        write_json_lines(paths[CORPUS], ({"_id": _document(i), "text": text} for i, text in documents))
        if similarity:
            _write_lines(paths[RUN], _run(items, similarity, encoded(tag)))
    return tuple(out / name for name in names)


def _document(number: int) -> str:
    return f"d{number}"


def _lineups(items: EvalItems) -> Iterator[tuple[str, int, list[int]]]:
    """Query, number of its anchor, and numbers of its distinct options, the positive first."""
    offsets = items.lineups.offsets
    for i, name in enumerate(items.items["bundle_id"]):
        options = items.lineups.options[offsets[i] : offsets[i + 1]].tolist()
        yield encoded(name), int(items.lineups.anchors[i]), list(dict.fromkeys(options))


def _qrels(items: EvalItems) -> Iterator[str]:
    for query, _, options in _lineups(items):
        for place, option in enumerate(options):
            yield f"{query} 0 {_document(option)} {int(place == 0)}"


def _queries(items: EvalItems) -> Iterator[Row]:
    texts = items.anchors.texts
    for (query, anchor, _), tier in zip(_lineups(items), items.items["tier"], strict=True):
        yield {"_id": query, "text": texts[anchor], **({"metadata": {"tier": tier}} if tier else {})}


def _run(items: EvalItems, similarity: Similarity, tag: str) -> Iterator[str]:
    for query, anchor, options in _lineups(items):
        scores = similarity(np.full(len(options), anchor, dtype=np.int64), np.array(options, dtype=np.int64))
        for rank, place in enumerate(np.argsort(-scores, kind="stable"), start=1):
            yield f"{query} Q0 {_document(options[place])} {rank} {float(scores[place])!r} {tag}"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


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
    name = decoded(query)
    for number, positive in enumerate(positives, start=1):
        yield Bundle(
            name if len(positives) == 1 else f"{name}.{number}",
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
