"""Every chart says what to conclude, names its axes, and draws what the record holds."""

from xml.etree import ElementTree

import polars as pl
import pytest

from contrastive.page.shown import words
from contrastive.page.stored_record import figures, scores, write_record
from tellapart.contrastive.page import charts, load, tables
from tellapart.contrastive.page.sections import document, headline
from tellapart.contrastive.results import SelectionBias
from tellapart.core.comparison import ComparisonSettings
from tellapart.report.charts import NARROW, WIDE, inline_svg
from tellapart.store import RunDirectory


def view_of(tmp_path, **changes):
    return load(RunDirectory.open(write_record(tmp_path / "other", report=figures() | changes)))


def everything(view):
    return {chart.name: chart for section in document(view).sections for chart in section.charts}


def test_every_chart_says_what_to_conclude(view):
    titles = {name: chart.title for name, chart in everything(view).items()}
    assert titles == {
        "accuracy": "No model falls beyond the 95 % intervals: 50–75 % right at easy, 50–75 % at hard; "
        "alpha and beta change places on the way",
        "items-needed": "Items needed to separate two models: "
        "alpha and gamma 13 and beta and gamma 25; there are 80",
        "distractor-count": "With 4 distractors, 75 % right at easy and 55 % at hard",
        "gap-distribution": "A wide gap means a right answer, for the 2 of 3 models with a value "
        "(AUROC 0.80); wrong answers crowd near zero",
        "validation-accuracy": "The original method leaves 25–75 % right and hard leaves 50–75 % right",
        "validation-needed": "Items needed by the original method and by this run (all items): "
        "alpha – beta 157 and –, alpha – gamma 22 and 13 and beta – gamma 25 and 25",
        "selection-bias": "On distractors of its own choice alpha loses 7.1 points: "
        "choose distractors with a neutral selector",
    }


AXES = {
    "accuracy": {"Level of difficulty", "Items answered right, %"},
    "items-needed": {"Level", "Items needed (log)"},
    "distractor-count": {"Distractors", "Items answered right, %"},
    "gap-distribution": {"Gap between first and second", "Items (wrong ones below)"},
    "validation-accuracy": {"Set-up", "Items answered right, %"},
    "validation-needed": {"Set-up", "Items needed (log)"},
    "selection-bias": {"Selector", "Effect on its own accuracy, points"},
}


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", AXES)
def test_every_chart_names_its_axes_at_any_width(view, name, width):
    shown = " ".join(words(everything(view)[name], width))
    assert all(axis in shown for axis in AXES[name])


@pytest.mark.parametrize("name", AXES)
def test_every_chart_fits_the_width_that_it_is_drawn_for(view, name):
    for width in (WIDE, NARROW):
        root = ElementTree.fromstring(inline_svg(everything(view)[name], width))
        assert float(root.get("width")) <= width + 12, f"{name} at {width}"


def test_accuracy_draws_points_intervals_and_chance(view):
    drawn = charts.accuracy_chart(view).draw(WIDE)
    points = next(layer.data for layer in drawn.layer if layer.mark.type == "point" and "low" in layer.data)
    found = {
        (row["line"], round(row["x"])): (row["y"], row["low"], row["high"])
        for row in points.filter(pl.col("line") != "chance").to_dicts()
    }
    assert found == {
        ("beta", 0): (50.0, 15.0, 85.0),
        ("alpha", 0): (75.0, 30.0, pytest.approx(95.4)),
        ("gamma", 0): (25.0, 25.0, 25.0),
        ("beta", 1): (75.0, 30.0, pytest.approx(95.4)),
        ("alpha", 1): (50.0, 15.0, 85.0),
    }
    chance = points.filter(line="chance")["y"].to_list()
    assert chance == [pytest.approx(20.0), pytest.approx(10.0)]


def test_models_and_chance_are_named_in_the_key(view):
    shown = words(charts.accuracy_chart(view))
    assert {"alpha", "beta", "gamma", "chance"} <= set(shown)


def test_items_needed_are_those_of_the_comparison(view):
    shown = words(charts.items_needed_chart(view.comparison, view.levels))
    # gamma answers nothing at hard, and alpha and beta score the same over all items.
    assert shown.count("not tested") == 2
    assert shown.count("no number") == 1
    assert {"13", "25", "15", "29", "35", "all", "easy", "hard"} <= set(shown)


def test_items_needed_marks_how_many_there_are(view):
    drawn = charts.items_needed_chart(view.comparison, view.levels).draw(WIDE)
    rows = {
        (panel.title.text, row["name"]): (row["there"], not row["hollow"])
        for panel in drawn.concat
        for row in panel.layer[0].data.to_dicts()
    }
    assert rows["alpha – beta", "all"] == (80, False)
    assert rows["alpha – beta", "easy"] == (40, True)
    assert rows["alpha – gamma", "all"] == (40, True)


