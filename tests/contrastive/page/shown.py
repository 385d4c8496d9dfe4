"""Tables, charts and terminals as the text that a reader sees."""

from rich.console import Console

SVG = "{http://www.w3.org/2000/svg}"


def texts(table):
    return [
        [table.shown(cell) + (f" [{cell.detail}]" if cell.detail else "") for cell in row]
        for row in table.rows
    ]


def printed(renderables, width):
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        for renderable in renderables:
            console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]
