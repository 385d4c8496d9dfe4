import polars as pl

from contrastive.page.shown import words
from contrastive.page.stored_llms import LLMS, figures, items
from tellapart.contrastive.page.charts import accuracy_chart
from tellapart.contrastive.page.llm_tables import flip_lines, flips, missing_tables, stated_confidence
from tellapart.contrastive.page.sections import missing_lines
from tellapart.contrastive.page.slots import by_fifth, slot_lines
from tellapart.contrastive.page.tables import accuracy_by_level
from tellapart.contrastive.page.view import full_name, matched_by, short_names
from tellapart.report.charts import NARROW


def test_providers_are_left_out():
    assert short_names(["bm25", "a/x", "openai-api/b/y", "a/x | bm25"]) == {
        "bm25": "bm25",
        "a/x": "x",
        "openai-api/b/y": "y",
        "a/x | bm25": "x | bm25",
    }


def test_providers_that_tell_two_models_apart_stay():
    assert short_names(["a/x", "b/x"]) == {"a/x": "a/x", "b/x": "b/x"}


def test_the_chart_of_accuracy_names_models_without_providers(llm_view):
    assert {"bm25", "tfidf", "large", "small"} <= set(words(accuracy_chart(llm_view), NARROW))


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


def test_a_matcher_in_the_names_is_not_said_again(llm_view, llm_view_of, view):
    for shown in (llm_view, view, by_writer(llm_view_of, sources=("gpt", "qwen"))):
        assert matched_by(shown) == ""
        assert full_name(shown, shown.models[0]) == shown.models[0]
