"""Tables, charts and terminals as the text that a reader sees."""

from xml.etree import ElementTree

from rich.console import Console

from tellapart.report.charts import WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(table):
    return [
        [table.shown(cell) + (f" [{cell.detail}]" if cell.detail else "") for cell in row]
        for row in table.rows
    ]


def words(chart, width=WIDE):
    root = ElementTree.fromstring(inline_svg(chart, width))
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def printed(renderables, width):
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        for renderable in renderables:
            console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]
