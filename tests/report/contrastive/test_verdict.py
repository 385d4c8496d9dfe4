import pytest

from report.stored_record import figures, pair, scored, write_record
from tellapart.report.contrastive import load
from tellapart.report.contrastive.verdict import Status, compared, comparisons, headline, sharpest, verdict
from tellapart.store import RunDirectory


def judged(found, **models):
    return compared({"hard": [found]}, {"hard": models})[0].status


def view_of(tmp_path, **changes):
    return load(RunDirectory.open(write_record(tmp_path / "other", report=figures() | changes)))


@pytest.mark.parametrize(
    ("p", "expected"), [(0.049, Status.APART), (0.05, Status.NOT_APART), (None, Status.UNKNOWN)]
)
def test_p_after_holm_decides(p, expected):
    models = {"a": scored(0.8, None), "b": scored(0.4, None)}
    assert judged(pair("a", "b", 0.4, [0.1, 0.7], p), **models) is expected


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        # a has 8 of 10 right. With 2 of b's 10 missing, b has 6 to 8 of 10: the order could be a tie.
        (2, Status.WITHHELD),
        # With 1 missing, b has 6 to 7 of 9 or 10: a stays ahead.
        (1, Status.APART),
    ],
)
def test_a_verdict_that_missing_answers_could_turn_is_withheld(missing, expected):
    models = {
        "a": scored(0.8, None, n=10),
        "b": scored(6 / (10 - missing), None, n=10 - missing, missing=missing),
    }
    assert judged(pair("a", "b", 0.2, [0.1, 0.3], 0.01), **models) is expected
    assert judged(pair("b", "a", -0.2, [-0.3, -0.1], 0.01), **models) is expected


def test_pairs_are_judged_level_by_level(view):
    assert [(one.pair, one.level, one.status, one.leader) for one in comparisons(view)] == [
        ("alpha – beta", "easy", Status.APART, "alpha"),
        ("alpha – beta", "hard", Status.APART, "beta"),
        ("alpha – gamma", "easy", Status.APART, "alpha"),
        ("alpha – gamma", "hard", Status.UNKNOWN, None),
        ("beta – gamma", "easy", Status.NOT_APART, "beta"),
        ("beta – gamma", "hard", Status.NOT_APART, None),
    ]


def test_the_headline_names_the_level_that_tells_most_apart(view):
    assert headline(view) == "2 of 3 pairs of models are told apart at easy, with 4 items a level"


def test_each_pair_has_a_sentence_and_troubles_follow(view):
    assert verdict(view) == [
        "alpha – beta: alpha leads at easy by 25.0 points; beta leads at hard by 25.0 points.",
        "alpha – gamma: alpha leads at easy by 50.0 points; not tested at hard (both answered too few items "
        "or files).",
        "Told apart at no level: beta – gamma (would need >100,000 items at easy).",
        "Check the benchmark: with shuffled summaries beta is not at chance.",
        "Answers missing: gamma 4 timeout.",
    ]


def test_of_two_models_the_headline_says_so(tmp_path):
    alone = {level: found[:1] for level, found in figures()["pairs"].items()}
    view = view_of(tmp_path, pairs=alone)
    assert headline(view) == "The two models are told apart at easy and hard, with 4 items a level"
    assert sharpest(view) == "hard"


def test_one_model_has_nothing_to_be_told_apart_from(tmp_path):
    view = view_of(tmp_path, pairs={"easy": [], "hard": []}, overall={"alpha": scored(0.5, None)})
    assert headline(view) == "There is one model, alpha: nothing to tell apart"
    assert verdict(view) == ["Check the benchmark: with shuffled summaries beta is not at chance."]


def test_when_no_two_are_told_apart_the_headline_says_so(tmp_path):
    none = {level: [pair("alpha", "beta", 0.0, [-0.2, 0.2], 1.0)] for level in ("easy", "hard")}
    view = view_of(tmp_path, pairs=none)
    assert headline(view) == "No two models are told apart at any level, with 4 items a level"
    assert verdict(view)[0] == "Told apart at no level: alpha – beta (no number of items would)."


def test_many_pairs_are_told_at_the_sharpest_level_only(tmp_path):
    names = [f"m{i}" for i in range(6)]
    models = {name: scored(i / 10, None) for i, name in enumerate(names)}
    # Neighbours are not told apart; at hard all others are, at easy none.
    found = {
        level: [
            pair(a, b, (i - j) / 10, [-1, 1], 0.01 if level == "hard" and j - i > 1 else 0.5)
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i < j
        ]
        for level in ("easy", "hard")
    }
    view = view_of(
        tmp_path, pairs=found, overall=models, by_difficulty={"easy": models, "hard": models}, controls={}
    )
    assert headline(view) == "10 of 15 pairs of models are told apart at hard, with 4 items a level"
    assert verdict(view) == [
        "m5 is ahead of m0, m1, m2 and m3 at hard.",
        "m4 is ahead of m0, m1 and m2 at hard.",
        "m3 is ahead of m0 and m1 at hard.",
        "m2 is ahead of m0 at hard.",
        "Not told apart at hard: m0 – m1, m1 – m2, m2 – m3, m3 – m4, m4 – m5.",
    ]
