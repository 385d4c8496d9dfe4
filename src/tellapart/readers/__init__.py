"""Scores from files and from memory: ours, tables, and the logs of other harnesses."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.readers.files import Reading, read_scores
    from tellapart.readers.folders import matching_paths, with_patterns
    from tellapart.readers.reader import NamedFrame, Source, Together
    from tellapart.readers.settings import ReadingSettings
    from tellapart.readers.table import scores_of_frame
    from tellapart.readers.text_lookup import ItemTexts, item_texts

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

_HOME = {
    "ItemTexts": "text_lookup",
    "NamedFrame": "reader",
    "Reading": "files",
    "ReadingSettings": "settings",
    "Source": "reader",
    "Together": "reader",
    "item_texts": "text_lookup",
    "matching_paths": "folders",
    "read_scores": "files",
    "scores_of_frame": "table",
    "with_patterns": "folders",
}

# Options are read by every command, and the statistics take seconds to import.
__getattr__ = lazy_names(__name__, _HOME)
