"""The ranking of writers as a page, as Markdown and in a terminal: one document, three forms."""

from tellapart.writers.page.ranking import Ranking

__all__ = ["Ranking"]
