"""A search service that goes down is not asked for every issue that is left, one time-out after the other."""

import json
import shlex

import pytest

from codesearch.pipeline_files import make_code, pipeline
from codesearch.systems.test_http import service

ISSUES = [f"c{number}" for number in range(20)]


@pytest.fixture
def search(tellapart, tmp_path, monkeypatch):
    make_code(tmp_path / "code")
    issues = [{"conversation_id": name, "issue_summary": name, "product_area": "x"} for name in ISSUES]
    (tmp_path / "conversations.json").write_text(pipeline(*issues))
    monkeypatch.chdir(tmp_path)
    read = ("--repos-path", "code", "--repo", "aero", "--in", "conversations.json", "--out", "found.json")
    return lambda *more: tellapart("codesearch", "search", *read, *more)


def go_on(tellapart, stopped):
    """Run what was printed."""
    (line,) = [line for line in stopped.err.splitlines() if line.startswith("to go on: tellapart ")]
    return tellapart(*shlex.split(line.removeprefix("to go on: tellapart ")))


def found(tmp_path):
    record = json.loads((tmp_path / "found.json").read_text())
    return len(record["conversations"]), len(record["unusable_conversations"])


def test_a_service_that_goes_down_ends_the_search_which_goes_on_as_pasted(search, tellapart, tmp_path):
    asked, up = [], []

    def reply(handler, body):
        asked.append(json.loads(body)["conversation_id"])
        if len(asked) > 4 and not up:
            return 503, {}, b"the index is gone"
        return 200, {}, b'["aero/lib/pins.py"]'

    with service(reply) as address:
        stopped = search("--system", f"http:{address}", "--max-failures", 3)
        assert (stopped.code, stopped.out) == (2, "")
        assert (
            f"error: http:{address}: 3 searches in a row brought no answer (status 3; the last: "
            in stopped.err
        )
        assert "replied with status 503: the index is gone). See whether it works." in stopped.err
        assert "searched for 4 of 20 issues; started again" in stopped.err
        # Those under way at that moment are asked as well; so are some more, where an answer that was late
        # came between two failures.
        assert 4 + 3 <= len(asked) <= 4 + 3 + 3 + 3
        assert found(tmp_path) == (4, 16)
        up.append(True)
        assert go_on(tellapart, stopped).code == 0
    assert found(tmp_path) == (20, 0)
