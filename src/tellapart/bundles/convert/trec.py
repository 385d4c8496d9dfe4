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

from tellapart.bundles.convert.tables import write_json_lines
from tellapart.bundles.reading.forms import Row
from tellapart.bundles.scoring import EvalItems
from tellapart.core.trec_fields import encoded
from tellapart.embed.lineups import Similarity
from tellapart.store import replacing

QRELS, QUERIES, CORPUS, RUN = "qrels.txt", "queries.jsonl", "corpus.jsonl", "run.txt"


def write_trec(out: Path, items: EvalItems, similarity: Similarity | None, *, tag: str) -> tuple[Path, ...]:
    """Write an eval, and a model's run on it.

    Documents are the distinct texts of positives and negatives; a text that is twice among the negatives of a
    bundle is judged and ranked once.

    Args:
        out: A directory, made if it is not there.
        items: The eval.
        similarity: The score of a run; None writes none.
        tag: Names the run.

    Returns:
        The files.

    Raises:
        StorageError: The disk is full or closed to us; the files that were there stay.
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
