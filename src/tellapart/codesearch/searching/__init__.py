"""The system under test: one of ours, or any program, run over conversations."""

from tellapart.codesearch.searching.command import CommandSystem
from tellapart.codesearch.searching.lexical import JUDGES_ITSELF, LexicalSystem
from tellapart.codesearch.searching.protocol import Found, SearchSystem
from tellapart.codesearch.searching.run import Search, search

__all__ = ["CommandSystem", "Found", "JUDGES_ITSELF", "LexicalSystem", "Search", "SearchSystem", "search"]
