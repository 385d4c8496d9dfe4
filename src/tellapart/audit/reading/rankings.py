"""Rankings scored query by query against judgments, as trec_eval does."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

from tellapart.audit.reading.log_scores import Choices, LogScores
from tellapart.audit.reading.measures import DEFAULT
from tellapart.core.trec_measures import query_scores
from tellapart.errors import InputError, UsageError

Rankings = dict[str, dict[str, float]]
"""Score of each document by query."""


def score_rankings(rankings: Rankings, model: str, choices: Choices, path: Path) -> LogScores:
    """Score rankings query by query.

    A judged query that is not ranked scores 0, as under ``trec_eval -c``, and a ranked query without
    judgments is left out, as always in trec_eval; notes tell how many. Equal scores are ordered as in
    trec_eval.

    Args:
        rankings: At least one query.
        model: Whose they are.
        choices: With ``qrels`` and, or nDCG@10, ``measure``.
        path: The file of the rankings, for messages.

    Raises:
        UsageError: There are no judgments, or there is no such measure.
        MissingExtra: ir_measures is not installed.
        InputError: The judgments cannot be read, or no query is in both.
    """
    if choices.qrels is None:
        raise UsageError(
            "rankings have no scores by themselves", where=path, next_step="Give the judgments: --qrels FILE"
        )
    name = choices.measure or choices.metric or DEFAULT
    judged = read_qrels(choices.qrels)
    common = judged.keys() & rankings.keys()
    if not common:
        raise InputError(
            f"no query is judged: the rankings have {min(rankings)!r}, {choices.qrels} has {min(judged)!r}",
            where=path,
        )
    (found,) = query_scores([name], judged, rankings)
    scores = {query: found.get(query, 0.0) for query in sorted(judged)}
    notes = [] if choices.measure or choices.metric else [f"{path.name}: the scores are {DEFAULT}."]
    if absent := len(judged) - len(common):
        notes.append(
            f"{path.name}: {absent} of {len(judged)} judged queries are not ranked and score 0, as under "
            "trec_eval -c."
        )
    if unjudged := len(rankings) - len(common):
        notes.append(f"{path.name}: {unjudged} ranked queries have no judgments and are left out.")
    frame = pl.DataFrame(
        {"model": [model] * len(scores), "item": list(scores), "score": list(scores.values())},
        schema={"model": pl.String, "item": pl.String, "score": pl.Float64},
    )
    return LogScores(frame, tuple(notes))


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgments.

    Args:
        path: A line a judgment, ``query 0 document relevance`` as for trec_eval, or as in BEIR ``query
            document relevance`` below a line of names.

    Returns:
        Relevance by query and document.

    Raises:
        InputError: It cannot be read, holds something else, or nothing.
    """
    judged: dict[str, dict[str, int]] = {}
    for number, fields in read_fields(path):
        if number == 1 and fields[0] in ("query-id", "query_id", "qid"):
            continue
        try:
            query, document, relevance = (fields[0], *fields[-2:]) if len(fields) in (3, 4) else ("", "", "")
            judged.setdefault(query, {})[document] = int(relevance)
        except ValueError:
            raise InputError(
                f"expected 'query 0 document relevance', got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            ) from None
    if not judged:
        raise InputError("there are no judgments in this file", where=path)
    return judged


def read_fields(path: Path) -> list[tuple[int, list[str]]]:
    """Split the lines of a file at white space.

    Returns:
        Number of the line, from 1, and its fields; blank lines and, as in trec_eval, those that begin with
        ``#`` are passed over.

    Raises:
        InputError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            return [
                (number, line.split())
                for number, line in enumerate(file, start=1)
                if line.strip() and not line.startswith("#")
            ]
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    except UnicodeDecodeError:
        raise InputError("this file is not UTF-8", where=path) from None


def finite(text: str) -> float:
    """Read a number.

    Raises:
        ValueError: It is none, or not finite.
    """
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value
