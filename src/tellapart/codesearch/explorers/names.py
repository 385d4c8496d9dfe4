"""``names``: BM25 over the names that files define, by tree-sitter, and the words of their paths.

It reads no prose: comments, strings and documentation are nothing to it.
"""

from __future__ import annotations

from tellapart.codesearch.explorers.explorer import ExplorerRequest
from tellapart.codesearch.explorers.lexical import Lexical
from tellapart.codesearch.index.parsed import open_names


class Names(Lexical):
    """The explorer."""

    name = "names"
    open_index = staticmethod(open_names)


def load(request: ExplorerRequest) -> Names:
    """Make the explorer."""
    return Names(request.repositories, request.index, request.snapshot)
