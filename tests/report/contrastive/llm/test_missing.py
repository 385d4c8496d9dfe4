"""Missing is not wrong: counted by cause and kind, with bounds."""

import pytest

from report.contrastive.shown import texts
from report.contrastive.stored_llms import by_difficulty, missing, pairs
from report.stored_record import pair, scored
from tellapart.report.contrastive import tables
from tellapart.report.contrastive.llm.missing import bounds, causes, missing_tables
from tellapart.report.contrastive.verdict import Status, compared, headline, verdict


def test_accuracy_stands_beside_what_is_missing_and_its_bounds(llm_view):
    found = tables.accuracy_by_level(llm_view)
    assert texts(found)[2:4] == [
        [
            "acme/large",
            "50.0 [15.0–85.0; 2 missing; [43.8–56.2]]",
            "25.0 [5.0–70.0; 2 missing; [18.8–31.2]]",
        ],
        ["acme/small", "100.0 [51.0–100.0]", "100.0 [44.0–100.0; 4 missing; [75.0–100.0]]"],
    ]
    assert found.note.endswith("accuracy if all of them were wrong, and if all were right.")


def test_without_language_models_accuracy_has_no_bounds(view):
    assert texts(tables.accuracy_by_level(view))[2] == ["gamma", "25.0 [no interval]", "–¹ [4 missing]"]
    assert missing_tables(view) == []


def test_bounds_count_items_and_answers(llm_view):
    assert texts(bounds(llm_view)) == [
        ["bm25", "50.0", "50.0", "50.0", "8 of 8", "0 of 8", "–¹"],
        ["tfidf", "50.0", "50.0", "50.0", "8 of 8", "0 of 8", "–¹"],
        ["acme/large", "37.5", "31.2", "43.8", "8 of 8", "4 of 32", "3"],
        ["acme/small", "100.0", "87.5", "100.0", "7 of 8", "4 of 32", "0"],
    ]


def test_causes_have_a_row_a_kind(llm_view):
    # Of 32 askings each.
    assert texts(causes(llm_view)) == [
        ["acme/large", "provider", "rate limit, 429", "2", "6.2"],
        ["acme/large", "parse", "no JSON in the reply", "1", "3.1"],
        ["acme/large", "provider", "server error, 5xx", "1", "3.1"],
        ["acme/small", "refusal", "declined to answer", "4", "12.5"],
    ]


def test_where_all_was_answered_there_is_nothing_to_say(llm_view_of):
    whole = {model: scored(0.5, [0.2, 0.8], n=8) for model in ("bm25", "tfidf", "acme/large", "acme/small")}
    view = llm_view_of(overall=whole, repaired={"acme/large": 0})
    assert missing_tables(view) == []
    view.figures["repaired"]["acme/large"] = 1
    assert [table.name for table in missing_tables(view)] == ["bounds"]


@pytest.mark.parametrize(("low", "expected"), [(0.6, Status.WITHHELD), (0.61, Status.APART)])
def test_missing_askings_withhold_a_verdict_though_every_item_has_a_score(low, expected):
    # a has .7 and at worst low; b has .5 and at best .6, for some of its askings are missing.
    models = {
        "a": missing(0.7, None, [low, 0.8], {"provider": 1}, n=8),
        "b": missing(0.5, None, [0.4, 0.6], {"provider": 1}, n=8),
    }
    found = pair("a", "b", 0.2, [0.1, 0.3], 0.01)
    assert compared({"hard": [found]}, {"hard": models})[0].status is expected


def test_the_headline_says_that_verdicts_are_withheld(llm_view_of):
    levels = by_difficulty()
    for level in levels.values():
        for figures in level.values():
            figures |= {"askings_missing": 1, "accuracy_bounds": [0.0, 1.0]}
    view = llm_view_of(by_difficulty=levels, pairs=pairs() | {"overall": []})
    assert headline(view) == (
        "No two models are told apart at any level, with 4 items a level; the verdict is withheld for 5 pairs"
    )
    assert verdict(view)[0] == (
        "acme/large – acme/small: withheld at easy and hard (answers are missing, and they could change the "
        "order)."
    )
