from dataclasses import replace
from xml.etree import ElementTree

import polars as pl
import pytest

from audit.page.stored_figures import figures, items, load, many_models, two_models
from reference.pairs import items_needed
from tellapart.audit.page import charts
from tellapart.audit.page.charts import items as item_map
from tellapart.audit.page.charts import models as of_models
from tellapart.audit.page.charts import power
from tellapart.core.stats import PairedTest
from tellapart.report.charts import NARROW, WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(chart, width=WIDE):
    return [one.text for one in ElementTree.fromstring(inline_svg(chart, width)).iter(f"{SVG}text")]


def of(number):
    return load(many_models(number))


def test_the_matrix_has_a_sign_for_each_pair_and_its_gap():
    shown = texts(charts.matrix_chart(load(figures())))
    for told in ("> +20.0", "> +21.0", "> +30.0", "= +1.0", "! +10.0", "? +9.0"):
        assert told in shown
    assert shown.index("beta") < shown.index("gamma") < shown.index("delta")


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("number", [3, 12, 24, 60])
def test_all_pairs_stand_in_the_matrix_or_the_neighbours_of_each(number, width):
    view = of(number)
    tiles, columns = of_models._tiles(view, width), of_models._columns(view, width)
    if columns < number - 1:
        # Each model against the next few, fewer for the last.
        assert len(tiles) == sum(min(columns, number - 1 - i) for i in range(number))
    else:
        assert len(tiles) == number * (number - 1) // 2
    assert len({(tile.row, tile.column) for tile in tiles}) == len(tiles)


def test_a_curve_goes_through_the_items_that_its_pair_needs():
    # Three of six pairs are not told apart: Holm's next test is at 0.05 / 3; 100 items of 25 sources.
    view = load(figures())
    known = items_needed(0.09, 0.4, 25, alpha=0.05 / 3, design_effect=1.5, per_source=4.0)
    assert power._needed(view, view.pairs[5], [0.09]) == [known]


def test_mcnemar_has_a_curve_of_its_own():
    found = figures()
    for one in found["pairs"]:
        one |= {"test": "mcnemar", "clusters": 100, "design_effect": None}
    view = load(found)
    [exact] = power._needed(view, view.pairs[0], [0.09])
    [by_t] = power._needed(view, replace(view.pairs[0], test=PairedTest.T), [0.09])
    assert exact > by_t


def test_the_title_is_the_resolution_that_the_first_lines_state():
    assert charts.power_chart(load(figures())).title == "100 items are enough for gaps of 14 points or more"
    none = figures()
    none["comparison"]["resolution"][0][1] = None
    assert charts.power_chart(load(none)).title == "100 items are too few for any of these gaps"


def test_every_item_is_in_a_cell_that_holds_its_figures():
    view, placed = load(figures()), items()
    cells = item_map._cells(view, placed, 21, 25)
    assert cells["items"].sum() == 100
    # q03 alone ranks backwards: mean 0.75 is place 15 of 0 to 20, -0.9 place 1 of 0 to 24.
    one = cells.filter(flag="negative_discrimination").row(0, named=True)
    assert (one["column"], one["row"], one["items"]) == (15, 1, 1)
    assert one["x"] < 75 < one["x2"]
    assert cells.filter(pl.col("row") < 0)["items"].sum() == 3


def test_the_map_says_what_is_the_matter():
    chart = charts.item_chart(load(figures()))
    assert chart.title == (
        "3 % of the items separate no models: all score the same; 1 item ranks the models backwards"
    )
    shown = texts(chart)
    assert {"passed by every model: 2", "failed by every model: 1"} <= set(shown)


def test_without_discriminations_items_stand_as_bars():
    flat = items().with_columns(discrimination=pl.lit(None, dtype=pl.Float64))
    chart = charts.item_chart(load(two_models(), flat))
    assert "too few models" in chart.description
    assert "Items" in texts(chart)
    assert chart.title == "No item is the same for all models; the median item scores 50.0 %"


def test_the_variance_says_what_to_do_about_its_largest_part():
    chart = charts.variance_chart(load(figures()))
    assert chart.title == (
        "75 % of the variance is between items: items differ, so comparisons on the same items gain most"
    )
    assert {"between items", "75.0 %", "between answers", "not recorded"} <= set(texts(chart))
    assert charts.variance_chart(load(two_models())) is None
