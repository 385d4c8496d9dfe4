"""The audit of an evaluation in a terminal, as Markdown and as a page."""
