"""Files of codesearch pipelines, ours and others', from bytes to checked records."""

from tellapart.codesearch.reading.evaluations import evaluation_at, read_evaluation
from tellapart.codesearch.reading.joining import join_terms
from tellapart.codesearch.reading.searches import read_conversations, read_search_results

__all__ = [
    "evaluation_at",
    "join_terms",
    "read_conversations",
    "read_evaluation",
    "read_search_results",
]
