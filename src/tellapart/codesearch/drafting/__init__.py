"""Issues that a repository's own docstrings and commits give, to measure a search with before users write."""

from tellapart.codesearch.drafting.draft import SOURCES, Drafts, draft_issues

__all__ = ["Drafts", "SOURCES", "draft_issues"]
