"""What the report says of language models: places, changes, what is missing, and who wrote."""

from dataclasses import replace

import polars as pl
import pytest

from tellapart.contrastive.page.browser import items_data
from tellapart.contrastive.page.report import document

OVERLAP, HASTY = "offline/overlap", "offline/hasty"


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
