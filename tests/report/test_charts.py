import struct
from xml.etree import ElementTree

import altair as alt
import polars as pl
import pytest

from tellapart.report.charts import (
    NARROW,
    REFERENCE,
    WIDE,
    Axis,
    Bin,
    Chart,
    Point,
    Rule,
    Scatter,
    Tile,
    curves,
    heatmap,
    histogram,
    inline_svg,
    save,
    scatter,
)
from tellapart.report.palette import looks

SVG = "{http://www.w3.org/2000/svg}"


def draw(width):
    frame = pl.DataFrame({"x": [1, 2], "y": [1, 2]})
    line = (
        alt.Chart(frame)
        .mark_line(clip=True, color="#1b1d22")
        .encode(x=alt.X("x:Q").title("Time, s"), y="y:Q")
    )
    return alt.LayerChart(layer=[line], width=width - 60, height=100)


CHART = Chart("growth", "a < b & c", 'It "grows"', draw)


def test_a_chart_on_a_page_has_title_description_and_the_colours_of_the_page():
    root = ElementTree.fromstring(inline_svg(CHART, 400))
    assert root.get("role") == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert (title.text, description.text) == ("a < b & c", 'It "grows"')
    assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]
    assert "#1b1d22" not in inline_svg(CHART, 400)
    assert "var(--ink)" in inline_svg(CHART, 400)


def test_a_png_has_two_pixels_for_one(tmp_path):
    save(CHART, tmp_path / "c.svg", width=400)
    save(CHART, tmp_path / "c.png", width=400)
    vector = ElementTree.fromstring((tmp_path / "c.svg").read_text(encoding="utf-8"))
    width, height = struct.unpack(">II", (tmp_path / "c.png").read_bytes()[16:24])
    assert (width, height) == (2 * int(vector.get("width")), 2 * int(vector.get("height")))


@pytest.mark.parametrize("character", ["\x1b", "\x00", "\ufffe", "\ud800", "\u2028", "\u2029"])
def test_a_name_that_xml_cannot_say_does_not_end_the_process(character):
    point = alt.Chart(pl.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")
    chart = Chart("c", "t", "", lambda width: alt.LayerChart(layer=[point], title=f"a{character}b"))
    texts = [element.text for element in ElementTree.fromstring(inline_svg(chart, 200)).iter(f"{SVG}text")]
    assert "a\ufffdb" in texts


HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--\x1b[31m`|"
LONG = "org/a-model-with-a-name-that-does-not-end-" * 3 + "v2"
OBJECT = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"]
"""What every JavaScript object has, and Vega makes keys of."""

NAMES = [HOSTILE, LONG, *OBJECT, *(f"model-{i:02d}" for i in range(58))]
ENDS = {f"{end}_{i}": None for end in ("low", "high") for i in (0, 1)}
UNIT = Axis("Share, %", (0, 100), [0, 50, 100], grid=True)


def of_curves(width):
    points = [Point(x, i, name, i - 1.0, i + 1.0) for i, name in enumerate(NAMES) for x in (0, 1)]
    style = {**looks(NAMES), "chance": REFERENCE}
    axis = Axis("Level", names=["easy\n4", f"{LONG}\n9"])
    return curves(points, width, axis, UNIT, looks=style, beside=True)


def of_panels(width):
    points = [Point(x, 9, NAMES[2], panel=panel) for x in (1, 10) for panel in ("easy", HOSTILE)]
    named = [Point(5, 9, text=LONG, shape="triangle-down", panel="easy")]
    x = Axis("Gap (log)", (1, 10), [1, 2, 5, 10], log=True)
    rules = [Rule(5, "easy")]
    return curves(points, width, x, UNIT, looks=looks(NAMES), marks=named, rules=rules)


def of_bins(width):
    bins = [Bin(i, i + 1, i, "#0b1f5e", hollow=i % 2 == 0, panel=HOSTILE) for i in range(8)]
    return histogram(bins, width, Axis("Passes", (0, 8)), Axis("Items"))


def of_tiles(width):
    rows, columns = [HOSTILE, LONG, "0–25 %"], ["4K", "8K"]
    tiles = [Tile(row, column, ">", "n 6", "#0b1f5e", 0.5) for row in rows for column in columns]
    return heatmap(tiles, width, rows=rows, columns=columns, titles=("Tokens", "Model"))


def of_points(width):
    points = pl.DataFrame(
        [{"name": name, "value_0": i, "value_1": i % 7, **ENDS} for i, name in enumerate(NAMES[:10])]
    )
    strong = frozenset([HOSTILE, LONG, *OBJECT])
    return scatter(Scatter(points, strong, frozenset(), ("x" * 100_000, "score"), (True, True)), width)


KINDS = {
    "curves": (of_curves, {"Level", "Share, %", "model-57", "chance", *OBJECT}),
    "panels": (of_panels, {"Gap (log)", "model-57", "easy", *OBJECT}),
    "histogram": (of_bins, {"Passes", "Items", "7"}),
    "heatmap": (of_tiles, {"Tokens", "Model", "0–25 %", "8K", ">", "n 6"}),
    "scatter": (of_points, {"score", "toString"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_of_any_kind_names_what_it_draws_and_fits_its_width(kind):
    draw_kind, expected = KINDS[kind]
    with alt.data_transformers.enable("default", max_rows=None):
        draw_kind(WIDE).to_dict(validate=True)
    for width in (WIDE, NARROW):
        # A hostile name is text and nothing else, and a long one is cut: what is drawn is one valid picture.
        drawn = inline_svg(Chart("c", "t", "d", draw_kind), width)
        root = ElementTree.fromstring(drawn)
        shown = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
        assert expected <= shown
        assert not [element.tag for element in root.iter() if "script" in element.tag or "img" in element.tag]
        assert float(root.get("width")) <= width + 12
        # The page decides about every colour.
        colours = {part for part in drawn.split('"') if part.startswith(("#", "rgb", "var("))}
        assert all(colour.startswith("var(--") for colour in colours)


def named_curves(name, width):
    points = [Point(x, x, of, text=name, panel=name) for x in (0, 1) for of in (name, "b")]
    return curves(points, width, Axis(name, names=[name, f"{name}\n4"]), Axis(name), looks=looks([name, "b"]))


def named_bins(name, width):
    return histogram([Bin(0, 1, 2, "#0b1f5e", panel=name)], width, Axis(name), Axis(name))


def named_tiles(name, width):
    tiles = [Tile(row, column, name, name, panel=name) for row in (name, "b") for column in (name, "b")]
    return heatmap(tiles, width, rows=[name, "b"], columns=[name, "b"], titles=(name, name))


def named_points(name, width):
    points = pl.DataFrame(
        [{"name": of, "value_0": i, "value_1": i, **ENDS} for i, of in enumerate((name, "b"))]
    )
    return scatter(Scatter(points, frozenset([name]), frozenset(), (name, name), (True, True)), width)


@pytest.mark.parametrize("draw_named", [named_curves, named_bins, named_tiles, named_points])
@pytest.mark.parametrize("name", [*OBJECT, "isPrototypeOf", "toLocaleString", "null", "datum"])
def test_a_name_that_every_javascript_object_has_is_drawn_as_any_other(draw_named, name, capfd):
    def picture(name):
        svg = inline_svg(Chart("c", "t", "d", lambda width: draw_named(name, width)), WIDE)
        return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]

    assert picture(name) == [text.replace("z" * len(name), name) for text in picture("z" * len(name))]
    assert capfd.readouterr().err == ""
