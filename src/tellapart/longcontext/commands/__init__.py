"""``tellapart longcontext``: a conversation that grows, played, linted and graded."""

from tellapart.longcontext.commands.group import app

__all__ = ["app"]
