"""Scores from files: ours, plain tables, and the logs of other harnesses."""

from tellapart.audit.reading.files import Reading, read_scores

__all__ = ["Reading", "read_scores"]
