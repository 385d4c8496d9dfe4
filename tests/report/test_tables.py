from pathlib import Path

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


GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = {
    "bm25",
    "lsa",
    "tfidf",
    "offline/hasty",
    "offline/overlap",
    "alpha",
    "beta",
    "gamma",
    "easy",
    "hard",
    "number",
    "opposite",
    "parse",
    "timeout",
}
NAMES |= {"trivial", "same_file", "same_type", "semantic", "n", "p", "κ", "τ", "nearest", "partial"}
NAMES |= {"medium", "very_hard", "adversarial", "ladder", "pool", "action", "quantifier", "signature"}


@pytest.mark.parametrize("suite", ["audit", "bundles", "codesearch", "contrastive", "contrastive_llm"])
def test_headings_of_every_suite_begin_with_a_capital_but_for_names_and_symbols(suite):
    lines = (GOLDEN / f"{suite}_report.md").read_text(encoding="utf-8").splitlines()
    rules = [i for i, line in enumerate(lines) if line.startswith(("| ---", "| --:"))]
    heads = [lines[i - 1] for i in rules]
    cells = {cell.strip() for head in heads for cell in head.strip("|").split("|")}
    assert "Model" in cells or "Measure" in cells
    assert {cell for cell in cells if cell[:1].islower()} - NAMES == set()
