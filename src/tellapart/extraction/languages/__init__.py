"""The languages that units can be extracted from: one module each, found by themselves."""

from tellapart.extraction.languages.discovery import all_languages, candidates, language_of
from tellapart.extraction.languages.language import Language

__all__ = ["Language", "all_languages", "candidates", "language_of"]
