"""A search service that goes down is not asked for every issue that is left, one time-out after the other."""

import itertools
import json
import shlex

from codesearch.pipeline_files import make_code, pipeline
from codesearch.systems.test_http import service

ISSUES = [f"c{number}" for number in range(40)]


def test_a_service_that_goes_down_ends_the_search_which_goes_on_as_pasted(tellapart, tmp_path, monkeypatch):
    make_code(tmp_path / "code")
    issues = [{"conversation_id": name, "issue_summary": name, "product_area": "x"} for name in ISSUES]
    (tmp_path / "conversations.json").write_text(pipeline(*issues))
    monkeypatch.chdir(tmp_path)
    asked, up, numbers = [], [], itertools.count(1)

    def reply(handler, body):
        asked.append(json.loads(body)["conversation_id"])
        if next(numbers) > 4 and not up:
            return 503, {}, b"the index is gone"
        return 200, {}, b'["aero/lib/pins.py"]'

    def found():
        record = json.loads((tmp_path / "found.json").read_text())
        return len(record["conversations"]), len(record["unusable_conversations"])

    read = ("--repos-path", "code", "--repo", "aero", "--in", "conversations.json", "--out", "found.json")
    with service(reply) as address:
        stopped = tellapart("codesearch", "search", *read, "--system", f"http:{address}")
        assert (stopped.code, stopped.out) == (2, "")
        assert f"error: http:{address}: 10 searches in a row brought no answer; the last: " in stopped.err
        assert "replied with status 503: the index is gone. See whether it works" in stopped.err
        assert "searched for 4 of 40 issues; started again" in stopped.err
        assert 4 + 10 <= len(asked) < len(ISSUES)
        assert found() == (4, 36)
        up.append(True)
        (line,) = [line for line in stopped.err.splitlines() if line.startswith("to go on: tellapart ")]
        assert tellapart(*shlex.split(line.removeprefix("to go on: tellapart "))).code == 0
    assert found() == (40, 0)
