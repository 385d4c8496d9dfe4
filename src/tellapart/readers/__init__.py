"""Scores from files: ours, plain tables, and the logs of other harnesses."""

from tellapart.readers.files import Reading, read_scores
from tellapart.readers.folders import matching_paths, with_patterns
from tellapart.readers.item_texts import ItemTexts, item_texts
from tellapart.readers.reader import NamedFrame, Source, Together
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.table import scores_of_frame

__all__ = [
    "ItemTexts",
    "NamedFrame",
    "Reading",
    "ReadingSettings",
    "Source",
    "Together",
    "item_texts",
    "matching_paths",
    "read_scores",
    "scores_of_frame",
    "with_patterns",
]
