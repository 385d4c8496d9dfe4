"""Numbers, tables, charts and pages from stored records."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.report.charts import save
    from tellapart.report.markdown import markdown_document
    from tellapart.report.page import html_document

__all__ = ["html_document", "markdown_document", "save"]

# Who words a number needs no charts.
__getattr__ = lazy_names(
    __name__, {"html_document": "page", "markdown_document": "markdown", "save": "charts"}
)
