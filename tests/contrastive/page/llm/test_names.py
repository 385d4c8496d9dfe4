import polars as pl

from contrastive.page.stored_llms import LLMS, figures, items
from tellapart.contrastive.page.llm_tables import flip_lines, flips, missing_tables, stated_confidence
from tellapart.contrastive.page.sections import missing_lines
from tellapart.contrastive.page.slots import by_fifth, slot_lines
from tellapart.contrastive.page.tables import accuracy_by_level
from tellapart.contrastive.page.view import short_names


def test_providers_are_left_out():
    assert short_names(["bm25", "a/x", "openai-api/b/y", "a/x | bm25"]) == {
        "bm25": "bm25",
        "a/x": "x",
        "openai-api/b/y": "y",
        "a/x | bm25": "x | bm25",
    }


def by_writer(llm_view_of, *, sources=("acme/large", "acme/small")):
    """One matcher of summaries by two models, so that rows are named by the writers."""
    frame = items().filter(pl.col("method") == "llm")
    source = pl.col("model").replace_strict(dict(zip(LLMS, sources, strict=True)))
    changes = {"controls": {}, "swap_accuracy": {}, "agreement": [], "combined": None}
    changes["overall"] = {model: figures()["overall"][model] for model in LLMS}
    return llm_view_of(frame=frame.with_columns(source=source, matcher=pl.lit("anthropic/x")), **changes)


def test_where_rows_are_named_by_writers_the_matcher_is_said(llm_view_of):
    view = by_writer(llm_view_of)
    for found in (
        *missing_tables(view),
        by_fifth(view),
        flips(view),
        stated_confidence(view),
        accuracy_by_level(view),
    ):
        assert found.title.endswith(", matched by anthropic/x")
    (missing,) = (line for line in missing_lines(view) if line.startswith("Answers missing"))
    assert missing.startswith("Answers missing: acme/large (matched by anthropic/x) 1 parse (no JSON")
    assert "; acme/small (matched by anthropic/x) 4 refusal" in missing
    assert slot_lines(view)[0].startswith("acme/large (matched by anthropic/x) is right more often")
    first, *_, last = flip_lines(view)
    assert first.startswith("acme/large (matched by anthropic/x): asked twice")
    assert last.startswith("Whether acme/small (matched by anthropic/x) gives")
    view.report.repeats.clear()
    assert flip_lines(view)[-1].startswith("Whether anthropic/x gives the same answer")
