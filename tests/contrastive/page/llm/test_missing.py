"""Missing is not wrong: counted by cause and kind, with bounds."""

from dataclasses import replace

import polars as pl

from contrastive.page.shown import texts
from contrastive.page.stored_llms import scores_of
from contrastive.page.stored_record import scored
from tellapart.contrastive.page import tables
from tellapart.contrastive.page.llm_tables import bounds, causes, missing_tables
from tellapart.contrastive.page.sections import headline
from tellapart.core.comparison import Verdict, compare
from tellapart.core.scores import ScoreTable
from tellapart.report import comparison as block


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
    view.report.repaired["acme/large"] = 1
    assert [table.name for table in missing_tables(view)] == ["bounds"]


def test_missing_askings_withhold_a_verdict_though_every_item_has_a_score():
    # Of 40 items that both answered a is right on 30 and b on 20; half of a's askings are missing, so that at
    # worst it is right as often as on 15 of them.
    rows = [
        {"model": model, "item": f"easy/{i}", "level": "easy", "path": f"{i}.py", "replicate": replicate}
        | {"correct": None if lost else float(i < right), "missing": "provider" if lost else None}
        for model, right in (("a", 30), ("b", 20))
        for i in range(40)
        for replicate, lost in ((0, False), (1, model == "a"))
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    (pair,) = compare(ScoreTable.from_frame(scores_of(frame))).primary.pairs
    assert (pair.n, pair.difference, pair.p_adjusted < 0.05) == (40, 0.25, True)
    assert pair.verdict is Verdict.WITHHELD


def test_the_headline_says_that_verdicts_are_withheld(llm_view):
    assert "Withholds a verdict" not in headline(llm_view)
    held = [replace(pair, verdict=Verdict.WITHHELD) for pair in llm_view.comparison.primary.pairs]
    family = replace(llm_view.comparison.primary, pairs=tuple(held))
    assert block.headline(replace(llm_view.comparison, primary=family)) == (
        "Separates none of 6 pairs. Withholds a verdict for 6 pairs: missing scores could turn the order "
        "around"
    )
