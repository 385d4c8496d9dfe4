"""Language models beside embedding models: agreement, combined ranks, confidence."""

import polars as pl

from contrastive.page.shown import texts
from contrastive.page.stored_llms import figures, items
from tellapart.contrastive.page.llm_tables import agreement, combined


def test_agreement_gives_shares_of_the_items_that_both_answered(llm_view):
    # Of 8 items: 4 with the same choice, 2 both right, 1 and 2 only one, 3 both wrong.
    assert texts(agreement(llm_view)) == [
        ["acme/large", "bm25", "50.0", "0.25", "25.0", "12.5", "25.0", "37.5", "8"],
        ["acme/small", "bm25", "50.0", "–¹", "25.0", "12.5", "25.0", "37.5", "8"],
    ]


def test_of_several_writers_each_has_its_rows(llm_view_of):
    frame = pl.concat(
        items().with_columns(source=pl.lit(source), model=pl.format("{} | {}", pl.lit(source), "model"))
        for source in ("gpt", "qwen")
    )
    both = figures()["agreement"][0]
    pairs = [
        both | {"llm": f"{source} | acme/large", "embedding": f"{source} | bm25"}
        for source in ("gpt", "qwen")
    ]
    of_source = figures()["combined"]["docstring"]
    view = llm_view_of(frame=frame, agreement=pairs, combined={"gpt": of_source, "qwen": of_source})
    found = agreement(view)
    assert [column.title for column in found.columns][:3] == [
        "Summaries",
        "Language model",
        "Embedding model",
    ]
    assert [column.numeric for column in found.columns][:4] == [False, False, False, True]
    assert [row[:4] for row in texts(found)] == [
        ["gpt", "acme/large", "bm25", "50.0"],
        ["qwen", "acme/large", "bm25", "50.0"],
    ]
    assert [row[0] for row in texts(combined(view))] == ["gpt", "qwen"]


def test_combined_is_the_mean_of_both_kinds(llm_view):
    assert texts(combined(llm_view)) == [["docstring", "0.700", "0.800", "0.750", "8", "0"]]
