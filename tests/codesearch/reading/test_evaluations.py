import json
from pathlib import Path

import pytest

from tellapart.codesearch.case import (
    Conversation,
    Explored,
    Failed,
    JudgeVerdict,
    SearchResult,
    Unusable,
)
from tellapart.codesearch.evaluation import NOT_JUDGED
from tellapart.codesearch.reading import read_evaluation
from tellapart.errors import InputError

FIXTURE = (Path(__file__).parent / "fixtures" / "evaluation.json").read_text()
JUDGE_FAILED = JudgeVerdict(None, "no", "", Failed("judge", "recorded", NOT_JUDGED))


def changed(**fields):
    """The fixture with other fields of the file."""
    return json.dumps(json.loads(FIXTURE) | fields)


def with_conversation(place, **fields):
    """The fixture with other fields of one conversation."""
    record = json.loads(FIXTURE)
    record["conversations"][place] |= fields
    return json.dumps(record)


# Everything that a case can be.


def test_an_evaluation_of_another_pipeline():
    read = read_evaluation(FIXTURE.encode(), approved=["aero", "tack"])
    assert (read.iteration, read.timestamp, read.unusable) == (1, "2026-01-16T02:39:48.307292", ())
    first, second, third = read.cases
    assert first.conversation == Conversation("conv-1", "pictures of a post do not load", "uncertain", None)
    assert first.result == SearchResult(
        ("aero/app/pins.rb", "aero/web/dialog.js", "tack/lib/post.ts", "tack/lib/queue.test.ts")
    )
    assert first.run_a == Explored("claude-opus-4-20250514", ())
    assert first.run_a.suspect
    assert first.run_b == Explored(
        "claude-sonnet-4-20250514", ("tack/lib/media.ts", "aero/app/pins.rb", "tack/lib/urls.ts")
    )
    assert first.verdicts == dict.fromkeys(first.our_unique, JUDGE_FAILED)
    assert second.without_verdict == second.our_unique == second.ours
    assert third.verdicts["tack/lib/limits.ts"] == JudgeVerdict(
        True, "yes", "Decides whether a scheduled post is held back"
    )
    # "Error handling …" speaks of the file, not of the judge.
    assert third.verdicts["aero/web/modal.tsx"].relevant is False
    assert third.without_verdict == set()


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (None, None),
        ("", None),
        ("Timeout after 300s", Failed("provider", "recorded", "Timeout after 300s")),
        ("exit code 1", Failed("provider", "recorded", "exit code 1")),
        ({"status": 529}, Failed("provider", "recorded", '{"status": 529}')),
    ],
)
def test_recorded_errors_of_a_run(error, failure):
    run = {"model": "m", "files_found": [], "error": error}
    assert read_evaluation(with_conversation(0, run_a=run)).cases[0].run_a == Explored("m", (), failure)


@pytest.mark.parametrize(
    ("record", "verdict"),
    [
        ({"relevant": True, "actionable": "Yes ", "reasoning": "r"}, JudgeVerdict(True, "yes", "r")),
        ({"relevant": True, "actionable": True}, JudgeVerdict(True, "yes", "")),
        ({"relevant": False, "actionable": None, "reasoning": None}, JudgeVerdict(False, "no", "")),
        # A judge that failed never says relevant.
        ({"relevant": True, "reasoning": "Error: none"}, JudgeVerdict(True, "no", "Error: none")),
        ({"relevant": False, "reasoning": NOT_JUDGED}, JUDGE_FAILED),
        ({"relevant": False, "error": "429"}, JudgeVerdict(None, failure=Failed("judge", "recorded", "429"))),
        ({"relevant": False, "reasoning": "Error: none"}, JudgeVerdict(False, "no", "Error: none")),
        (
            {"relevant": None},
            JudgeVerdict(None, "no", "", Failed("judge", "recorded", "no verdict is recorded")),
        ),
        (
            {"relevant": False, "reasoning": NOT_JUDGED, "failed_cause": "odd", "failed_kind": "k"},
            JudgeVerdict(None, "no", "", Failed("judge", "k", "")),
        ),
    ],
)
def test_verdicts_as_pipelines_write_them(record, verdict):
    judged = [{"file": "./tack/lib/post.ts"} | record]
    case = read_evaluation(with_conversation(0, our_unique_judgments=judged)).cases[0]
    assert case.verdicts == {"tack/lib/post.ts": verdict}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"run_a": None}, "'run_a' is null, expected an object"),
        ({"run_b": {"model": "m"}}, "'run_b.files_found' is missing"),
        ({"our_files": ["/x.rb"]}, "the path '/x.rb' is absolute, expected repo/path/to/file"),
        (
            {"our_unique_judgments": [{"file": "aero/x", "relevant": "no"}]},
            "'our_unique_judgments[0].relevant' is 'no', expected true or false",
        ),
        (
            {"our_unique_judgments": [{"file": "aero/x", "relevant": False, "actionable": "perhaps"}]},
            "'our_unique_judgments[0].actionable' is 'perhaps', expected 'yes', 'no' or 'maybe'",
        ),
        ({"conversation_id": "conv-1"}, "conversation #1 has the same id"),
    ],
)
def test_a_bad_conversation_is_left_out(fields, why):
    record = json.loads(FIXTURE)
    record["conversations"].append(record["conversations"][1] | {"conversation_id": "new"} | fields)
    read = read_evaluation(json.dumps(record))
    assert [case.conversation.id for case in read.cases] == ["conv-1", "conv-2", "conv-3"]
    assert read.unusable == (Unusable(fields.get("conversation_id", "new"), why),)


def test_files_that_are_no_evaluation():
    searched = {"conversation_id": "a", "issue_summary": "s", "search_results": {"files_found": []}}
    for text, message in (
        ("", "is empty"),
        (
            json.dumps({"conversations": [searched]}),
            "these are search results, expected an evaluation. Evaluate ",
        ),
        (
            json.dumps({"conversations": [{"conversation_id": "a"}]}),
            "these are conversations, expected an evaluation. Search and evaluate first",
        ),
        (
            changed(conversations=[{}]),
            "none of 1 conversation(s) can be used; '#1': 'conversation_id' is missing",
        ),
    ):
        with pytest.raises(InputError) as raised:
            read_evaluation(text, where="evaluation.json")
        assert str(raised.value).startswith(f"evaluation.json: {message}")
