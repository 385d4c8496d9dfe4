"""Answers that nobody was asked for are no failures of the model."""

import polars as pl

from contrastive.page.stored_llms import items
from tellapart.contrastive.page.sections import missing_lines
from tellapart.contrastive.page.view import NO_SUMMARY, reasons_of


def test_a_target_without_a_summary_is_told_from_a_refusal(llm_view_of):
    last = pl.col("item") == items()["item"].last()
    unasked = last & (pl.col("replicate") < 2) & (pl.col("model") == "acme/small")
    # Of four that acme/small declined, two were not put to it.
    frame = items().with_columns(
        pl.when(~unasked).then(pl.col(name)).alias(name) for name in ("slot", "order", "failure")
    )
    view = llm_view_of(frame=frame)
    assert reasons_of(view, "acme/small") == [
        ("refusal", NO_SUMMARY, 2),
        ("refusal", "declined to answer", 2),
    ]
    assert f"acme/small 4 refusal ({NO_SUMMARY}: 2; declined to answer: 2)." in "\n".join(missing_lines(view))


def test_embedding_models_have_no_slots_and_keep_their_causes(llm_view_of):
    bm25 = pl.col("model") == "bm25"
    frame = items().with_columns(pl.when(bm25).then(pl.lit("timeout")).otherwise("missing").alias("missing"))
    assert reasons_of(llm_view_of(frame=frame), "bm25") == [("timeout", None, 8)]
