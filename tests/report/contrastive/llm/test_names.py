from report.contrastive.shown import words
from tellapart.report.charts import NARROW
from tellapart.report.contrastive.charts import accuracy_chart
from tellapart.report.contrastive.llm.names import short_names


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
