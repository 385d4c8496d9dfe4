"""Summaries by several writers."""

from contrastive.page.shown import texts
from tellapart.contrastive.page.llm_tables import writers
from tellapart.contrastive.page.sections import document


def of_source(n=10, leaked=0, **missing):
    return {"n": n, "missing": missing, "names_leaked": leaked, "mean_characters": 40.6 if n else None}


def test_summaries_are_counted_with_what_is_missing_and_what_leaks(llm_view_of):
    view = llm_view_of(summaries={"a": of_source(8, 2, refusal=1, truncated=1), "b": of_source(0, parse=10)})
    view.header.counts["names_leaked_ordinary"] = {"a": 1, "b": 0}
    found = writers(view)
    assert [column.title for column in found.columns] == [
        "Summaries by",
        "Written",
        "Missing: parse",
        "Missing: refusal",
        "Missing: truncated",
        "That name the unit",
        "Of all, %",
        "Mean characters",
    ]
    assert texts(found) == [
        ["a", "8", "0", "1", "1", "2 [1 by a common word]", "25.0", "41"],
        ["b", "0", "10", "0", "0", "0", "–¹", "–¹"],
    ]
    assert "summaries" in [section.name for section in document(view).sections]
