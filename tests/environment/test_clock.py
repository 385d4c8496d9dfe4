import time
from datetime import UTC, datetime

import pytest

from tellapart.environment import clock
from tellapart.errors import UsageError


def test_goes_with_the_time_unless_it_is_stopped(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    before = datetime.now(UTC)
    assert before <= clock.now() <= datetime.now(UTC)
    assert clock.seconds_since(time.monotonic() - 5) >= 5
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert clock.now().isoformat() == "2023-11-14T22:13:20+00:00"
    assert clock.now_ms() == 1_700_000_000_000
    assert clock.seconds_since(0) == 0.0


@pytest.mark.parametrize("text", ["yesterday", "1e9", "1.5", "9" * 30])
def test_what_is_no_moment_is_refused_before_a_command_begins(monkeypatch, tmp_path, tellapart, text):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(UsageError, match=f"SOURCE_DATE_EPOCH is '{text}', expected whole seconds"):
        clock.now()
    refused = tellapart("runs", "list", "--root", tmp_path)
    assert (refused.code, "SOURCE_DATE_EPOCH" in refused.err) == (2, True)


def test_outputs_have_the_same_bytes_under_a_stopped_clock(monkeypatch, tmp_path, tellapart):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    play = ("longcontext", "run", "cases", "--model", "offline/recalls", "--quiet", "--delay", "0")
    generate = ("--lengths", "1K", "--conversations", "1", "--depths", "0", "--traps", "1")
    assert tellapart("longcontext", "generate", "--out", "cases", *generate).code == 0
    for name in ("a", "b"):
        assert tellapart(*play, "--run", name).code == 0
        grade = ("longcontext", "grade", f"{name}/artifacts/experiment-results.json", "--cases", "cases")
        assert (
            tellapart(*grade, "--grader", "rules", "--out", f"{name}.md", "--run", f"{name}-graded").code == 0
        )
    assert "2023-11-14" in (tmp_path / "a.md").read_text()
    for name in ("a/artifacts/experiment-results.json", "a-graded/artifacts/grades.json", "a.md"):
        assert (tmp_path / name).read_bytes() == (tmp_path / f"b{name[1:]}").read_bytes(), name
