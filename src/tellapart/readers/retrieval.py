"""Retrieval: runs of TREC and MS MARCO, scores by query as programs print them, and both as JSON.

Rankings are scored query by query against judgments, as trec_eval does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.trec_measures import query_scores, tied_scores
from tellapart.errors import InputError, UsageError, option, quoted
from tellapart.files import as_object, read_object, read_text
from tellapart.files.tables import head_text
from tellapart.readers.column_names import looks_like_measure
from tellapart.readers.forms import is_number
from tellapart.readers.log import Log, Row
from tellapart.readers.reader import LogScores, NoItemScores
from tellapart.readers.settings import ReadingSettings

Rankings = dict[str, dict[str, float]]
"""Score of each document by query."""

DEFAULT = "nDCG@10"
"""The measure that is taken where none is requested."""

_HIGHEST_GRADE = 1_000_000
"""trec_eval counts the documents of every grade up to the highest, in memory; beyond 2^30 it answers 0."""


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
        metrics=(measure,),
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


def read_fields(path: Path) -> list[tuple[int, list[str]]]:
    """Split the lines of a file at white space."""
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [(number, line.split()) for number, line in lines if line.strip() and not line.startswith("#")]


# Runs: what a system ranked, a line a document.

_FIELDS = {6: "query Q0 document rank score tag", 3: "query document rank"}


def run(path: Path, settings: ReadingSettings) -> LogScores:
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


# Scores by query as ``trec_eval -q`` and ``ir_measures -q`` print them.

_ALL = "all"
"""Stands for the mean over the queries."""


def printed(path: Path, settings: ReadingSettings) -> Log:
    """Read all measures but means; the model is the ``runid`` that trec_eval prints, or the file's name."""
    rows, model = [], path.stem
    for number, measure, query, value in _rows(path):
        if measure == "runid":
            model = value
        elif query != _ALL:
            where = f"{path}:{number}"
            if not is_number(value):
                raise InputError(f"expected a number, got {value!r}", where=where)
            rows.append(Row(query, {measure: float(value)}, where=where))
    if not rows:
        raise InputError(
            "there are only means over all queries", where=path, next_step="Print each query with -q"
        )
    return Log(rows, model=model, is_sparse=True, are_measures=True)


def _rows(path: Path) -> Iterable[tuple[int, str, str, str]]:
    """Number of the line, measure, query and value."""
    lines = []
    for number, fields in read_fields(path):
        if len(fields) != 3:
            what = f"expected a measure, a query and a value, got {' '.join(fields)[:60]!r}"
            raise InputError(what, where=f"{path}:{number}")
        lines.append((number, fields[0], fields[1], fields[2]))
    # trec_eval prints the measure first, ir_measures the query.
    first, second = {line[1] for line in lines}, {line[2] for line in lines}
    if _ALL in first or (_ALL not in second and not any(map(looks_like_measure, first))):
        return [(number, measure, query, value) for number, query, measure, value in lines]
    return lines


# JSON: by query as pytrec_eval gives them, rankings as MTEB and BEIR save them.

_META = "mteb_model_meta"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_HEAD = re.compile(
    rf'\{{\s*"{_META}"\s*:\s*\{{\s*"model_name"\s*:\s*({_TEXT})\s*,\s*"revision"\s*:\s*({_TEXT}|null)'
)
"""How MTEB begins a file of predictions."""


def by_query_or_rankings(path: Path, settings: ReadingSettings) -> LogScores:
    """Read scores by query, or rankings where ``settings.qrels`` gives their judgments.

    The forms are ``{query: {measure: score}}`` and ``{measure: {query: score}}``, recognised by the names of
    measures; MTEB's predictions of a retrieval task, and BEIR's ``{query: {document: score}}``. The model is
    ``settings.name``, or what MTEB names, or the name of the file.
    """
    whole = read_object(path)
    if "mteb_version" in whole and "scores" in whole:
        raise NoItemScores(
            "MTEB's results hold means over queries, nothing by query",
            where=path,
            next_step="Compare models task by task: tellapart leaderboard RESULTS; or evaluate with "
            f"prediction_folder=… and give the predictions with their judgments: {option('qrels', 'FILE')}",
        )
    if _META in whole:
        return _of_predictions(whole, settings, path)
    for outer, row in whole.items():
        for inner, value in row.items() if isinstance(row, dict) else [("", row)]:
            if not isinstance(row, dict) or not (value is None or isinstance(value, int | float)):
                under = f"{outer!r}, {inner!r}" if inner else repr(outer)
                raise InputError(
                    f"expected numbers by query and measure, got {value!r:.60} under {under}", where=path
                )
    if not any(whole.values()):
        raise InputError("there are no scores by query in this file", where=path)
    if settings.qrels is not None:
        return score_rankings(rankings_of(whole, path), settings.name or path.stem, settings, path)
    return _of_numbers(whole, path).scores(path, settings)


