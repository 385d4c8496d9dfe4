"""The ranking of writers as a page, as Markdown and in a terminal: one document, three forms."""

from tellapart.writers.page.ranking import document, terminal

__all__ = ["document", "terminal"]
