import json
from pathlib import Path

import pytest

from tellapart.codesearch.case import Conversation, Searched, SearchResult, Snippet, Unusable
from tellapart.codesearch.reading import read_conversations, read_search_results

FIXTURES = Path(__file__).parent / "fixtures"
APPROVED = ("aero", "tack")

DOCUMENTED = """
{
  "iteration_number": 1,
  "timestamp": "2026-01-15T15:30:00Z",
  "conversations": [
    {
      "conversation_id": "12345",
      "issue_summary": "User reports pins not showing in community feed...",
      "product_area": "communities",
      "classification_confidence": 0.85,
      "search_results": {
        "files_found": [
          "aero/app/services/pins_service.rb",
          "aero/app/controllers/communities_controller.rb"
        ],
        "search_terms_used": ["pins", "community", "feed"],
        "exploration_log": []
      }
    }
  ]
}
"""


def made(found, **fields):
    """A file of one conversation with these ``search_results``."""
    conversation = {"conversation_id": "a", "issue_summary": "s", "search_results": found, **fields}
    return json.dumps({"conversations": [conversation]})


def only(text, **options):
    results = read_search_results(text, **options)
    assert results.unusable == ()
    (searched,) = results.searched
    return searched.result, results.notes


def test_the_documented_input():
    results = read_search_results(DOCUMENTED, approved=["aero"])
    assert (results.iteration, results.timestamp) == (1, "2026-01-15T15:30:00Z")
    assert results.searched == (
        Searched(
            Conversation("12345", "User reports pins not showing in community feed...", "communities", 0.85),
            SearchResult(
                ("aero/app/services/pins_service.rb", "aero/app/controllers/communities_controller.rb"),
                ("pins", "community", "feed"),
            ),
        ),
    )
    assert results.unusable == results.notes == ()


def test_what_a_real_pipeline_writes():
    results = read_search_results((FIXTURES / "search_results.json").read_bytes(), approved=APPROVED)
    assert (results.iteration, results.timestamp) == (1, "2026-01-16T02:09:46.956988")
    assert results.unusable == results.notes == ()
    assert [searched.conversation.id for searched in results.searched] == ["conv-1", "conv-2", "conv-3"]
    first = results.searched[0]
    assert first.conversation == Conversation("conv-1", "pictures of a post do not load", "uncertain", 0.0)
    assert first.result == SearchResult(
        ("aero/app/pins.rb", "aero/web/dialog.js", "tack/lib/post.ts", "tack/lib/queue.test.ts"),
        ("pictures", "post"),
        (Snippet("aero/app/pins.rb", "class Pin\nend", 1, 15),),
        duration_ms=6839.0,
    )


def test_iteration_time_area_and_terms_may_be_missing():
    results = read_search_results(made({"files_found": []}))
    assert (results.iteration, results.timestamp) == (None, None)
    assert results.searched == (Searched(Conversation("a", "s", "uncertain", None), SearchResult(())),)
    blank = read_search_results(made({"files_found": []}, product_area=" "))
    assert blank.searched == results.searched


def test_paths_objects_terms_by_file_and_repetitions():
    found = {
        "files_found": [
            {"repo": "aero", "path": "aero/x.rb", "terms": ["pin"], "relevance": 0.9, "line_start": 1},
            {"repo": "aero", "path": "y.rb", "matched_terms": ["feed", "pin"], "relevance": 0.5},
            {"file_path": "aero/x.rb", "terms": ["post", "pin"], "relevance": 0.7},
            {"path": "tack/z.rb", "relevance": 0.1},
        ],
        "search_duration_ms": 12,
    }
    result, notes = only(made(found), approved=APPROVED)
    assert result == SearchResult(
        ("aero/x.rb", "aero/y.rb", "tack/z.rb"),
        terms_by_file={"aero/x.rb": ("pin", "post"), "aero/y.rb": ("feed", "pin")},
        duration_ms=12.0,
    )
    assert notes == (
        "conversation 'a': counted 1 path once that came again",
        "conversation 'a': took 1 of 2 paths as beginning with their repository, though the others do not",
    )


