"""Scores from files: ours, plain tables, and the logs of other harnesses."""

from tellapart.audit.reading.files import Reading, parse_limits, read_scores
from tellapart.audit.reading.plain_table import parse_columns, scores_of_frame
from tellapart.audit.reading.reader import Choices, NamedFrame, Source, Together
from tellapart.audit.reading.wide_table import WideColumns, parse_wide

__all__ = [
    "Choices",
    "NamedFrame",
    "Reading",
    "Source",
    "Together",
    "WideColumns",
    "parse_columns",
    "parse_limits",
    "parse_wide",
    "read_scores",
    "scores_of_frame",
]
