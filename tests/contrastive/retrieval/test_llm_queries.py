"""Language models that write queries."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai.model import ModelOutput

from tellapart.contrastive.retrieval.llm_queries import (
    LONGEST,
    WrittenQueries,
    wrong_with,
)
from tellapart.contrastive.retrieval.queries import KINDS, Queries
from tellapart.contrastive.retrieve_run import (
    QUERIES,
    RetrievalSettings,
    estimate_query_cost,
    retrieve,
)
from tellapart.llm.models import LanguageModel
from tellapart.llm.quoting import material_of
from tellapart.offline import respond
from tellapart.offline.contrastive import searcher


def stored_queries(run):
    return Queries.from_frame(run.frame(QUERIES))


@pytest.fixture
def asked():
    """Prompts of ``offline/asker``, which searches as ``offline/searcher`` does, but refuses to for a fig."""
    prompts = []

    @respond("asker")
    def asker(prompt):
        prompts.append(prompt)
        if "fig" in material_of(prompt):
            return ModelOutput.from_content("asker", "No.", "content_filter")
        return searcher(prompt)

    return prompts


def test_one_call_a_unit_gives_all_kinds_and_a_refusal_none(asked, searched, tmp_path):
    settings = RetrievalSettings(["bm25"], LanguageModel("offline/asker"))
    assert estimate_query_cost(searched, settings, None)["offline/asker"].questions == 6
    run = retrieve(searched, settings, out=tmp_path / "run")
    assert len(asked) == 6
    queries = stored_queries(run)
    assert {query.kind for query in queries.by_id.values()} == set(KINDS)
    assert queries.missing_by_kind() == {kind: {"refusal": 1} for kind in KINDS}
    figures = json.loads((run.artifacts / "report.json").read_text())["queries"]
    assert (figures["source"], figures["by_kind"]["vague"]) == ("offline/asker", 5)
    # The journal of this run answers for another.
    again = retrieve(searched, replace(settings, models=["lsa"], reuse=run.path), out=tmp_path / "again")
    assert (stored_queries(again).by_id, len(asked)) == (queries.by_id, 6)


@pytest.mark.parametrize(
    ("text", "fault"),
    [("how to", None), ("?!", "no word"), ("x" * (LONGEST + 1), "201 characters"), ("```x```", "code")],
)
def test_replies_that_are_no_queries(text, fault):
    found = wrong_with(WrittenQueries(**dict.fromkeys(KINDS, "fine") | {"integration": text}))
    assert found is None if fault is None else "'integration'" in found and fault in found
