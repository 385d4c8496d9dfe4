"""An evaluation of another pipeline joined to the search results that it was made from.

The original pipeline's evaluations do not say what was searched for: terms stand in ``search_results.json``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.reading.searches import read_search_results
from tellapart.errors import InputError
from tellapart.files import read_bytes


def join_terms(evaluation: Evaluation, searches: Path) -> Evaluation:
    """Add the search terms of search results on the same conversations and files."""
    results = read_search_results(read_bytes(searches), where=str(searches))
    searched = {search.conversation.id: search.result for search in results.searched}
    cases = []
    for case in evaluation.cases:
        result = searched.get(case.conversation.id)
        if result is None or set(result.files) != case.ours:
            raise InputError(
                "the evaluation was not made from these search results: "
                f"conversation {case.conversation.id!r} is not here, or has other files",
                where=searches,
            )
        cases.append(
            replace(
                case,
                result=replace(case.result, terms=result.terms, terms_by_file=result.terms_by_file),
            )
        )
    return replace(evaluation, cases=tuple(cases))
