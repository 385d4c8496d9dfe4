"""An evaluation joined to the search results that it was made from.

The original pipeline's evaluations name the system's files, and not what it searched for: search terms,
snippets and durations stand in its ``search_results.json`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tellapart.codesearch.case import Case, Searched, SearchResult, SearchResults
from tellapart.codesearch.evaluation import SYSTEM, Evaluation
from tellapart.codesearch.reading.searches import read_search_results
from tellapart.errors import InputError
from tellapart.files import read_bytes

NAME = "search_results.json"
"""What the original pipeline calls the file, which it writes beside the evaluation."""

_SHOWN = 3


def join_searches(evaluation: Evaluation, results: SearchResults, *, where: str) -> Evaluation:
    """Add what only the search results say: terms, snippets, durations, confidence, the order of files.

    What the evaluation says itself is kept. Search results may have further conversations.
    """
    differences = list(_differences(evaluation, results))
    if differences:
        more = f"; and {len(differences) - _SHOWN} more" if len(differences) > _SHOWN else ""
        raise InputError(
            "the evaluation was not made from these search results: "
            + "; ".join(differences[:_SHOWN])
            + more,
            where=where,
            next_step="Name the search results of the same iteration with --search-results FILE",
        )
    searched = {search.conversation.id: search for search in results.searched}
    cases = tuple(_joined(case, searched[case.conversation.id]) for case in evaluation.cases)
    facts = dict(evaluation.facts or {})
    if results.system is not None:
        facts.setdefault(SYSTEM, results.system)
    return replace(evaluation, cases=cases, facts=facts or None)


def join_file(
    evaluation: Evaluation, source: Path | None, searches: Path | None
) -> tuple[Evaluation, str | None]:
    """Join an evaluation to the search results that are named, or that lie beside it."""
    file = searches
    if file is None and source is not None and not any(case.result.terms for case in evaluation.cases):
        file = source.parent / NAME
    if file is None or (searches is None and not file.is_file()):
        return evaluation, None
    try:
        results = read_search_results(read_bytes(file), where=str(file))
        joined = join_searches(evaluation, results, where=str(file))
    except InputError as error:
        if searches is not None:
            raise
        return evaluation, f"{file} is not used: {error.what}"
    count = sum(bool(case.result.terms) for case in joined.cases)
    return joined, f"search terms of {count} of {len(joined.cases)} conversations are read from {file}"


def _differences(evaluation: Evaluation, results: SearchResults) -> Iterator[str]:
    if results.iteration is not None and results.iteration != evaluation.iteration:
        yield f"iteration {evaluation.iteration} in the evaluation, {results.iteration} here"
    searched = {search.conversation.id: search for search in results.searched}
    for case in evaluation.cases:
        id_ = case.conversation.id
        if id_ not in searched:
            yield f"conversation {id_!r} is not here"
            continue
        search = searched[id_]
        if search.conversation.issue_summary != case.conversation.issue_summary:
            yield f"conversation {id_!r} has another issue here, {search.conversation.issue_summary[:60]!r}"
        more, fewer = (
            sorted(set(search.result.files) - case.ours),
            sorted(case.ours - set(search.result.files)),
        )
        if more or fewer:
            yield (
                f"conversation {id_!r} has {len(more)} more and {len(fewer)} fewer files here, such as "
                f"{[*more, *fewer][0]!r}"
            )


def _joined(case: Case, searched: Searched) -> Case:
    """The case with what its own record lacks; files in the order in which the system gave them."""
    recorded, other = case.result, searched.result
    result = SearchResult(
        other.files,
        recorded.terms or other.terms,
        recorded.snippets or other.snippets,
        recorded.terms_by_file or other.terms_by_file,
        other.duration_ms if recorded.duration_ms is None else recorded.duration_ms,
        recorded.functions or other.functions,
    )
    conversation = case.conversation
    if conversation.classification_confidence is None:
        confidence = searched.conversation.classification_confidence
        conversation = replace(conversation, classification_confidence=confidence)
    return replace(case, conversation=conversation, result=result)
