import pytest

from bundles.page.stored_boards import write_mined
from tellapart.bundles.page import mined as page
from tellapart.bundles.page.mined import load_mined
from tellapart.errors import InputError


def cells(table):
    return [[table.shown(cell) for cell in row] for row in table.rows]


def test_strengths_are_summed_up(mined):
    assert cells(page.strengths_table(mined)) == [
        ["ultra", "1", "9", "0.750", "0.750"],
        ["mid", "0", "–¹", "–¹", "–¹"],
        # The median of .5 and .625 lies half-way.
        ["low", "2", "3–4", "0.562", "0.625"],
    ]


def test_figures_of_another_run_are_refused(tmp_path):
    path, stats = write_mined(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"3 bundles were accepted, but .*mined.jsonl has 1"):
        load_mined(path, stats)
