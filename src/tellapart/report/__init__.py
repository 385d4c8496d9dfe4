"""Numbers, tables, charts and pages from stored records."""

from tellapart.report.charts import Chart, save
from tellapart.report.document import Document, Section, Widget
from tellapart.report.markdown import markdown_document
from tellapart.report.page import html_document
from tellapart.report.tables import Cell, Column, Table
from tellapart.report.terminal import rich_table

__all__ = [
    "Cell",
    "Chart",
    "Column",
    "Document",
    "Section",
    "Table",
    "Widget",
    "html_document",
    "markdown_document",
    "rich_table",
    "save",
]
