import struct
from xml.etree import ElementTree

import altair as alt
import polars as pl
import pytest

from tellapart.errors import UsageError
from tellapart.report.charts import GUTTER, Chart, columns_for, inline_svg, save, spread

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


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([], []),
        ([0.0, 50.0], [0.0, 50.0]),
        # Two at the same place part by half the gap each, and keep their sequence.
        ([10.0, 10.0], [5.0, 15.0]),
        # 0 and 8 are 2 short of the gap; each gives way by 1.
        ([8.0, 0.0], [9.0, -1.0]),
        # All three touch: 0, 10, 20 around their mean of 6, that is -4, 6, 16.
        ([0.0, 9.0, 9.0], [-4.0, 6.0, 16.0]),
    ],
)
def test_labels_give_way_as_little_as_they_can(positions, expected):
    assert spread(positions, 10.0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("width", "panels", "expected"),
    [(760, 3, 3), (760, 4, 2), (760, 8, 3), (350, 3, 1), (100, 2, 1), (760, 1, 1)],
)
def test_panels_stand_in_even_rows(width, panels, expected):
    columns, each = columns_for(width, panels, 240)
    assert columns == expected
    assert columns * each + (columns - 1) * GUTTER <= width


def test_a_chart_on_a_page_has_title_description_and_the_colours_of_the_page():
    root = ElementTree.fromstring(inline_svg(CHART, 400))
    assert root.get("role") == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert (title.text, description.text) == ("a < b & c", 'It "grows"')
    assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]
    assert "#1b1d22" not in inline_svg(CHART, 400)
    assert "var(--ink)" in inline_svg(CHART, 400)


def test_two_drawings_of_a_chart_share_no_identifier():
    identifiers = [
        {element.get("id") for element in ElementTree.fromstring(inline_svg(CHART, width)).iter()} - {None}
        for width in (400, 300)
    ]
    assert len(identifiers[0]) == 3  # title, description and the clipping path
    assert not identifiers[0] & identifiers[1]
    assert "url(#growth-400-clip" in inline_svg(CHART, 400)


def test_a_picture_shows_its_title_in_lines(tmp_path):
    save(Chart("c", "one two three " * 9, "", draw), tmp_path / "c.svg", width=400)
    text = (tmp_path / "c.svg").read_text(encoding="utf-8")
    lines = [element.text for element in ElementTree.fromstring(text).iter(f"{SVG}tspan")]
    assert len(lines) == 3
    assert " ".join(lines) == ("one two three " * 9).strip()


def test_a_png_has_two_pixels_for_one(tmp_path):
    save(CHART, tmp_path / "c.svg", width=400)
    save(CHART, tmp_path / "c.png", width=400)
    vector = ElementTree.fromstring((tmp_path / "c.svg").read_text(encoding="utf-8"))
    width, height = struct.unpack(">II", (tmp_path / "c.png").read_bytes()[16:24])
    assert (width, height) == (2 * int(vector.get("width")), 2 * int(vector.get("height")))


def test_another_kind_of_picture_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"a picture cannot be '\.jpg'\. Choose \.svg or \.png"):
        save(CHART, tmp_path / "c.jpg")


@pytest.mark.parametrize("character", ["\x1b", "\x00", "\ufffe", "\ud800"])
def test_a_name_that_xml_cannot_say_does_not_end_the_process(character):
    point = alt.Chart(pl.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")
    chart = Chart("c", "t", "", lambda width: alt.LayerChart(layer=[point], title=f"a{character}b"))
    texts = [element.text for element in ElementTree.fromstring(inline_svg(chart, 200)).iter(f"{SVG}text")]
    assert "a\ufffdb" in texts


def test_a_chart_may_have_more_marks_than_a_browser_is_sent():
    frame = pl.DataFrame({"x": range(5001), "y": range(5001)})

    def draw(width):
        points = alt.Chart(frame).mark_point(shape="circle").encode(x="x:Q", y="y:Q")
        return alt.LayerChart(layer=[points], width=width, height=100)

    root = ElementTree.fromstring(inline_svg(Chart("many", "t", "d", draw), 400))
    points = [one for one in root.iter(f"{SVG}g") if "mark-symbol" in one.get("class", "")]
    assert sum(len(one) for one in points) == 5001
    with pytest.raises(alt.MaxRowsError):
        draw(400).to_dict()
