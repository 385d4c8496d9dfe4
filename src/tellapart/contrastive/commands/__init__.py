"""``tellapart contrastive``: can a model pick the code that a summary describes."""

from tellapart.contrastive.commands.group import app

__all__ = ["app"]
