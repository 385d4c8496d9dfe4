"""Tables as LaTeX, for papers: the package ``booktabs`` is all that they need."""

from __future__ import annotations

from collections.abc import Iterable

from tellapart.report.numbers import DASH, MINUS
from tellapart.report.tables import Cell, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    MINUS: "$-$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "τ": r"$\tau$",
    "α": r"$\alpha$",
    DASH: "--",
    "…": r"\ldots{}",
}


def latex(text: str) -> str:
    """Escape what LaTeX would read as a command; line breaks become spaces."""
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def latex_table(table: Table, label: str = "") -> str:
    r"""Give a table as a ``table`` environment; a cell's detail follows it in brackets."""
    columns = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex(table.title)}}}",
        *([rf"\label{{{label}}}"] if label else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(latex(column.title) for column in table.columns),
        r"\midrule",
        *(_row(_cell(table, cell) for cell in row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {latex(note)}" for note in table.notes()),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(table: Table, cell: Cell) -> str:
    text = latex(table.shown(cell))
    shown = rf"\textbf{{{text}}}" if cell.strong else text
    return f"{shown} ({latex(cell.detail)})" if cell.detail else shown
