"""``symbols``: BM25 over the names that files define, by tree-sitter, and the words of their paths.

It reads no prose: comments, strings and documentation are nothing to it. So it finds other files than
``lexical`` does, for other reasons.
"""

from __future__ import annotations

from tellapart.codesearch.explorers.explorer import ExplorerRequest
from tellapart.codesearch.explorers.lexical import Lexical
from tellapart.codesearch.index.symbols import open_names


class Symbols(Lexical):
    """The explorer."""

    name = "symbols"
    open_index = staticmethod(open_names)


def load(request: ExplorerRequest) -> Symbols:
    """Make the explorer."""
    return Symbols(request.repositories, request.index, request.snapshot)
