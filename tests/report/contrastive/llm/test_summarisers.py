"""Summaries by several writers, and leaks of names that could explain a lead."""

import pytest

from report.contrastive.shown import texts
from report.contrastive.stored_llms import MODELS, items, pairs
from report.stored_record import header, pair
from tellapart.report.contrastive.llm.summarisers import leak_lines, written
from tellapart.report.contrastive.sections import document


def of_source(n=10, leaked=0, **missing):
    return {"n": n, "missing": missing, "names_leaked": leaked, "mean_characters": 40.6 if n else None}


def two_writers(llm_view_of, first, second, gap, p=0.01, matcher="bm25"):
    """Models bm25 and tfidf as two writers, ``first`` and ``second``, with the same matcher."""
    frame = items()
    names = dict(zip(MODELS, ("first", "second", "third", "fourth"), strict=True))
    frame = frame.with_columns(
        source=frame["model"].replace(names), matcher=frame["model"].replace("tfidf", matcher)
    )
    one = [pair("bm25", "tfidf", gap, [gap - 0.1, gap + 0.1], p, 50, (20, 400))]
    found = {level: one for level in pairs()} | {"overall": []}
    return llm_view_of(frame=frame, pairs=found, summaries={"first": first, "second": second})


def test_summaries_are_counted_with_what_is_missing_and_what_leaks(llm_view_of):
    view = llm_view_of(summaries={"a": of_source(8, 2, refusal=1, truncated=1), "b": of_source(0, parse=10)})
    view.header["counts"]["names_leaked_ordinary"] = {"a": 1, "b": 0}
    found = written(view)
    assert [column.title for column in found.columns] == [
        "summaries by",
        "written",
        "missing: parse",
        "missing: refusal",
        "missing: truncated",
        "that name the unit",
        "of all, %",
        "mean characters",
    ]
    assert texts(found) == [
        ["a", "8", "0", "1", "1", "2 [1 by a common word]", "25.0", "41"],
        ["b", "0", "10", "0", "0", "0", "–¹", "–¹"],
    ]
    assert "summaries" in [section.name for section in document(view).sections]


def test_summaries_that_no_language_model_wrote_have_no_section(llm_view):
    assert header()["counts"] == {"targets": 4, "units": 12}
    assert written(llm_view) is None
    assert "summaries" not in [section.name for section in document(llm_view).sections]


@pytest.mark.parametrize(
    ("leaked", "said"),
    [
        # A tenth of the summaries leaks: a lead of 10 points could come from that.
        ((1, 0), True),
        # The one that is behind leaks as much.
        ((1, 1), False),
        ((0, 1), False),
    ],
)
def test_a_lead_that_leaks_could_explain_is_cautioned(llm_view_of, leaked, said):
    view = two_writers(llm_view_of, of_source(leaked=leaked[0]), of_source(leaked=leaked[1]), 0.1)
    expected = (
        "Careful: 1 of 10 summaries by first name the unit, 0 of 10 by second; a lead of up to 10.0 points "
        "(hard) could come from that alone."
    )
    assert leak_lines(view) == ([expected] if said else [])


def test_a_lead_beyond_what_leaks_could_give_is_not(llm_view_of):
    assert leak_lines(two_writers(llm_view_of, of_source(leaked=1), of_source(), 0.11)) == []


def test_who_is_not_told_apart_has_no_lead(llm_view_of):
    assert leak_lines(two_writers(llm_view_of, of_source(leaked=5), of_source(), 0.1, p=0.5)) == []


def test_models_that_differ_in_the_matcher_too_are_not_compared_by_leaks(llm_view_of):
    view = two_writers(llm_view_of, of_source(leaked=5), of_source(), 0.1, matcher="tfidf")
    assert leak_lines(view) == []
