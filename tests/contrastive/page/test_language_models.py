"""What the report says of language models: places, changes, what is missing, and who wrote."""

from dataclasses import replace

import polars as pl
import pytest

from contrastive.page.shown import texts
from tellapart.contrastive.llm_figures import WrittenSummaries
from tellapart.contrastive.page.browser import items_data
from tellapart.contrastive.page.language_models import (
    combined,
    flips,
    missing_lines,
    slot_lines,
    writers,
)
from tellapart.contrastive.page.report import document
from tellapart.contrastive.page.view import reasons_of
from tellapart.contrastive.slots import Fifth, SlotResult, SlotTest

OVERLAP, HASTY = "offline/overlap", "offline/hasty"


def with_tests(view, **tests):
    """The same with other tests of the slot, by p."""
    slots, empty = {}, {"n": 0, "right_ci": None, "picked": None, "picked_ci": None}
    fifths = [Fifth(right=right, **empty) for right in (2 / 3, None, 1.0, None, 1 / 3)]
    for model, p in tests.items():
        test = SlotTest(p=p, z=dict.fromkeys(("first", "last", "trend", "ends"), 0.0), draws=9, reason=None)
        slots[f"offline/{model}"] = SlotResult(fifths=fifths, test=test)
    return replace(view, report=view.report.model_copy(update={"slots": slots}))


def test_a_preference_that_holds_is_said_with_the_accuracy_in_each_fifth(llm_view):
    assert slot_lines(with_tests(llm_view, overlap=0.0004)) == [
        f"Where the target stands matters to {OVERLAP}: right, from the first fifth of the list to the last, "
        "67 %, –, 100 %, –, 33 %."
    ]


def test_what_is_missing_and_what_was_not_asked_is_said(llm_view):
    lost, unasked = missing_lines(llm_view)
    rows = llm_view.items.filter(pl.col("model") == HASTY)
    assert 0 < rows["missing"].count() < rows.height
    assert lost.startswith(f"Answers missing: {HASTY} parse (")
    assert sum(reasons_of(llm_view, HASTY).values()) == rows["missing"].count()
    assert (
        unasked
        == f"{OVERLAP} and {HASTY} were not asked the items of pool: no prompt holds that many options."
    )
    assert texts(flips(llm_view))[0][:4] == [OVERLAP, "twice in the same order", "24", "0"]


def test_both_kinds_of_models_are_held_beside_one_another(llm_view):
    ((source, *_, items, missing),) = texts(combined(llm_view))
    assert (source, int(items) + int(missing)) == ("docstring", 36)


def test_summaries_are_counted_with_what_is_missing(llm_view):
    summaries = {
        "a": WrittenSummaries(n=8, missing={"refusal": 1, "truncated": 1}, mean_characters=40.6),
        "b": WrittenSummaries(n=0, missing={"parse": 10}, mean_characters=None),
    }
    view = replace(llm_view, report=llm_view.report.model_copy(update={"summaries": summaries}))
    assert texts(writers(view)) == [["a", "8", "0", "1", "1", "41"], ["b", "0", "10", "0", "0", "–¹"]]


def test_without_embedding_models_there_is_no_empty_table_or_chart(llm_view):
    items = llm_view.items.filter(pl.col("method") == "llm")
    empty = {"controls": {}, "swap_accuracy": {}, "combined": None}
    overall = {model: llm_view.report.overall[model] for model in (OVERLAP, HASTY)}
    levels = {
        level: {model: result for model, result in by_model.items() if model != "bm25"}
        for level, by_model in llm_view.report.by_difficulty.items()
        if level != "pool"
    }
    report = llm_view.report.model_copy(update=empty | {"overall": overall, "by_difficulty": levels})
    shown = document(replace(llm_view, items=items, report=report))
    assert {"slots", "language-models"} < {section.name for section in shown.sections}
    assert not {"checks", "combined"} & {section.name for section in shown.sections}
    assert all(table.rows for section in shown.sections for table in (*section.tables, *section.folded))


def test_the_browser_has_every_asking_and_one_answer_an_item(llm_view):
    data = items_data(llm_view)
    assert data["askings"][0] is None
    first = data["items"][0][0]
    rows = llm_view.items.filter(pl.col("model") == OVERLAP, pl.col("item") == first).sort("replicate")
    assert [asking[:3] for asking in data["askings"][1][0]] == [
        [i // 2, i % 2, slot] for i, slot in enumerate(rows["slot"])
    ]
    correct, rank, *_, best = data["answers"][1][0]
    assert (correct, rank) == (rows["correct"].mean(), pytest.approx(rows["rank"].mean(), abs=0.01))
    assert best in rows["best_distractor"].to_list()
    assert set(map(len, (data["items"], *data["answers"], *data["askings"][1:]))) == {36}
