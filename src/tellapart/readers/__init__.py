"""Scores from files and from memory: ours, tables, and the logs of other harnesses."""

from typing import TYPE_CHECKING

from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.readers.files import Reading, read_scores
    from tellapart.readers.folders import ItemTexts, item_texts, matching_paths, with_patterns
    from tellapart.readers.reader import Source, Together
    from tellapart.readers.settings import ReadingSettings

__all__ = [
    "ItemTexts",
    "Reading",
    "ReadingSettings",
    "Source",
    "Together",
    "item_texts",
    "matching_paths",
    "read_scores",
    "with_patterns",
]

# Options are read by every command, and the statistics take seconds to import.
__getattr__ = names_from(__name__, __all__, "settings", "reader", "folders", "files")
