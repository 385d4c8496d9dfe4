from xml.etree import ElementTree

import pytest

from audit.page.stored_figures import figures, load, many_models
from tellapart.audit.page import charts
from tellapart.report.charts import NARROW, WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(chart, width=WIDE):
    return [one.text for one in ElementTree.fromstring(inline_svg(chart, width)).iter(f"{SVG}text")]


def test_the_matrix_has_a_sign_for_each_pair_and_its_gap():
    shown = texts(charts.matrix_chart(load(figures())))
    for told in ("> +20.0", "> +21.0", "> +30.0", "= +1.0", "! +10.0", "? +9.0"):
        assert told in shown
    assert shown.index("beta") < shown.index("gamma") < shown.index("delta")


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("number", [3, 12, 24, 60])
def test_all_pairs_stand_in_the_matrix_or_the_neighbours_of_each(number, width):
    view = load(many_models(number))
    tiles, columns = charts._tiles(view, width), charts._columns(view, width)
    if columns < number - 1:
        # Each model against the next few, fewer for the last.
        assert len(tiles) == sum(min(columns, number - 1 - i) for i in range(number))
    else:
        assert len(tiles) == number * (number - 1) // 2
    assert len({(tile.row, tile.column) for tile in tiles}) == len(tiles)
