"""Undefined figures show as a dash with the reason, defined ones as derived by hand."""

from report.contrastive.shown import texts
from tellapart.report.contrastive import details, extras, tables
from tellapart.report.contrastive.verdict import comparisons


def test_accuracy_by_level(view):
    found = tables.accuracy_by_level(view)
    assert [column.title for column in found.columns] == ["model", "easy", "hard"]
    assert texts(found) == [
        ["beta", "50.0 [15.0–85.0]", "75.0 [30.0–95.4]"],
        ["alpha", "75.0 [30.0–95.4]", "50.0 [15.0–85.0]"],
        ["gamma", "25.0 [no interval]", "–¹ [4 missing]"],
        ["chance", "20.0", "10.0"],
        ["distractors", "4", "9"],
        ["items", "4", "4"],
    ]
    assert found.notes()[-1] == "–¹ no answer was scored"


def test_items_needed(view):
    found = tables.items_needed(comparisons(view))
    assert texts(found) == [
        ["alpha – beta", "● 60 [20–700]", "● 50 [18–650]"],
        ["alpha – gamma", "● 15 [≥8]", "–¹"],
        ["beta – gamma", "○ >100,000 [≥250]", "–²"],
    ]
    assert found.notes()[1:] == [
        "–¹ no item that both answered",
        "–² no number of items would: the two score the same",
    ]
    assert [[cell.strong for cell in row[1:]] for row in found.rows] == [
        [True, True],
        [True, False],
        [False, False],
    ]


def test_differences(view):
    assert texts(tables.differences(view)) == [
        ["alpha – beta", "easy", "told apart", "+25.0 [+5.0 to +45.0]", "0.020", "0.015", "4"],
        ["alpha – beta", "hard", "told apart", "−25.0 [−45.0 to −5.0]", "0.030", "0.040", "4"],
        ["alpha – gamma", "easy", "told apart", "+50.0 [+10.0 to +90.0]", "< 0.001", "–¹", "4"],
        ["alpha – gamma", "hard", "not tested", "–²", "–²", "–²", "0"],
        ["beta – gamma", "easy", "not told apart", "+25.0 [−10.0 to +60.0]", "0.300", "–¹", "4"],
        ["beta – gamma", "hard", "not told apart", "0.0 [−30.0 to +30.0]", "1.000", "–¹", "4"],
    ]


def test_controls(view):
    found = tables.controls(view)
    assert texts(found) == [
        ["identifier", "alpha", "above chance", "90.0 [60.0–98.0]", "15.0", "8"],
        ["shuffled", "beta", "above chance", "87.5 [53.0–98.0]", "15.0", "8"],
        ["shuffled", "alpha", "at chance", "12.5 [2.0–47.0]", "15.0", "8"],
        ["shuffled", "gamma", "–¹", "–²", "–²", "0"],
    ]
    assert found.notes()[-2:] == ["–¹ too few files for an interval", "–² no answer was scored"]


def test_ranks_show_what_is_missing(view):
    found = tables.ranks(
        "r", "Ranks", "level", {"hard": view.figures["by_difficulty"]["hard"]}, ("alpha", "gamma")
    )
    assert texts(found) == [
        ["hard", "alpha", "50.0 [15.0–85.0]", "100.0", "100.0", "0.812", "1.50", "4", "0"],
        ["hard", "gamma", "–¹ [4 missing]", "–¹", "–¹", "–¹", "–¹", "0", "4"],
    ]


def test_swaps(view):
    found = tables.swaps(view)
    assert [column.title for column in found.columns] == ["model", "all swaps", "number", "opposite", "n"]
    assert texts(found) == [
        ["beta", "50.0 [20.0–80.0]", "–¹", "50.0 [n 3]", "3"],
        ["alpha", "50.0 [20.0–80.0]", "50.0 [n 3]", "–¹", "3"],
    ]


def test_difficulty_counts_and_shares(view):
    assert texts(details.difficulty(view)) == [["trivial", "0", "6", "75.0"], ["easy", "4", "2", "25.0"]]


def test_distractors(view):
    assert texts(details.distractors(view)) == [
        ["easy", "0.084", "0", "16", "0"],
        ["hard", "–¹", "16", "0", "20"],
    ]


def test_distractor_counts(view):
    found = details.distractor_counts(view)
    assert [column.title for column in found.columns] == ["level", "model", "1", "2", "4", "9"]
    assert texts(found) == [
        ["easy", "beta", "90.0", "80.0", "75.0", "–¹"],
        ["easy", "alpha", "90.0", "80.0", "75.0", "–¹"],
        ["easy", "gamma", "90.0", "80.0", "75.0", "–¹"],
        ["hard", "beta", "80.0", "70.0", "55.0", "40.0"],
        ["hard", "alpha", "80.0", "70.0", "55.0", "40.0"],
    ]


def test_gaps(view):
    assert texts(details.gaps(view)) == [
        ["beta", "5.33", "–¹", "–²", "–³", "–⁴"],
        ["alpha", "5.33", "0.0471", "0.800", "0.500", "0.060"],
        ["gamma", "5.33", "0.0471", "0.800", "0.500", "0.060"],
    ]


def test_bias(view):
    effects, accuracies = extras.bias(view.bias)
    assert texts(effects) == [["alpha", "−7.1 [−10.0 to −4.2]"], ["beta", "–¹"]]
    assert effects.notes()[1:] == ["–¹ needs at least three models and a second selector"]
    assert texts(accuracies) == [["alpha", "30.0", "40.0"], ["fusion", "50.0", "45.0"]]


def test_validation(view):
    accuracies, needed = extras.validation(view.validation)
    assert [row[0].text for row in accuracies.rows] == ["baseline", "phase1", "hard"]
    assert texts(accuracies)[2] == ["hard", "50.0 [15.0–85.0]", "75.0 [30.0–95.4]", "–¹ [4 missing]"]
    assert texts(needed)[0] == ["alpha – beta", "○ 600 [≥90]", "● 60 [20–700]", "● 50 [18–650]"]
