"""Killers on a page: the negatives that win most, with the texts that they win against."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.bundles.page.mined import cut
from tellapart.bundles.page.tables import margin_form
from tellapart.bundles.page.view import Board, View
from tellapart.bundles.results import KillerRecord
from tellapart.report import numbers as show
from tellapart.report.document import Passage, Section
from tellapart.report.tables import Cell, Table, table

LETTERS = 90
"""Characters of a text in a table."""

IN_FULL = 3
"""Killers whose texts are shown below the table."""

MOST_MODELS = 8
"""Models that have a table of their own."""


def killers_section(view: View) -> list[Section]:
    """Give the section of the negatives that win most; none where no model fails a bundle."""
    record = view.killers
    if not record.overall:
        return []
    by_model = record.by_model if 1 < len(view.boards) <= MOST_MODELS else {}
    number_of = {board.label: i for i, board in enumerate(view.boards)}
    text = (
        "A negative wins a bundle that a model fails if it is the most similar to the anchor. These win "
        "most: first by the anchors whose bundles they win, then by bundles, then by their lead."
    )
    overall = _table("killers", "The negatives that win most", record.overall, view.boards)
    if not record.has_texts:
        text += (
            " The eval is not where it was scored, has changed or is too large, so negatives are named by "
            "bundle and position, and one that several bundles share is not recognised."
        )
        return [Section("killers", "Top killers", text, folded=(overall,))]
    return [
        Section(
            "killers",
            "Top killers",
            text,
            tables=(overall,),
            folded=tuple(
                _table(
                    f"killers-{number_of[label]}",
                    f"Against {label}",
                    killers,
                    [view.boards[number_of[label]]],
                )
                for label, killers in by_model.items()
                if killers
            ),
            passages=tuple(map(_passage, record.overall[:IN_FULL])),
        )
    ]


def _table(name: str, title: str, killers: Sequence[KillerRecord], boards: Sequence[Board]) -> Table:
    rows: list[list[Cell | str]] = [
        [_negative(killer), _beaten(killer), *(_wins(killer, board) for board in boards)]
        for killer in killers
    ]
    has_texts = any(killer.negative is not None for killer in killers)
    which = "The positive is that of the bundle in which the negative leads most. " if has_texts else ""
    return table(
        name,
        f"{title}: bundles that each wins",
        ["Negative", "Positive that it beats" if has_texts else "Bundle", *(board.label for board in boards)],
        rows,
        words=2,
        note=f"{which}Below the number of bundles stand their anchors and their lowest margin, in the unit "
        "of the model.",
    )


def _negative(killer: KillerRecord) -> Cell:
    kinds = show.listed(killer.kinds, most=3)
    held = f"in {show.plural(killer.bundles, 'bundle')}" if killer.bundles else ""
    text = f"negatives[{killer.example.position}]" if killer.negative is None else _line(killer.negative)
    return Cell(text, "; ".join(filter(None, (kinds, held))))


def _beaten(killer: KillerRecord) -> Cell:
    bundle = killer.example
    if bundle.positive is None:
        return Cell(bundle.item)
    return Cell(_line(bundle.positive), f"anchor: {_line(bundle.anchor or '')}; {bundle.item}")


def _wins(killer: KillerRecord, board: Board) -> Cell:
    wins = killer.models.get(board.label)
    if wins is None:
        return Cell("0")
    margin = "" if wins.margin is None else f"; {margin_form(board)(wins.margin)}"
    return Cell(show.count(wins.bundles), f"{show.plural(wins.anchors, 'anchor')}{margin}")


def _passage(killer: KillerRecord) -> Passage:
    bundle = killer.example
    parts = (("anchor", bundle.anchor), ("positive", bundle.positive), ("winning negative", killer.negative))
    kinds = f", {show.listed(killer.kinds, most=3)}" if killer.kinds else ""
    wins = [f"{show.plural(wins.bundles, 'bundle')} of {label}" for label, wins in killer.models.items()]
    return Passage(
        f"Wins {show.listed(wins)}{kinds}",
        bundle.item,
        tuple((name, cut(text)) for name, text in parts if text is not None),
    )


def _line(text: str) -> str:
    # A semicolon and a space would begin another line of the cell.
    line = " ".join(text.split()).replace("; ", ";\N{NO-BREAK SPACE}")
    return line if len(line) <= LETTERS else f"{line[: LETTERS - 1].rstrip()}…"
