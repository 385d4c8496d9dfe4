import pytest

from tellapart.report.tables import table, undefined


def test_an_undefined_figure_is_a_dash_whose_reason_is_below():
    rows = [["a", undefined("no items"), "1"], ["b", undefined("all alike"), undefined("no items")]]
    shown = table("t", "Figures", ["model", "x", "y"], rows, note="Read this.")
    assert [[shown.shown(cell) for cell in row] for row in shown.rows] == [
        ["a", "–¹", "1"],
        ["b", "–²", "–¹"],
    ]
    assert shown.notes() == ["Read this.", "–¹ no items", "–² all alike"]


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="table 't': a row has 1 cells, expected 2"):
        table("t", "Figures", ["model", "n"], [["a"]])
