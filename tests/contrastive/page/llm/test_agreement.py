"""Language models beside embedding models: agreement, combined ranks, confidence."""

import polars as pl

from contrastive.page.shown import texts
from contrastive.page.stored_llms import figures, items
from tellapart.contrastive.page.llm_tables import agreement, combined


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
