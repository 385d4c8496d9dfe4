"""Undefined figures show as a dash with the reason, defined ones as derived by hand."""

from contrastive.page.shown import texts
from tellapart.contrastive.page import methods, tables


def test_accuracy_by_level(view):
    found = tables.accuracy_by_level(view)
    assert [column.title for column in found.columns] == ["Model", "easy", "hard"]
    assert texts(found) == [
        ["beta", "50.0 [15.0–85.0]", "75.0 [30.0–95.4]"],
        ["alpha", "75.0 [30.0–95.4]", "50.0 [15.0–85.0]"],
        ["gamma", "25.0 [no interval]", "–¹ [4 missing]"],
        ["chance", "20.0", "10.0"],
        ["distractors", "4", "9"],
        ["items", "4", "4"],
    ]
    assert found.notes()[-1] == "–¹ no answer was scored"


def test_pairs_by_level(view):
    # Of 40 items a level; the items needed are those of the comparison, and are tested where it is.
    found = tables.by_level(view.comparison, view.levels)
    by_pair = {(pair.a, pair.b, pair.stratum): pair for pair in view.comparison.secondary.pairs}
    needed = {key: str(pair.items_needed) for key, pair in by_pair.items()}
    assert texts(found) == [
        [
            "alpha – beta",
            f"● +25.0 [{needed['alpha', 'beta', 'easy']}]",
            f"● −25.0 [{needed['alpha', 'beta', 'hard']}]",
        ],
        ["alpha – gamma", f"● +55.0 [{needed['alpha', 'gamma', 'easy']}]", "–¹"],
        ["beta – gamma", f"● +30.0 [{needed['beta', 'gamma', 'easy']}]", "–¹"],
    ]
    assert found.notes() == [
        "Detail: 4 of 6 comparisons separated, corrected for all of them together. ● is separated.",
        "–¹ no item that both answered",
    ]
    assert [[cell.strong for cell in row[1:]] for row in found.rows] == [[True, True], [True, False]] * 1 + [
        [True, False]
    ]


def test_controls(view):
    found = tables.controls(view)
    assert texts(found) == [
        ["identifier", "alpha", "mostly names", "90.0 [60.0–98.0]", "15.0", "8"],
        ["shuffled", "beta", "above chance", "87.5 [53.0–98.0]", "15.0", "8"],
        ["shuffled", "alpha", "cannot tell", "12.5 [2.0–47.0]", "15.0", "8"],
        ["shuffled", "gamma", "–¹", "–²", "–²", "0"],
    ]
    assert found.notes()[-2:] == ["–¹ too few files for an interval", "–² no answer was scored"]


def test_ranks_show_what_is_missing(view):
    found = tables.ranks(
        "r", "Ranks", "level", {"hard": view.report.by_difficulty["hard"]}, ("alpha", "gamma")
    )
    assert texts(found) == [
        ["hard", "alpha", "50.0 [15.0–85.0]", "100.0", "100.0", "0.812", "1.50", "4", "0"],
        ["hard", "gamma", "–¹ [4 missing]", "–¹", "–¹", "–¹", "–¹", "0", "4"],
    ]


def test_misses_stand_beside_the_share_of_distractors(view):
    found = tables.misses(view)
    assert [column.title for column in found.columns][2:] == ["Missed", "same_file", "semantic"]
    assert texts(found) == [
        ["hard", "all distractors", "", "44.4", "55.6"],
        ["hard", "beta", "10", "75.0 [no interval]", "25.0 [5.0–45.0]"],
        ["hard", "alpha", "20", "25.0 [no interval]", "75.0 [55.0–95.0]"],
    ]


def test_distractor_counts(view):
    found = tables.distractor_counts(view)
    assert [column.title for column in found.columns] == ["Level", "Model", "1", "2", "4", "9"]
    assert texts(found) == [
        ["easy", "beta", "90.0", "80.0", "75.0", "–¹"],
        ["easy", "alpha", "90.0", "80.0", "75.0", "–¹"],
        ["easy", "gamma", "90.0", "80.0", "75.0", "–¹"],
        ["hard", "beta", "80.0", "70.0", "55.0", "40.0"],
        ["hard", "alpha", "80.0", "70.0", "55.0", "40.0"],
    ]


def test_validation(view):
    accuracies, needed = methods.validation(view.validation)
    assert [row[0].text for row in accuracies.rows] == ["original method", "its repair", "hard"]
    assert texts(accuracies)[2] == ["hard", "50.0 [15.0–85.0]", "75.0 [30.0–95.4]", "–¹ [4 missing]"]
    assert texts(needed)[0] == ["alpha – beta", "○ 157 [40]", "● 31 [40]", "● 35 [40]"]
