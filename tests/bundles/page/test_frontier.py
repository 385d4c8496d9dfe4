from io import StringIO
from xml.etree import ElementTree

import polars as pl
import pytest
from rich.console import Console

from tellapart.bundles.page import frontier as pages
from tellapart.bundles.results import FrontierRecord
from tellapart.errors import UsageError
from tellapart.report.charts import NARROW, WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"
POINTS = pl.DataFrame(
    [
        ("base", 0.71, 0.68, 0.74, 0.62, 0.58, 0.66),
        ("mixed", 0.74, 0.71, 0.77, 0.66, 0.62, 0.70),
        ("half", 0.70, 0.67, 0.73, 0.72, 0.68, 0.76),
        ("poor", 0.41, 0.37, 0.45, 0.50, 0.46, 0.54),
    ],
    schema=["name", "value_0", "low_0", "high_0", "value_1", "low_1", "high_1"],
    orient="row",
)
FIGURES = FrontierRecord.model_validate(
    {
        "metrics": [{"name": "kept", "direction": "max"}, {"name": "gained", "direction": "max"}],
        "frontier": ["mixed", "half"],
        "dominated": {"base": "mixed", "poor": "mixed"},
        "within_noise": ["base"],
        "reason": None,
        "dominance": {
            "base": {
                "by": "half",
                "metric": "gained",
                "p": 0.03,
                "p_adjusted": 0.36,
                "verdict": "not_separated",
            },
            "poor": {"by": "mixed", "metric": "kept", "p": 1e-6, "p_adjusted": 1.2e-5, "verdict": "better"},
        },
        "cautions": [],
        "alpha": 0.05,
        "looks": 12,
        "exploratory": False,
        "fingerprints": [],
    }
)


def changed(record, **changes):
    return FrontierRecord.model_validate(record.model_dump() | changes)


BARE = changed(FIGURES, within_noise=None, reason="no point has an interval", dominance={})
NO_INTERVALS = POINTS.with_columns(
    pl.lit(None, pl.Float64).alias(f"{end}_{i}") for end in ("low", "high") for i in (0, 1)
)


def printed(figures, points=POINTS):
    console = Console(width=100, record=True, file=StringIO())
    for renderable in pages.terminal(figures, points):
        console.print(renderable)
    return [line.rstrip() for line in console.export_text().splitlines()]


def words(chart, width):
    root = ElementTree.fromstring(inline_svg(chart, width))
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")], float(root.get("width"))


def test_the_terminal_says_what_to_keep_and_what_not_to_drop_yet():
    lines = printed(FIGURES)
    assert lines[0].startswith("2 of 4 configurations are on the frontier of kept and gained; 1 of the other")
    assert "• On the frontier: mixed and half." in lines
    text = " ".join(" ".join(lines).split())
    assert (
        "Cannot tell base from half: dominated within noise only, no metric shows a difference. Do not"
        in text
    )
    assert (
        "Every other dominated configuration is beaten beyond noise in at least one metric (level 0.05"
        in text
    )
    assert "corrected for 12 differences" in text
    assert "Below each figure: its 95 % interval." in text
    rows = [line.split() for line in lines]
    assert ["mixed", "0.740", "0.660"] in rows
    assert ["base", "0.710", "0.620", "mixed", "cannot", "tell", "0.360"] in rows
    assert ["poor", "0.410", "0.500", "mixed", "better", "<", "0.001"] in rows


def test_without_intervals_noise_is_not_known():
    text = " ".join(printed(BARE, NO_INTERVALS))
    assert (
        "Cannot tell whether dominated configurations are worse beyond noise: no point has an interval."
        in text
    )
    assert "intervals" not in pages.frontier_chart(BARE, NO_INTERVALS).description


def test_nothing_dominated_and_nothing_at_all():
    all_on = changed(BARE, frontier=["mixed", "half"], dominated={})
    assert (
        pages.headline(all_on)
        == "No configuration is beaten in kept and gained: 2 choices, a matter of preference"
    )
    assert not [line for line in pages.verdict(all_on) if "noise" in line]
    nothing = changed(BARE, frontier=[], dominated={})
    assert printed(nothing, POINTS.clear())[0] == "There is no configuration"
    assert pages.document(nothing, POINTS.clear()).sections[0].charts == ()


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_chart_names_points_and_axes_at_any_width(width):
    chart = pages.frontier_chart(FIGURES, POINTS)
    sure = "1 of the other 2 is dominated beyond noise"
    assert chart.title == f"On the frontier of kept and gained: mixed and half; {sure}"
    shown, drawn_width = words(chart, width)
    assert {"base", "mixed", "half", "poor", "kept", "gained"} <= set(shown)
    assert drawn_width <= width + 12


def test_bars_say_what_they_are_and_cautions_are_said():
    assert pages.frontier_chart(FIGURES, POINTS).description.endswith("bars are 95 % intervals.")
    said = pages.verdict(changed(FIGURES, cautions=["tiers do not order difficulty for base: 1 and 2"]))
    assert said[-1] == "Tiers do not order difficulty for base: 1 and 2."


