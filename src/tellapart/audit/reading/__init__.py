"""Scores from files: ours, plain tables, and the logs of other harnesses."""

from tellapart.audit.reading.files import Reading, parse_limits, read_scores
from tellapart.audit.reading.plain_table import parse_columns
from tellapart.audit.reading.reader import Choices, NamedFrame

__all__ = ["Choices", "NamedFrame", "Reading", "parse_columns", "parse_limits", "read_scores"]
