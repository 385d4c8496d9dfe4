from dataclasses import replace
from io import StringIO
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tellapart.bundles.difficulty import RecordedRate
from tellapart.bundles.page import seeds as pages
from tellapart.bundles.seed_files import SampledItems, SeedRuns
from tellapart.bundles.seeds import compare_seeds
from tellapart.report import html_document, markdown_document
from tellapart.report.charts import NARROW, WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"


def by_seed(*values):
    return {str(i): value for i, value in enumerate(values, start=1)}


SAMPLES = {
    "pass_rate": {
        "base": by_seed(0.71, 0.74, 0.68),
        "long": by_seed(0.765),
        "mixed": by_seed(0.761, 0.79, 0.733),
    },
    "differences": {"base": by_seed(3.0)},
}


def result_of(samples=None, **more):
    return compare_seeds(SeedRuns(samples or SAMPLES, **more))


RESULT = result_of()


def printed(samples=None, **more):
    console = Console(width=120, record=True, file=StringIO())
    for renderable in pages.terminal(result_of(samples, **more)):
        console.print(renderable)
    return [line.rstrip() for line in console.export_text().splitlines()]


ONLY = (
    "Beware: intervals and tests cover the noise of seeds only; how much the items alone leave open is not "
    "recorded"
)


def test_the_headline_is_the_verdict_of_the_first_metric_and_what_it_is_worth():
    assert pages.headline(RESULT) == (
        "On pass_rate: separates 1 of 3 pairs: mixed beats base. Cannot separate long from base or long from "
        f"mixed: one seed says nothing about how much seeds vary: long has one. {ONLY}"
    )
    assert printed()[0].startswith("On pass_rate: separates 1 of 3 pairs: mixed beats base.")


def test_the_terminal_shows_pairs_and_conditions():
    lines = printed()
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]
    assert ["mixed", "base", "better", "+5.1", "< 0.001", "< 0.001", "3", "2", "apart"] in cells
    assert ["+4.8 to +5.5", "paired"] in cells
    assert ["base", "0.710", "0.030", "0.680", "0.740", "3", "0.676 to 0.744", "0.635 to 0.785"] in cells
    assert ["long", "0.765", "–¹", "0.765", "0.765", "1", "–¹", "–¹"] in cells
    # The metric has its own name back.
    assert "differences" in lines
    assert "Intervals cover the noise of seeds only." in " ".join(lines)


def test_a_pair_that_is_not_separated_says_how_many_seeds_it_would_take():
    loud = {"x": {"a": by_seed(1.0, 2.0, 3.0), "b": by_seed(2.1, 4.0, 3.0)}}
    found = pages.headline(result_of(loud))
    (pair,) = result_of(loud).compared.pairs
    assert found == (
        f"On x: cannot separate b from a: about {pair.seeds_needed} seeds of each would, and there are 3. "
        f"{ONLY}"
    )
    equal = {"x": {"a": by_seed(1.0, 2.0), "b": by_seed(2.0, 1.0)}}
    assert "their means are equal" in pages.headline(result_of(equal))


def test_two_conditions_are_conditions_and_not_models():
    two = {"pass_rate": {name: SAMPLES["pass_rate"][name] for name in ("base", "mixed")}}
    assert pages.headline(result_of(two)).startswith(
        "On pass_rate: separates the two conditions: mixed beats base by 5.1 points"
    )


def test_other_metrics_are_detail_with_the_size_of_their_family():
    both = {"y": SAMPLES["pass_rate"], "pass_rate": SAMPLES["pass_rate"]}
    text = " ".join(printed(both))
    assert "Conditions by the other metrics" in text
    assert "Detail: 1 of 3 comparisons separated, corrected for all of them together." in text
    assert "On y:" in text
    # One claim of the first metric, and none of the others above the tables.
    result = result_of(both)
    assert not [line for line in pages.verdict(result) if "beat" in line]


def test_what_the_items_alone_leave_open_has_a_column():
    sampled = {"pass_rate": {"base": {"1": SampledItems(454, 0.043)}}}
    result = result_of(sampled=sampled)
    assert pages.headline(result).endswith("454 items alone leave ±4.3 points")
    shown = pages.conditions(1, "pass_rate", result.stats["pass_rate"], result.compared)
    assert [column.title for column in shown.columns][-1] == "Items alone"
    assert (shown.rows[0][-1].text, shown.rows[0][-1].detail) == ("±0.043", "454 items")
    assert shown.rows[1][-1].reason == "the number of items is not recorded"


def test_exploration_and_tiers_out_of_order_are_said():
    result = result_of(fingerprints=("a|1|2", "b|1|2"))
    said = pages.verdict(result)
    assert said[0] == "The scoreboards are of different evals, so this is exploratory."
    rates = [{"tier1": RecordedRate(0.2), "tier3": RecordedRate(0.3 + i / 1000)} for i in range(3)]
    said = pages.verdict(result_of(levels={"base": rates}))
    assert said[0].startswith("Tiers do not order difficulty for base: passes 20.0 % in tier1")


