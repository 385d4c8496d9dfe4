"""Files of codesearch pipelines, ours and others', from bytes to checked records."""

from tellapart.codesearch.reading.searches import read_conversations, read_search_results

__all__ = ["read_conversations", "read_search_results"]