def test_a_declared_level_stands_for_all_items(tmp_path):
    settings = ComparisonSettings(by="difficulty", primary=("difficulty", "hard"), primary_declared=True)
    found = load(RunDirectory.open(write_record(tmp_path / "r")), settings)
    chart = charts.items_needed_chart(found.comparison, found.levels)
    assert chart.title == "Items needed to separate two models: beta and alpha 35; there are 40 hard"
    assert "all" not in words(chart)
    # The same pair has the same number in the row of the level; over all looks together it would take more.
    assert words(chart).count("35") == 1 + 1
    detail = {(pair.a, pair.b, pair.stratum): pair.items_needed for pair in found.comparison.secondary.pairs}
    assert detail["alpha", "beta", "hard"] >= 35
    assert [column.title for column in tables.by_level(found.comparison, found.levels).columns] == [
        "Pair",
        "easy",
    ]


def test_gap_bars_hold_every_answer(view):
    drawn = charts.gaps_chart(view).draw(WIDE)
    alpha = drawn.concat[1].layer[0].data
    # alpha has 3 of 4 right at easy and 2 of 4 at hard.
    counts = [alpha.filter(hollow=hollow)["count"].sum() for hollow in (False, True)]
    assert counts == [5, -3]


@pytest.mark.parametrize(
    ("auroc", "title"),
    [
        (0.65, "A wide gap makes a right answer likelier, for every model (AUROC 0.65)"),
        (0.5, "The gap says little about being right, at least for some models (AUROC 0.50; 0.5 is nothing)"),
        (None, "Answers are all right or all wrong: the confidence gap cannot separate them"),
    ],
)
def test_the_heading_of_the_gaps_follows_auroc(tmp_path, auroc, title):
    gaps = {model: gap | {"auroc": auroc} for model, gap in figures()["confidence_gap"].items()}
    assert charts.gaps_chart(view_of(tmp_path, confidence_gap=gaps)).title == title


def test_models_that_score_the_same_need_no_number(tmp_path):
    alike = {level: {"alpha": 20, "beta": 20} for level in ("easy", "hard")}
    view = view_of(tmp_path)
    scores(alike).write_parquet(view.run.path / "scores.parquet")
    title = "No number of items would separate any two of these models"
    assert charts.items_needed_chart(view.comparison, view.levels).title == title
    assert charts.accuracy_chart(view).title.endswith("no two models change places beyond chance")


def test_levels_have_no_underscores_in_headings(tmp_path):
    found = {key: {"very_hard": figures()[key]["hard"]} for key in ("by_difficulty", "by_distractor_count")}
    view = view_of(tmp_path, **found)
    view.items.with_columns(level=pl.lit("very_hard")).write_parquet(view.run.path / "items.parquet")
    view = load(view.run)
    assert charts.accuracy_chart(view).title == "Accuracy at very hard, the one level that was asked"


def test_of_one_level_the_first_distractor_is_held_against_all(tmp_path):
    one = {key: {"hard": figures()[key]["hard"]} for key in ("by_difficulty", "by_distractor_count")}
    view = view_of(tmp_path, **one)
    assert charts.distractors_chart(view).title == "80 % right with 1 distractor, 40 % with 9"
    assert charts.accuracy_chart(view).title == "Accuracy at hard, the one level that was asked"


def test_of_one_model_no_items_are_needed(tmp_path):
    view = view_of(tmp_path, overall={"alpha": figures()["overall"]["alpha"]})
    scores({"easy": {"alpha": 20}}).write_parquet(view.run.path / "scores.parquet")
    assert "items-needed" not in everything(view)
    assert headline(view) == "Only alpha has a score: nothing to compare"


def biased(effect):
    return SelectionBias.model_validate({"self": {"lsa": effect}, "accuracy": {}, "n": 4})


def test_bias_without_a_determined_effect_has_no_chart():
    assert charts.bias_chart(biased({"effect": None, "ci": None, "reason": "too few models"})) is None


def test_bias_that_may_be_none_is_not_claimed():
    effect = {"effect": -0.02, "ci": [-0.05, 0.01], "reason": None}
    title = "No model is shown to be helped or hurt by distractors of its own choice"
    assert charts.bias_chart(biased(effect)).title == title


def test_a_record_without_extras_has_no_sections_for_them(tmp_path):
    bare = load(RunDirectory.open(write_record(tmp_path / "bare", extras=False)))
    assert set(everything(bare)) == {"accuracy", "items-needed", "distractor-count", "gap-distribution"}