def test_many_sentences_are_cut():
    wide = {f"c{i}": by_seed(0.5 + i / 50, 0.6 - i / 90, 0.7 + i / 30) for i in range(9)}
    said = pages.verdict(result_of({"pass_rate": wide}))
    assert sum("the 2 % rule" in line for line in said) == 6
    assert any(line.startswith("And ") and line.endswith(" more disagreements.") for line in said)


def test_runs_without_the_metric_are_said_in_words_and_in_the_table():
    samples = {"pass_rate": {"base": by_seed(0.7, None, None, 0.72, 0.74), "empty": by_seed(None)}}
    lines = printed(samples)
    assert "• base: 2 of 5 runs without pass_rate." in lines
    assert "• empty: 1 of 1 run without pass_rate." in lines
    row = next(line.split() for line in lines if line.strip().startswith("empty"))
    assert row == ["empty", "–¹", "–¹", "–¹", "–¹", "0", "–¹", "–¹"]
    assert any("no run of this condition has the metric" in line for line in lines)
    # A chart has no row for what has no seeds.
    chart = pages.chart(1, "pass_rate", result_of(samples).stats["pass_rate"])
    assert chart.title == "Mean by pass rate: 0.720"
    assert marks(chart)["value"]["name"].to_list() == ["base"]
    assert lines[0].startswith("pass_rate has values of fewer than two conditions: nothing to compare")


def marks(chart):
    """What is drawn, by the field that says where it stands."""
    return {
        layer.encoding.x.shorthand.removesuffix(":Q"): layer.data for layer in chart.draw(WIDE).layer[:-1]
    }


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_chart_names_its_conditions_and_axis_at_any_width(width):
    chart = pages.chart(1, "pass_rate", RESULT.stats["pass_rate"])
    assert chart.title == "Means of 3 conditions by pass rate: 0.710 to 0.765"
    root = ElementTree.fromstring(inline_svg(chart, width))
    shown = {"".join(text.itertext()) for text in root.iter(f"{SVG}text")}
    assert {"base", "long", "mixed", "pass_rate"} <= shown
    assert float(root.get("width")) <= width + 12


def test_a_chart_draws_every_seed_and_both_intervals():
    drawn = marks(pages.chart(1, "pass_rate", RESULT.stats["pass_rate"]))
    assert set(drawn) == {"broad_low", "low", "dot", "value"}
    assert drawn["dot"]["dot"].to_list() == [0.71, 0.74, 0.68, 0.765, 0.761, 0.79, 0.733]
    assert drawn["broad_low"]["name"].to_list() == drawn["low"]["name"].to_list() == ["base", "mixed"]
    assert drawn["value"].select("value", "broad_low", "high").row(0) == pytest.approx(
        (0.71, 0.676, 0.7845), abs=1e-3
    )


def test_a_chart_draws_the_interval_over_seeds_and_items_where_it_is_known():
    stats = {name: replace(one, ci95_items=(0.6, 0.85)) for name, one in RESULT.stats["pass_rate"].items()}
    chart = pages.chart(1, "pass_rate", stats)
    assert marks(chart)["fine_low"].select("fine_low", "fine_high").row(0) == (0.6, 0.85)
    assert chart.description.endswith("The dotted line is the 95 % interval over seeds and items.")
    assert "noise of seeds only" in chart.description


def test_the_page_and_markdown_have_a_section_for_each_metric():
    document = pages.document(RESULT)
    assert [section.title for section in document.sections] == [
        "Which conditions differ",
        "pass_rate",
        "differences",
    ]
    assert document.commands == ("tellapart bundles seeds FILE --metric pass_rate --metric differences",)
    for form in (html_document, markdown_document):
        assert "separates 1 of 3 pairs: mixed beats base" in form(document)


def test_a_page_without_pairs_has_no_differences():
    alone = result_of({"x": {"base": by_seed(0.5)}})
    assert [section.title for section in pages.document(alone).sections] == ["x"]
    assert pages.headline(alone).startswith("One condition: nothing to compare")
    assert pages.chart(1, "x", alone.stats["x"]).title == "Mean by x: 0.500"


def test_a_terminal_lists_many_pairs_by_other_metrics_only_if_they_are_separated():
    # Each condition varies in its own way: differences that are equal at every seed have no test.
    apart = {
        name: by_seed(mean, mean + step, mean - step)
        for name, mean, step in zip("abcd", (1, 1, 1, 9), (0.001, 0.002, 0.003, 0.004), strict=True)
    }
    alike = {name: by_seed(1.0, 1.1, 0.9) for name in "abcd"}
    few = printed({"m": alike, "x": apart, "y": alike})
    assert sum(line.startswith("y ") for line in few) == 6
    shown = printed({"m": alike, "x": apart, "y": alike, "z": alike})
    pairs = [
        line.split("  ")[0]
        for line in shown[shown.index("Conditions by the other metrics") :]
        if " – " in line
    ]
    assert pairs == ["x"] * 3
    assert any("15 pairs not separated and left out: add --json, or --html FILE." in line for line in shown)
    none = printed({name: alike for name in "mxyz"})
    assert not any(line.startswith("x ") for line in none)
    assert any("18 pairs not separated" in line for line in none)
    # The page has them all.
    assert len(pages.pair_tables(result_of({name: alike for name in "mxyz"}))[1].rows) == 18
