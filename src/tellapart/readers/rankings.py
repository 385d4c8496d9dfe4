"""Rankings scored query by query against judgments, as trec_eval does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.trec_measures import Judged, query_scores, tied_scores
from tellapart.errors import InputError, UsageError, option, quoted
from tellapart.files import as_object
from tellapart.files.tables import head_text
from tellapart.readers.metric_choice import DEFAULT
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

Rankings = dict[str, dict[str, float]]
"""Score of each document by query."""

_HIGHEST_GRADE = 1_000_000
"""trec_eval counts the documents of every grade up to the highest, in memory; beyond 2^30 it answers 0."""

UNRANKED = "provider"
"""Cause of a score that is missing because the file does not rank the query: no ranking came."""


def score_rankings(rankings: Rankings, model: str, settings: ReadingSettings, path: Path) -> LogScores:
    """Score rankings query by query.

    A ranked query without judgments is left out, as always in trec_eval, and a note says how many. A judged
    query that is not ranked has no score here, since other files decide whether it is missing or out; see
    `fill_unranked`. With ``settings.complete`` it scores 0, as under ``trec_eval -c``. Documents with equal
    scores earn the mean over their orders, or with ``settings.trec_eval_order`` are ordered as in trec_eval.
    """
    if settings.qrels is None:
        raise UsageError(
            "rankings have no scores by themselves",
            where=path,
            next_step=f"Give the judgments: {option('qrels', 'FILE')}",
        )
    name = settings.metric or DEFAULT
    scored = score_queries(
        rankings, read_qrels(settings.qrels), name, settings, path, source=str(settings.qrels)
    )
    chosen = [] if settings.metric else [f"{path.name}: the scores are {DEFAULT}."]
    frame = scores_frame(model, scored.scores)
    return LogScores(frame, (*chosen, *scored.notes), unranked=scored.unranked)


def scores_frame(model: str, scores: Mapping[str, float | None]) -> pl.DataFrame:
    """Lay out the scores of a model by query."""
    columns = {"model": [model] * len(scores), "item": list(scores), "score": list(scores.values())}
    return pl.DataFrame(columns, schema={"model": pl.String, "item": pl.String, "score": pl.Float64})


def rankings_of(predictions: Any, path: Path) -> Rankings:
    """Scores by query and document of JSON, all of them finite."""
    rankings: Rankings = {}
    for query, row in as_object(predictions, f"{path}: the rankings by query").items():
        scores = as_object(row, f"{path}: the documents for query {query!r}")
        odd = next((d for d, s in scores.items() if not isinstance(s, int | float) or not isfinite(s)), None)
        if odd is not None:
            raise InputError(
                f"the score of document {odd!r} for query {query!r} is {quoted(scores[odd])}, expected a "
                "finite number",
                where=path,
            )
        rankings[query] = {document: float(score) for document, score in scores.items()}
    return rankings


@dataclass(frozen=True)
class QueryScores:
    """Scores of rankings, query by query.

    Attributes:
        unranked: Judged queries that are not ranked and have no score, ascending.
        notes: What was left out or scored 0; sentences.
    """

    scores: dict[str, float]
    unranked: tuple[str, ...]
    notes: list[str]


def score_queries(
    rankings: Rankings, judged: Judged, measure: str, settings: ReadingSettings, path: Path, *, source: str
) -> QueryScores:
    """Score rankings by a measure; see `score_rankings`."""
    common = judged.keys() & rankings.keys()
    if not common:
        theirs = f"{source} has {min(judged)!r}" if judged else f"{source} has none"
        ours = f"the rankings have {min(rankings)!r}" if rankings else "there are no rankings"
        raise InputError(f"no query is judged: {ours}, {theirs}", where=path)
    of_ties, complete = tied_scores(measure, judged, rankings), settings.complete
    by_query = of_ties.scores
    if settings.trec_eval_order:
        (by_query,) = query_scores([measure], judged, rankings)
    absent = sorted(judged.keys() - common)
    scores = {query: by_query.get(query, 0.0) for query in sorted(judged if complete else common)}
    notes = []
    if tied := len(of_ties.tied):
        how = "documents with equal scores are in trec_eval's order, the greatest name first"
        if not settings.trec_eval_order and of_ties.is_exact:
            how = (
                "each scores its mean over the orders of documents with equal scores; "
                f"{option('trec_eval_order')} takes trec_eval's order"
            )
        elif not settings.trec_eval_order:
            how = f"no exact mean over their orders is known for this measure, so {how}"
        notes.append(
            f"{path.name}: ties decide the {measure} of {tied} of {len(common)} ranked queries "
            f"({100 * tied / len(common):.0f} %); {how}."
        )
    if empty := len(of_ties.empty):
        notes.append(
            f"{path.name}: {empty} of {len(common)} ranked queries have no document that is judged relevant, "
            "and score 0 for every ranking, as in trec_eval."
        )
    if absent and complete:
        notes.append(
            f"{path.name}: {len(absent)} of {len(judged)} judged queries are not ranked and score 0, as "
            "with trec_eval -c."
        )
    if unjudged := len(rankings) - len(common):
        notes.append(f"{path.name}: {unjudged} ranked queries have no judgments and are left out.")
    return QueryScores(scores, () if complete else tuple(absent), notes)


def fill_unranked(
    frames: Sequence[pl.DataFrame], unranked: Sequence[Sequence[str]], names: Sequence[str]
) -> tuple[list[pl.DataFrame], list[str]]:
    """Write what became of the queries that files do not rank.

    A query that no file ranks is out. One that another file has is missing for those that do not rank it:
    whether their system would have found nothing, or was not asked, cannot be seen.
    """
    everywhere = {item for frame in frames for item in frame["item"].to_list()}
    filled, notes, complete = [], [], option("complete")
    for frame, absent, name in zip(frames, unranked, names, strict=True):
        here = [query for query in absent if query in everywhere]
        if here:
            (model,) = frame["model"].unique().to_list()
            rows = pl.DataFrame({"model": model, "item": here, "missing": UNRANKED})
            frame = pl.concat([frame, rows], how="diagonal").with_columns(
                pl.col("replicate", "grading").fill_null(0)
            )
            notes.append(
                f"{name}: {_queries(len(here))} that other files rank {_are(here)} not ranked here and "
                f"counted as missing ({UNRANKED}); with {complete} the score is 0, as with trec_eval -c."
            )
        filled.append(frame)
    nowhere = {query for absent in unranked for query in absent} - everywhere
    if nowhere:
        notes.append(
            f"{_queries(len(nowhere))} that no file ranks {_are(nowhere)} left out ({UNRANKED}); with "
            f"{complete} the score is 0, as with trec_eval -c."
        )
    return filled, notes


def _are(queries: Collection[str]) -> str:
    return "is" if len(queries) == 1 else "are"


def _queries(n: int) -> str:
    return f"{n} judged {'query' if n == 1 else 'queries'}"


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgments."""
    judged: dict[str, dict[str, int]] = {}
    for number, fields in read_fields(path):
        if number == 1 and fields[0] in ("query-id", "query_id", "qid"):
            continue
        try:
            query, document, relevance = (fields[0], *fields[-2:]) if len(fields) in (3, 4) else ("", "", "")
            grade = finite(relevance)
        except ValueError:
            raise InputError(
                f"expected 'query 0 document relevance', got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            ) from None
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
    """Read a number."""
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def is_number(text: str) -> bool:
    """Check whether a text is a finite number."""
    try:
        finite(text)
    except ValueError:
        return False
    return True
