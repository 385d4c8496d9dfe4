from io import StringIO
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tellapart.report.bundles import seeds as pages
from tellapart.report.charts import NARROW, WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"


def stats(mean, *values, normal=None, student=None, reason=None):
    return {
        "mean": mean,
        "std": None if normal is None else 0.03,
        "min": min(values),
        "max": max(values),
        "n_seeds": len(values),
        "missing": 0,
        "ci95_normal": normal,
        "ci95_t": student,
        "reason": reason,
        "values": {str(i): value for i, value in enumerate(values, start=1)},
    }


def pair(metric, a, b, delta, p=None, holm=None, **changes):
    return {
        "metric": metric,
        "a": a,
        "b": b,
        "delta": delta,
        "rule_2pct": None,
        "rule_reason": "no rate",
        "welch_p": p,
        "welch_p_holm": holm,
        "ci95_delta": None if p is None else [delta - 0.01, delta + 0.01],
        "welch_reason": None if p is not None else "too few",
        "disagreement": None,
    } | changes


FIGURES = {
    "pass_rate": {
        "base": stats(0.71, 0.71, 0.74, 0.68, normal=[0.676, 0.744], student=[0.635, 0.785]),
        "long": stats(0.765, 0.765, reason="one seed"),
        "mixed": stats(0.743, 0.75, 0.72, 0.76, normal=[0.72, 0.767], student=[0.692, 0.795]),
    },
    "metric:differences": {"base": stats(3.0, 3.0, reason="one seed")},
    "differences": [
        pair("pass_rate", "base", "long", -0.055),
        pair(
            "pass_rate",
            "base",
            "mixed",
            -0.033,
            0.04,
            0.08,
            rule_2pct=True,
            rule_reason=None,
            disagreement="They disagree.",
        ),
        pair("pass_rate", "long", "mixed", 0.022, 0.0004, 0.0008),
    ],
    "exploratory": False,
    "fingerprints": ["aa|42|10"],
}


def printed(figures):
    console = Console(width=110, record=True, file=StringIO())
    for renderable in pages.terminal(figures):
        console.print(renderable)
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_the_terminal_says_what_is_beyond_noise_and_where_rule_and_test_disagree():
    lines = printed(FIGURES)
    assert lines[0] == "1 of 2 differences between conditions is beyond the noise of seeds"
    assert lines[1:4] == [
        "• pass_rate: long and mixed differ by +0.022 (p < 0.001).",
        "• pass_rate, base and mixed: They disagree.",
        "• At three seeds the interval by Student's t is 2.2 times as wide as the documented one.",
    ]
    rows = [line.split("  ") for line in lines]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["base", "0.710", "0.030", "0.680", "0.740", "3", "0.676 to 0.744", "0.635 to 0.785"] in cells
    assert ["long", "0.765", "–¹", "0.765", "0.765", "1", "–¹", "–¹"] in cells
    assert ["pass_rate: base – mixed", "−0.033", "apart", "0.040", "0.080"] in cells
    assert ["−0.043 to −0.023"] in cells
    # The metric has its own name back.
    assert "differences" in lines


@pytest.mark.parametrize(
    ("differences", "text"),
    [
        (
            [pair("x", "a", "b", 1.0)],
            "No difference between conditions can be tested: the seeds are too few or do not vary",
        ),
        (
            [pair("x", "a", "b", 1.0, 0.2, 0.2)],
            "The difference between conditions is not beyond the noise of seeds",
        ),
        (
            [pair("x", "a", "b", 1.0, 0.2, 0.2), pair("x", "a", "c", 1.0, 0.3, 0.3)],
            "None of 2 differences between conditions are beyond the noise of seeds",
        ),
    ],
)
def test_the_headline_claims_no_more_than_was_tested(differences, text):
    assert pages.headline(FIGURES | {"differences": differences}) == text


def test_many_sentences_are_cut_and_exploration_is_said():
    many = [pair("x", "a", f"b{i}", 1.0, 0.001, 0.002) for i in range(9)]
    said = pages.verdict(FIGURES | {"differences": many, "exploratory": True})
    assert said[6] == "And 3 more differences."
    assert said[-1] == "Exploratory: the scoreboards are of different evals."


def test_runs_without_the_metric_are_said_in_words_and_in_the_table():
    none = dict.fromkeys(FIGURES["pass_rate"]["base"]) | {
        "n_seeds": 0,
        "missing": 1,
        "reason": "no run has it",
    }
    base = FIGURES["pass_rate"]["base"] | {"missing": 2}
    figures = {"pass_rate": {"base": base, "empty": none | {"values": {}}}, "differences": []}
    lines = printed(figures)
    assert "• base: 2 of 5 runs without pass_rate." in lines
    assert "• empty: 1 of 1 run without pass_rate." in lines
    row = next(line.split() for line in lines if line.strip().startswith("empty"))
    assert row == ["empty", "–¹", "–¹", "–¹", "–¹", "0", "–¹", "–¹"]
    assert any("no run has it" in line for line in lines)
    # A chart has no row for what has no seeds.
    chart = pages.chart(1, "pass_rate", figures["pass_rate"])
    assert chart.title == "Highest mean of pass_rate: 0.710, base"
    assert chart.draw(WIDE).layer[3].data["condition"].to_list() == ["base"]
    assert not [said for said in pages.verdict(FIGURES) if "without" in said]
    assert lines[0] == "No metric has values of two conditions: nothing to hold seeds against"


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_chart_names_its_conditions_and_axis_at_any_width(width):
    chart = pages.chart(1, "pass_rate", FIGURES["pass_rate"])
    assert chart.title == "Highest mean of pass_rate: 0.765, long; the others 0.710 to 0.743"
    root = ElementTree.fromstring(inline_svg(chart, width))
    shown = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
    assert {"base", "long", "mixed", "pass_rate"} <= shown
    assert float(root.get("width")) <= width + 12


def test_a_chart_draws_every_seed_and_both_intervals():
    drawn = pages.chart(1, "pass_rate", FIGURES["pass_rate"]).draw(WIDE)
    thin, thick, dots, ticks = drawn.layer
    assert dots.data["value"].to_list() == [0.71, 0.74, 0.68, 0.765, 0.75, 0.72, 0.76]
    assert (thin.encoding.x.shorthand, thick.encoding.x.shorthand) == ("t_low:Q", "normal_low:Q")
    assert ticks.data.select("mean", "normal_low", "t_high").rows() == [
        (0.71, 0.676, 0.785),
        (0.765, None, None),
        (0.743, 0.72, 0.795),
    ]


def test_the_page_has_a_section_for_each_metric(tmp_path):
    document = pages.document(FIGURES)
    assert [section.title for section in document.sections] == ["pass_rate", "differences", "Differences"]
    path = tmp_path / "s.html"
    pages.write_page(FIGURES, path)
    assert "tellapart bundles seeds FILE --metric pass_rate --metric differences" in path.read_text("utf-8")


def test_a_page_without_pairs_has_no_differences():
    alone = {"x": {"base": stats(0.5, 0.5, reason="one seed")}, "differences": []}
    assert [section.title for section in pages.document(alone).sections] == ["x"]
    assert pages.headline(alone) == "One condition: nothing to hold its seeds against"
    assert pages.chart(1, "x", alone["x"]).title == "Highest mean of x: 0.500, base"
