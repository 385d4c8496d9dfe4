"""``--system`` on the command line and in ``config.json``, and Ctrl-C while it searches."""

import json
import signal

import pytest

from codesearch.commands.test_input import REPOSITORIES, codesearch
from codesearch.pipeline_files import ISSUES, conversation, pipeline

__all__ = ["codesearch"]

GIVEN = pipeline(*map(conversation, ISSUES))
FUNCTION = """
import os, signal, time

def find(issue, repos_path):
    print("looking for", issue)
    return [repos_path / "aero" / "lib" / "pins.py"]

def stopped(issue, repos_path):
    if "invoice" in issue:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
    if "pins" not in issue:
        time.sleep(2)
    return find(issue, repos_path)
"""


@pytest.fixture
def heeds_ctrl_c():
    """As in a terminal; what runs in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_writes_what_was_found_until_then(codesearch, tmp_path):
    (tmp_path / "mine.py").write_text(FUNCTION)
    options = ("--system", "python:mine.py:stopped", "--out", "found.json")
    done = codesearch("search", *REPOSITORIES, *options, given=GIVEN)
    assert done.code == 130 and "searched for 1 of 3 issues; started again" in done.err
    record = json.loads((tmp_path / "found.json").read_text())
    assert [one["conversation_id"] for one in record["conversations"]] == ["c1"]
    assert [left["conversation_id"] for left in record["unusable_conversations"]] == ["c2", "c3"]
    assert "interrupted" in record["unusable_conversations"][0]["why"]
