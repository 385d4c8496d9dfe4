"""Queries from code, the rule that keeps out summaries' own texts, and files of queries."""

import json
import re
from dataclasses import replace

import pytest

from contrastive.fakes import make_benchmark, make_unit
from tellapart.contrastive.retrieval.offline_queries import offline_queries
from tellapart.contrastive.retrieval.queries import (
    KINDS,
    Queries,
    Query,
    query_lines,
    read_queries,
    repeats,
    usable,
)
from tellapart.errors import InputError

REMOVE = make_unit(
    "remove_user",
    path="app/accounts.py",
    parameters=("user", "force"),
    return_type="bool",
    docstring="Take a person out of the register.\n\nMore.",
    content="""def remove_user(user, force) -> bool:
    # noqa: E501
    # Sessions end first, so that
    # nobody stays logged in.
    if not user:
        log("nothing to be done here")
        raise ValueError(f"Unable to remove {user!r}: no such account")
""",
)
CALLER = make_unit(
    "clean_up",
    20,
    path="app/jobs.py",
    content="def clean_up():\n    accounts.remove_user(find_user(), True)\n",
)
OTHER = make_unit("find_user", 40, path="app/jobs.py", content="def find_user():\n    registry.clean_up()\n")
SETS = [("easy", "remove_user", ["clean_up"]), ("easy", "clean_up", ["find_user"])]


def benchmark(*summaries):
    return make_benchmark(
        [REMOVE, CALLER, OTHER], list(summaries) or [("remove_user", "a", "Removes it.")], SETS
    )


def texts_of(queries, unit):
    return {query.kind: query.text for query in queries.by_id.values() if query.unit == unit.id}


def test_queries_from_what_is_in_the_code():
    queries = offline_queries(benchmark())
    assert texts_of(queries, REMOVE) == {
        "vague": "user accounts",
        "doc_conceptual": "Take a person out of the register.",
        "doc_api_lookup": "remove user user force bool",
    }
    # What has no parameters has nothing to look up.
    assert texts_of(queries, CALLER) == {"vague": "clean jobs"}
    assert queries.missing_by_kind()["doc_best_practice"] == {"infeasible": 2}
    assert len(queries.by_id) + len(queries.missing) == 2 * len(KINDS)


def test_docstrings_make_no_queries_where_they_are_summaries():
    queries = offline_queries(benchmark(("remove_user", "docstring", "Take a person out.")))
    assert "doc_conceptual" not in texts_of(queries, REMOVE)


@pytest.mark.parametrize(
    ("query", "summary", "same"),
    [
        ("Take a person out!", "take a person out", True),
        ("take a person out", "First, take a person out of the register", True),
        ("take a person", "First, take a person out", False),
        ("person", "Person.", True),
        ("how to take a person out of it", "Take a person out", True),
        ("aperson out of the", "Take a person out of the register", False),
    ],
)
def test_what_is_the_text_of_a_summary(query, summary, same):
    assert repeats(query, summary) is same


def test_a_summary_s_text_is_asked_of_no_writer():
    found = usable(
        benchmark(("remove_user", "a", "Removes a user for good."), ("remove_user", "b", "Another text.")),
        [Query(REMOVE.id, "vague", "removes a user"), Query(REMOVE.id, "vague", "removes a user for good")],
    )
    assert [query.text for query in found.by_id.values()] == ["removes a user"]
    assert (found.repeated, found.missing) == (1, {})
    alone = usable(benchmark(("remove_user", "a", "Removes it.")), [Query(REMOVE.id, "vague", "removes it")])
    assert (alone.by_id, alone.missing) == ({}, {(REMOVE.id, "vague"): "infeasible"})


def test_queries_are_written_and_read_back_in_any_order(tmp_path):
    queries = offline_queries(benchmark())
    assert Queries.from_frame(queries.frame()) == queries
    file = tmp_path / "queries.jsonl"
    lines = query_lines(queries).splitlines()
    assert json.loads(lines[0]).keys() == {"unit", "kind", "query"}
    file.write_text("\n".join(reversed(lines)))
    again = usable(benchmark(), read_queries(file, benchmark()))
    assert again == replace(queries, missing={})


UNIT = REMOVE.id


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"unit": UNIT, "kind": "vauge", "query": "x"}], "no kind of query 'vauge'.*vague"),
        (
            [{"unit": "app/accounts.py::remov#1", "kind": "vague", "query": "x"}],
            "no target 'app/acc.*remove_user",
        ),
        ([{"unit": UNIT, "kind": "vague", "query": " ?"}], "has no word"),
        ([{"unit": UNIT, "kind": "vague", "text": "x"}], "query"),
        ([{"unit": UNIT, "kind": "vague", "query": "x"}] * 2, ":2.*twice.*line 1"),
        ([], "no query in the file"),
    ],
)
def test_files_of_queries_that_cannot_be_used(rows, message, tmp_path):
    file = tmp_path / "queries.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError) as error:
        read_queries(file, benchmark())
    assert re.search(message, f"{error.value} {error.value.next_step}"), error.value
