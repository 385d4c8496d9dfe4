import json

import pytest

from tellapart.codesearch import drafting as draft
from tellapart.codesearch.drafting import Draft, draft_issues
from tellapart.codesearch.recordings import read_conversations
from tellapart.codesearch.repositories import Repositories
from tellapart.errors import InputError


@pytest.fixture
def repositories(tmp_path):
    (tmp_path / "r").mkdir()
    return Repositories.open(tmp_path, ["r"])


@pytest.fixture
def planned(monkeypatch):
    """Draft these issues, whatever the repository says."""

    def plan(*drafts):
        monkeypatch.setitem(draft.SOURCES, "docstrings", lambda repositories, seed: iter(drafts))

    return plan


def made(place, summary, *files):
    return Draft("docstring", place, summary, files)


def test_conversations_have_the_documented_form(repositories, planned):
    planned(
        made("b", "the feed is empty", "r/feed/0.py", "r/pins/1.py"),
        made("a", "no mail", "r/lib/mail/in/0.py"),
    )
    record, _ = draft_issues(repositories, 2)
    # SHA-256 of "b" begins 3e23e8160039, of "a" ca978112ca1b; a tie between two areas goes by name.
    names = ("conversation_id", "issue_summary", "product_area", "touched_files")
    rows = [
        ("docstring-3e23e8160039", "the feed is empty", "r/feed", ["r/feed/0.py", "r/pins/1.py"]),
        ("docstring-ca978112ca1b", "no mail", "r/lib/mail", ["r/lib/mail/in/0.py"]),
    ]
    drafted = [dict(zip(names, row, strict=True)) | {"classification_confidence": 1.0} for row in rows]
    form = "the files whose docstrings the issues are"
    assert record == {"gold_form": form, "conversations": drafted}
    read = read_conversations(json.dumps(record))
    assert [each.conversation.product_area for each in read.searched] == ["r/feed", "r/lib/mail"]


def test_what_touches_tests_and_lock_files_alone_is_passed_over(repositories, planned):
    planned(
        made("1", "the feed is empty", "r/tests/test_feed.py", "r/uv.lock"),
        made("2", "the feed is full", "r/feed/0.py", "r/tests/test_feed.py"),
    )
    record, _ = draft_issues(repositories, 1)
    assert [one["issue_summary"] for one in record["conversations"]] == ["the feed is full"]


def test_too_few_are_told_and_none_is_an_error(repositories, planned):
    planned(made("1", "the feed is empty", "r/feed/0.py"))
    _, notes = draft_issues(repositories, 3)
    assert notes[0] == "1 issues are all that the docstrings give, 3 were requested"
    assert len(notes) == 2
    planned()
    with pytest.raises(InputError, match="no issue .* from the docstrings in r. Try --source commits"):
        draft_issues(repositories, 3)
