"""Sections and tables that a run with language models has."""

import json

from contrastive.page.shown import texts
from contrastive.page.stored_llms import requested
from tellapart.contrastive.page.sections import first_look


def test_a_terminal_shows_agreement_and_combined(llm_view):
    names = [table.name for table in first_look(llm_view)]
    assert names == ["by-fifth", "flips", "agreement", "combined", "usage"]


def test_models_that_wrote_the_summaries_come_first(llm_view_of):
    view = llm_view_of()
    wrote = {"models": {"acme/large": {"requested": requested("acme/large"), "effective": {}, "calls": 4}}}
    path = view.run.artifacts / "benchmark" / "llm" / "models.json"
    path.parent.mkdir()
    path.write_text(json.dumps(wrote), encoding="utf-8")
    found = [(row[0], row[1], row[3]) for row in texts(first_look(view)[-1])]
    assert found == [
        ("acme/large", "summaries", "4"),
        ("acme/large", "options", "31 [3 failed]"),
        ("acme/small", "options", "32"),
    ]
