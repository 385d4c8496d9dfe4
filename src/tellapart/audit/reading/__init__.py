"""Scores from files: ours, plain tables, and the logs of other harnesses."""

from tellapart.audit.reading.files import Reading, read_scores
from tellapart.audit.reading.folders import matching_paths, with_patterns
from tellapart.audit.reading.item_texts import ItemTexts, item_texts
from tellapart.audit.reading.plain_table import scores_of_frame
from tellapart.audit.reading.reader import Choices, NamedFrame, Source, Together

__all__ = [
    "Choices",
    "ItemTexts",
    "NamedFrame",
    "Reading",
    "Source",
    "Together",
    "item_texts",
    "matching_paths",
    "read_scores",
    "scores_of_frame",
    "with_patterns",
]
