"""Search results and evaluations as pipelines write them, from bytes to checked records."""

from __future__ import annotations

import json
from typing import Any

from tellapart.codesearch.conversations import Conversation, Searched, SearchResult, SearchResults


def read_search_results(text: str) -> SearchResults:
    """Read what the system under test returned."""
    data = json.loads(text)
    return SearchResults(
        data.get("iteration_number"),
        data.get("timestamp"),
        tuple(_searched(conversation) for conversation in data["conversations"]),
    )


def _searched(data: dict[str, Any]) -> Searched:
    found = data["search_results"]["files_found"]
    files = tuple(file if isinstance(file, str) else file["path"] for file in found)
    conversation = Conversation(data["conversation_id"], data["issue_summary"], data["product_area"])
    terms = tuple(data["search_results"].get("search_terms_used", ()))
    return Searched(conversation, SearchResult(files, terms))
