"""``docstrings``: BM25 over comments and docstrings, and nothing else."""

from __future__ import annotations

from tellapart.codesearch.explorers.explorer import ExplorerRequest
from tellapart.codesearch.explorers.lexical import Lexical
from tellapart.codesearch.index.parsed import open_docstrings


class Docstrings(Lexical):
    """The explorer."""

    name = "docstrings"
    open_index = staticmethod(open_docstrings)


def load(request: ExplorerRequest) -> Docstrings:
    """Make the explorer."""
    return Docstrings(request.repositories, request.index, request.snapshot)
