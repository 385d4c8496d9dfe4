"""Files of pipelines, documented and as they are really written, read into the model and written again."""

import json
from pathlib import Path

from tellapart.codesearch.model import NOT_JUDGED, Conversation, Failed, JudgeVerdict, Unusable
from tellapart.codesearch.recordings import read_conversations, read_evaluation, read_search_results

FIXTURES = Path(__file__).parent / "fixtures"
RECORDED = (FIXTURES / "evaluation.json").read_text()
APPROVED = ("aero", "tack")
JUDGE_FAILED = JudgeVerdict(None, "no", "", Failed("judge", "recorded", NOT_JUDGED))


def with_conversation(place, **fields):
    """The recorded evaluation with other fields of one conversation."""
    record = json.loads(RECORDED)
    record["conversations"][place] |= fields
    return json.dumps(record)


def searched(found, **fields):
    """Search results of one conversation, and what is read of them."""
    conversation = {"conversation_id": "a", "issue_summary": "s", "search_results": found, **fields}
    results = read_search_results(json.dumps({"conversations": [conversation]}), approved=APPROVED)
    assert results.unusable == ()
    return results.searched[0].result, results.notes


def test_objects_terms_repetitions_and_paths_that_name_nothing():
    nowhere = ["/etc/passwd", {"repo": "aero"}, "aero", "aero/app/"]
    files = [
        {"repo": "aero", "path": "aero/x.rb", "terms": ["pin"], "line_start": 1},
        {"repo": "aero", "path": "y.rb", "terms": ["feed", "pin"]},
        {"file_path": "aero/x.rb", "terms": ["post", "pin"]},
        "tack/with blanks\\z.rb:12",
        *nowhere,
    ]
    result, notes = searched({"files_found": files}, product_area=" ")
    assert result.files == ("aero/x.rb", "aero/y.rb", "tack/with blanks/z.rb")
    assert result.terms_by_file == {"aero/x.rb": ("pin", "post"), "aero/y.rb": ("feed", "pin")}
    assert notes == (
        "conversation 'a': left out 4 of 8 files: 1 directory, 2 no path, 1 outside, such as '/etc/passwd'",
    )


GOOD = {"conversation_id": "good", "issue_summary": "s", "search_results": {"files_found": ["aero/x.rb"]}}
BAD = [
    ("text", "#2", "it is 'text', expected an object"),
    (GOOD, "good", "an earlier conversation has the same id"),
    (
        GOOD | {"conversation_id": "b", "search_results": {"files_found": ["areo/x.rb"]}},
        "b",
        "none of its 1 file can be used: 1 not approved, such as 'areo/x.rb'. Did you mean 'aero'?",
    ),
]


def test_a_bad_conversation_is_left_out_with_why_and_the_rest_go_on():
    for bad, name, why in BAD:
        given = {"conversations": [GOOD, bad, GOOD | {"conversation_id": "last"}]}
        results = read_search_results(json.dumps(given), approved=APPROVED)
        assert [one.conversation.id for one in results.searched] == ["good", "last"], name
        assert [left.conversation for left in results.unusable] == [name]
        assert results.unusable[0].why.startswith(why), results.unusable


def test_issues_to_search_for():
    about = {"product_area": "billing", "touched_files": ["a/x", "/y"]}
    issues = [{"conversation_id": 1, "issue_summary": "s", **about}]
    issues += [{"conversation_id": "2", "issue_summary": ""}]
    read = read_conversations(json.dumps(issues))
    (issue,) = read.searched
    assert issue.conversation == Conversation("1", "s", "billing")
    assert read.unusable == (Unusable("2", "'issue_summary' is '', which is empty"),)
    assert (issue.gold.files, issue.gold.left_out) == (("a/x",), {"unusable": 1})
    assert read_conversations(json.dumps({"iteration_number": 3, "conversations": issues})).iteration == 3


VERDICTS = [
    ({"relevant": True, "actionable": "Yes ", "reasoning": "r"}, JudgeVerdict(True, "yes", "r")),
    ({"relevant": True, "actionable": True}, JudgeVerdict(True, "yes", "")),
    ({"relevant": False, "actionable": None, "reasoning": None}, JudgeVerdict(False, "no", "")),
    ({"relevant": False, "reasoning": NOT_JUDGED}, JUDGE_FAILED),
    ({"relevant": False, "error": "429"}, JudgeVerdict(None, failure=Failed("judge", "recorded", "429"))),
    ({"relevant": None}, JudgeVerdict(None, failure=Failed("judge", "recorded", "no verdict is recorded"))),
    (
        {"relevant": False, "reasoning": NOT_JUDGED, "failure": {"cause": "odd", "kind": "k", "detail": ""}},
        JudgeVerdict(None, failure=Failed("provider", "k", "")),
    ),
    # Ordinary reasons that begin like a failure.
    *(
        ({"relevant": False, "reasoning": text}, JudgeVerdict(False, "no", text))
        for text in ("Error: none", "Exception: base class of all app errors, too general")
    ),
]


def test_verdicts_as_pipelines_write_them():
    for record, verdict in VERDICTS:
        judged = [{"file": "./tack/lib/post.ts"} | record]
        case = read_evaluation(with_conversation(0, our_unique_judgments=judged)).cases[0]
        assert case.verdicts == {"tack/lib/post.ts": verdict}, record


def test_bad_evaluated_conversations():
    for fields, why in (
        ({"run_a": None}, "'run_a' is null, expected an object"),
        ({"run_b": {"model": "m"}}, "'run_b.files_found' is missing"),
        ({"our_files": ["/x.rb"]}, "none of its 1 file can be used: 1 outside, such as '/x.rb'"),
        ({"our_files": None}, "'our_files' is null, expected a list"),
        (
            {"our_unique_judgments": [{"file": "aero/x", "relevant": "no"}]},
            "relevant' is 'no', expected true",
        ),
        ({"conversation_id": "conv-1"}, "an earlier conversation has the same id"),
    ):
        record = json.loads(RECORDED)
        record["conversations"].append(record["conversations"][1] | {"conversation_id": "new"} | fields)
        read = read_evaluation(json.dumps(record))
        assert [case.id for case in read.cases] == ["conv-1", "conv-2", "conv-3"]
        assert why in read.unusable[0].why, fields