GOOD = {"conversation_id": "good", "issue_summary": "s", "search_results": {"files_found": ["aero/x.rb"]}}


@pytest.mark.parametrize(
    ("bad", "name", "why"),
    [
        ("text", "#2", "it is 'text', expected an object"),
        ({"id": 1, "summary": ""}, "#2", "'conversation_id' is missing; there are id, summary (and 2 more)"),
        (GOOD | {"conversation_id": None}, "#2", "'conversation_id' is null, expected a text"),
        (GOOD, "good", "conversation #1 has the same id"),
        (
            {"conversation_id": "b", "issue_sumary": "s", "search_results": {"files_found": []}},
            "b",
            "'issue_summary' is missing; there is 'issue_sumary'",
        ),
        (
            GOOD | {"conversation_id": "b", "classification_confidence": 85},
            "b",
            "'classification_confidence' is 85, expected a number of 1 or less",
        ),
        (
            GOOD | {"conversation_id": "b", "search_results": {"files": []}},
            "b",
            "'search_results.files_found' is missing; there is 'files'",
        ),
        (
            GOOD | {"conversation_id": "b", "search_results": {"files_found": ["aero/../x.rb", 3]}},
            "b",
            "none of its 2 files can be used: 1 not approved, 1 outside, such as 'aero/../x.rb'",
        ),
        (
            GOOD | {"conversation_id": "b", "search_results": {"files_found": ["areo/x.rb"]}},
            "b",
            "none of its 1 file can be used: 1 not approved, such as 'areo/x.rb'. Did you mean 'aero'? "
            "There are: aero, tack",
        ),
    ],
)
def test_a_bad_conversation_is_left_out_with_why_and_the_rest_go_on(bad, name, why):
    last = GOOD | {"conversation_id": "last"}
    results = read_search_results(json.dumps({"conversations": [GOOD, bad, last]}), approved=APPROVED)
    assert [searched.conversation.id for searched in results.searched] == ["good", "last"]
    assert results.unusable == (Unusable(name, why),)


def test_a_bad_path_is_left_out_alone():
    files = ["/etc/passwd", "aero/x.rb:12", {"repo": "aero"}, {"path": "y.rb", "repo": "aero"}, 3]
    result, notes = only(made({"files_found": files}), approved=APPROVED)
    assert result.files == ("aero/x.rb", "aero/y.rb")
    assert notes == (
        "conversation 'a': mended 1 path, such as 'aero/x.rb:12' to 'aero/x.rb'",
        "conversation 'a': left out 3 of 5 files: 1 no path, 1 not approved, 1 outside, such as "
        "'/etc/passwd'",
    )


def test_issues_to_search_for():
    issues = [
        {"conversation_id": 1, "issue_summary": "s", "product_area": "billing"},
        {"conversation_id": "2", "issue_summary": ""},
    ]
    alone = read_conversations(json.dumps(issues))
    assert alone.conversations == (Conversation("1", "s", "billing"),)
    assert alone.unusable == (Unusable("2", "'issue_summary' is '', which is empty"),)
    assert (alone.iteration, alone.timestamp, alone.notes) == (None, None, ())
    wrapped = read_conversations(
        json.dumps({"iteration_number": 3, "timestamp": "t", "conversations": issues})
    )
    assert (wrapped.iteration, wrapped.timestamp) == (3, "t")
    assert wrapped.conversations == alone.conversations


def test_what_searched_and_what_the_search_left_out_is_taken_over():
    data = json.loads(DOCUMENTED) | {
        "system": " prog {issue} ",
        "unusable_conversations": [
            {"conversation_id": "9", "why": "its search failed (timeout): too slow"},
            {"why": "no id"},
        ],
    }
    data["conversations"].append({"conversation_id": "10"})
    found = read_search_results(json.dumps(data))
    assert found.system == "prog {issue}"
    assert [one.conversation for one in found.unusable] == ["9", "10"]
    assert found.unusable[0].why == "its search failed (timeout): too slow"
