"""Rankings scored query by query against judgments, as trec_eval does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.trec_measures import query_scores, tied_scores
from tellapart.errors import InputError, UsageError, option, quoted
from tellapart.files import as_object, read_text
from tellapart.files.tables import head_text
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

Rankings = dict[str, dict[str, float]]
"""Score of each document by query."""

DEFAULT = "nDCG@10"
"""The measure that is taken where none is requested."""

_HIGHEST_GRADE = 1_000_000
"""trec_eval counts the documents of every grade up to the highest, in memory; beyond 2^30 it answers 0."""

UNRANKED = "provider"
"""Cause of a score that is missing because the file does not rank the query: no ranking came."""


def score_rankings(rankings: Rankings, model: str, settings: ReadingSettings, path: Path) -> LogScores:
    """Score rankings query by query against the judgments that are named.

    A ranked query without judgments is left out, as always in trec_eval, and a note says how many. A judged
    query that is not ranked has no score here, since other files decide whether it is missing or out; see
    `fill_unranked`. Documents with equal scores earn the mean over their orders. With ``settings.trec_eval``
    they are ordered as in trec_eval, and judged queries that are not ranked score 0.
    """
    if settings.qrels is None:
        raise UsageError(
            "rankings have no scores by themselves",
            where=path,
            next_step=f"Give the judgments: {option('qrels', 'FILE')}",
        )
    judged, measure = read_qrels(settings.qrels), settings.metric or DEFAULT
    common = judged.keys() & rankings.keys()
    if not common:
        of_qrels = f"{settings.qrels} has {min(judged)!r}" if judged else f"{settings.qrels} has none"
        of_run = f"the rankings have {min(rankings)!r}" if rankings else "there are no rankings"
        raise InputError(f"no query is judged: {of_run}, {of_qrels}", where=path)
    of_ties, complete = tied_scores(measure, judged, rankings), settings.trec_eval
    by_query = of_ties.scores
    how = "documents with equal scores are in trec_eval's order, the greatest name first"
    if settings.trec_eval:
        (by_query,) = query_scores([measure], judged, rankings)
    elif of_ties.is_exact:
        how = "each scores its mean over the orders of documents with equal scores; "
        how += f"{option('trec_eval')} takes trec_eval's order"
    else:
        how = f"no exact mean over their orders is known for this measure, so {how}"
    scores = {query: by_query.get(query, 0.0) for query in sorted(judged if complete else common)}
    ranked, absent = f"of {len(common)} ranked queries", sorted(judged.keys() - common)
    tied, empty, unjudged = len(of_ties.tied), len(of_ties.empty), len(rankings) - len(common)
    notes = (
        settings.metric is None and f"the scores are {DEFAULT}.",
        tied and f"ties decide the {measure} of {tied} {ranked} ({100 * tied / len(common):.0f} %); {how}.",
        empty
        and f"{empty} {ranked} have no document that is judged relevant, and score 0 for every ranking, as "
        "in trec_eval.",
        complete
        and absent
        and f"{len(absent)} of {len(judged)} judged queries are not ranked and score 0, as with trec_eval "
        "-c.",
        unjudged and f"{unjudged} ranked queries have no judgments and are left out.",
    )
    columns = {"item": list(scores), "score": list(scores.values())}
    frame = pl.DataFrame(columns, schema={"item": pl.String, "score": pl.Float64})
    return LogScores(
        frame.select(pl.lit(model).alias("model"), "item", "score"),
        tuple(f"{path.name}: {note}" for note in notes if note),
        unranked=() if complete else tuple(absent),
    )


def rankings_of(predictions: Any, path: Path) -> Rankings:
    """Scores by query and document of JSON, all of them finite."""
    rankings: Rankings = {}
    for query, row in as_object(predictions, f"{path}: the rankings by query").items():
        rankings[query] = {}
        for document, score in as_object(row, f"{path}: the documents for query {query!r}").items():
            if not isinstance(score, int | float) or not isfinite(score):
                raise InputError(
                    f"the score of document {document!r} for query {query!r} is {quoted(score)}, expected a "
                    "finite number",
                    where=path,
                )
            rankings[query][document] = float(score)
    return rankings


def fill_unranked(
    frames: Sequence[pl.DataFrame], unranked: Sequence[Sequence[str]], names: Sequence[str]
) -> tuple[list[pl.DataFrame], list[str]]:
    """Write what became of the queries that files do not rank.

    A query that no file ranks is out. One that another file has is missing for those that do not rank it:
    whether their system would have found nothing, or was not asked, cannot be seen.
    """
    everywhere = {item for frame in frames for item in frame["item"].to_list()}

    def are(queries: Collection[str], which: str, what: str) -> str:
        is_one = len(queries) == 1
        return (
            f"{len(queries)} judged {'query' if is_one else 'queries'} {which} {'is' if is_one else 'are'} "
            f"{what} ({UNRANKED}); with {option('trec_eval')} the score is 0, as with trec_eval -c."
        )

    filled, notes = [], []
    for frame, absent, name in zip(frames, unranked, names, strict=True):
        if here := [query for query in absent if query in everywhere]:
            (model,) = frame["model"].unique().to_list()
            rows = pl.DataFrame({"model": model, "item": here, "missing": UNRANKED})
            frame = pl.concat([frame, rows], how="diagonal").with_columns(
                pl.col("replicate", "grading").fill_null(0)
            )
            what = "not ranked here and counted as missing"
            notes.append(f"{name}: {are(here, 'that other files rank', what)}")
        filled.append(frame)
    if nowhere := {query for absent in unranked for query in absent} - everywhere:
        notes.append(are(nowhere, "that no file ranks", "left out"))
    return filled, notes


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgments."""
    judged: dict[str, dict[str, int]] = {}
    for number, fields in read_fields(path):
        if number == 1 and fields[0] in ("query-id", "query_id", "qid"):
            continue
        if len(fields) not in (3, 4) or not is_number(fields[-1]):
            raise InputError(
                f"expected 'query 0 document relevance', got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            )
        query, document, relevance = fields[0], *fields[-2:]
        grade = float(relevance)
        if abs(grade) > _HIGHEST_GRADE or not grade.is_integer():
            raise InputError(
                f"the relevance of document {document[:60]!r} is {relevance[:30]}, expected a whole number "
                f"from -{_HIGHEST_GRADE} to {_HIGHEST_GRADE}",
                where=f"{path}:{number}",
                next_step="Are the fields in this order: query 0 document relevance? Map grades such as 0.5 "
                "to 0, 1, 2, …",
            )
        if judged.setdefault(query, {}).setdefault(document, int(grade)) != grade:
            raise InputError(
                f"document {document[:60]!r} is judged {grade:g} for query {query[:60]!r}, and "
                f"{judged[query][document]} before",
                where=f"{path}:{number}",
                next_step="Leave one of the two lines in",
            )
    if not judged:
        raise InputError("there are no judgments in this file", where=path)
    return judged


def are_judgments(path: Path) -> bool:
    """Check whether a file begins as judgments of TREC do, or with the names of BEIR's columns."""
    first = (head_text(path) or "").partition("\n")[0].split() if path.is_file() else []
    if len(first) == 4 and first[1].casefold() in ("0", "q0"):
        return is_number(first[3])
    return first == ["query-id", "corpus-id", "score"]


def read_fields(path: Path) -> list[tuple[int, list[str]]]:
    """Split the lines of a file at white space."""
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [(number, line.split()) for number, line in lines if line.strip() and not line.startswith("#")]


def is_number(text: str) -> bool:
    """Check whether a text is a finite number."""
    try:
        return isfinite(float(text))
    except ValueError:
        return False