def test_less_is_better_is_said_on_the_axis():
    turned = changed(FIGURES, metrics=[FIGURES.metrics[0], {"name": "gained", "direction": "min"}])
    assert "gained (less is better)" in words(pages.frontier_chart(turned, POINTS), WIDE)[0]


def test_figures_of_scoreboards_are_words_and_rates_percent_but_not_what_a_list_has_in_other_units():
    names = ("frozen:tier3_adversarial.pass_rate", "organic:q10_margin")
    figures = changed(FIGURES, metrics=[{"name": name, "direction": "max"} for name in names])
    assert pages.headline(figures).startswith(
        "2 of 4 configurations are on the frontier of frozen tier3 adversarial pass rate and organic q10 m"
    )
    first, second = pages.tables(figures, POINTS)[0].rows[0][1:]
    assert (first.text, first.detail) == ("74.0 %", "71.0–77.0")
    assert (second.text, second.detail) == ("0.660", "0.620 to 0.700")
    shown = words(pages.frontier_chart(figures, POINTS), WIDE)[0]
    assert {"frozen tier3 adversarial pass rate, %", "organic q10 margin", "40", "0.70"} <= set(shown)
    hundred = POINTS.with_columns(pl.col("value_0", "low_0", "high_0") * 100)
    assert "frozen tier3 adversarial pass rate" in words(pages.frontier_chart(figures, hundred), WIDE)[0]
    assert pages.tables(figures, hundred)[0].rows[0][1].text == "74"


def layers_of(figures, points):
    return pages.frontier_chart(figures, points).draw(WIDE).layer


def test_the_line_goes_along_the_frontier_and_rings_are_noise():
    layers = layers_of(FIGURES, POINTS)
    line = next(layer for layer in layers if layer.mark.type == "line")
    assert line.data.select("value_0", "value_1").rows() == [(0.74, 0.66), (0.70, 0.72)]
    assert line.mark.interpolate == "step-before"
    rings = [layer for layer in layers if layer.mark.type == "point" and layer.mark.opacity == 1]
    assert rings[0].data["name"].to_list() == ["base"]
    bars = [layer for layer in layers if layer.mark.type == "rule"]
    assert [layer.data["name"].to_list() for layer in bars] == [["base", "poor"]] * 2 + [
        ["mixed", "half"]
    ] * 2
    assert not [layer for layer in layers_of(BARE, NO_INTERVALS) if layer.mark.type == "rule"]


def test_of_three_metrics_no_line_is_drawn_and_the_third_is_named():
    three = changed(FIGURES, metrics=[*FIGURES.metrics, {"name": "cost", "direction": "min"}])
    wide = POINTS.with_columns(
        value_2=pl.lit(1.0), low_2=pl.lit(None, pl.Float64), high_2=pl.lit(None, pl.Float64)
    )
    assert not [layer for layer in layers_of(three, wide) if layer.mark.type == "line"]
    assert pages.frontier_chart(three, wide).description.endswith(
        "The frontier is also of cost, not drawn here."
    )
    assert ["half", "0.700", "0.720", "1.000"] in [line.split() for line in printed(three, wide)]


def test_of_many_points_some_are_drawn_and_the_table_is_cut():
    n = 5000
    names = [f"c{i:04d}" for i in range(n)]
    points = pl.DataFrame(
        {"name": names, "value_0": [i / n for i in range(n)], "value_1": [i / n for i in range(n)]}
    )
    points = points.with_columns(
        pl.lit(None, pl.Float64).alias(f"{end}_{i}") for end in ("low", "high") for i in (0, 1)
    )
    figures = changed(BARE, frontier=[names[-1]], dominated=dict.fromkeys(names[-2::-1], names[-1]))
    chart = pages.frontier_chart(figures, points)
    assert chart.description.endswith("Of 5,000, 1,500 are drawn.")
    drawn = [layer.data.height for layer in chart.draw(WIDE).layer if layer.mark.type == "point"]
    assert drawn == [1499, 0, 1]
    dominated = pages.tables(figures, points)[1]
    assert (len(dominated.rows), dominated.note) == (200, "The first 200 of 4,999; --json gives all.")


def test_files_are_written_as_asked(tmp_path):
    page, chart = tmp_path / "p.html", tmp_path / "p.svg"
    assert pages.write(FIGURES, POINTS) == []
    command = "tellapart bundles pareto a.json --metric kept --metric gained"
    assert pages.write(FIGURES, POINTS, page=page, chart=chart, command=command) == [chart, page]
    assert command in page.read_text("utf-8")
    assert "kept and gained: mixed and half" in chart.read_text("utf-8")
    with pytest.raises(UsageError, match=r"a picture cannot be '\.jpg'"):
        pages.write(FIGURES, POINTS, chart=tmp_path / "p.jpg")
