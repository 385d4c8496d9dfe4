"""Numbers, tables, charts and pages from stored records."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.report.charts import Chart, save
    from tellapart.report.document import Document, Section, Widget
    from tellapart.report.markdown import markdown_document
    from tellapart.report.page import html_document
    from tellapart.report.tables import Cell, Column, Table
    from tellapart.report.terminal import fitted_table

__all__ = [
    "Cell",
    "Chart",
    "Column",
    "Document",
    "Section",
    "Table",
    "Widget",
    "fitted_table",
    "html_document",
    "markdown_document",
    "save",
]

_HOME = {
    "Cell": "tables",
    "Chart": "charts",
    "Column": "tables",
    "Document": "document",
    "Section": "document",
    "Table": "tables",
    "Widget": "document",
    "fitted_table": "terminal",
    "html_document": "page",
    "markdown_document": "markdown",
    "save": "charts",
}


# Who words a number needs no charts.
__getattr__ = lazy_names(__name__, _HOME)
