"""``tellapart codesearch``: a search system's files against two blind explorations, judged."""

from tellapart.codesearch.commands.group import app

__all__ = ["app"]
