"""``tellapart longcontext``: a conversation that grows, played, linted and graded."""

from tellapart.cli.longcontext.group import app

__all__ = ["app"]