def _of_numbers(numbers: dict[str, dict[str, float | None]], path: Path) -> Log:
    """Scores by query and measure in either order, or by model and item."""
    outer, inner = set(numbers), {name for row in numbers.values() for name in row}
    if all(map(looks_like_measure, inner)) or all(map(looks_like_measure, outer)):
        rows = [Row(query, row) for query, row in numbers.items()]
        if not all(map(looks_like_measure, inner)):
            rows = [Row(query, {measure: s}) for measure, row in numbers.items() for query, s in row.items()]
        return Log(rows, model=path.stem, is_sparse=True, are_measures=True)
    # Of other numbers nobody can say whether they are scores of models or of ranked documents.
    are_alike = all(len(row) > 0.9 * len(inner) for row in numbers.values())
    values = {value for row in numbers.values() for value in row.values() if value is not None}
    has_measures = any(map(looks_like_measure, (*outer, *inner)))
    if not has_measures and are_alike and 1 < len(outer) < len(inner) and values <= {0, 1}:
        rows = [Row(i, {"score": score}, model=m) for m, row in numbers.items() for i, score in row.items()]
        note = "read as {model: {item: score}}. Rankings need their judgments: " + option("qrels", "FILE")
        return Log(rows, notes=[f"{path.name}: {note}."])
    raise InputError(
        f"neither {min(outer)!r} nor {min(inner)!r} is a known measure",
        where=path,
        next_step="If these are rankings, {query: {document: score}}, give their judgments: "
        f"{option('qrels', 'FILE')}. If they are scores, {{model: {{item: score}}}}, write them as rows with "
        "model, item and score",
    )


def _of_predictions(whole: dict[str, Any], settings: ReadingSettings, path: Path) -> LogScores:
    """Score the predictions of one model on all subsets and splits, whose queries must be different ones."""
    _check_one_model(path)
    name = settings.name or as_object(whole[_META], f"{path}: {_META!r}").get("model_name")
    model = path.resolve().parent.name if not name or str(name).startswith("no_model_name") else str(name)
    rankings: dict[str, Any] = {}
    part_of: dict[str, str] = {}
    for subset, by_split in whole.items():
        for split, ranked in by_split.items() if subset != _META and isinstance(by_split, dict) else ():
            if not isinstance(ranked, dict):
                where = f"{path}: {subset!r}, {split!r}"
                raise InputError(f"expected rankings by query, got {ranked!r:.60}", where=where)
            if both := ranked.keys() & part_of.keys():
                raise InputError(
                    f"query {min(both)!r} is in {part_of[min(both)]!r} and in '{subset}/{split}', and one "
                    "file of judgments cannot tell them apart",
                    where=path,
                    next_step="Evaluate one subset and split at a time, each into a folder of its own",
                )
            part_of |= dict.fromkeys(ranked, f"{subset}/{split}")
            rankings |= ranked
    if not rankings:
        raise InputError("there are no predictions in this file", where=path)
    scores = score_rankings(rankings_of(rankings, path), model, settings, path)
    if len(set(part_of.values())) == 1:
        return scores
    split_of = pl.col("item").replace_strict(part_of, default=None, return_dtype=pl.String)
    return replace(scores, frame=scores.frame.with_columns(split=split_of))


def _check_one_model(path: Path) -> None:
    """Refuse a folder of predictions of several models.

    MTEB adds the predictions of a second model to the files of the first, which name the first alone; so what
    is in which of these files cannot be known.
    """
    named: dict[tuple[str, ...], str] = {}
    for other in sorted(path.parent.glob("*_predictions.json")):
        if meta := _HEAD.match((head_text(other) or "").lstrip()):
            named.setdefault(tuple(text.strip('"') for text in meta.groups()), other.name)
    if len(named) > 1:
        shown = " and ".join(f"{' at revision '.join(of)} ({file})" for of, file in named.items())
        raise InputError(
            f"predictions of several models are in this folder: {shown}. MTEB writes the second into "
            "the files of the first, under its name",
            where=path.parent,
            next_step="Evaluate each model again with a prediction_folder of its own",
        )
