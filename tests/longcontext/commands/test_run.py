"""``tellapart longcontext run``, through the command line and a real wire."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.loopback import LoopbackServer, Reply, Status
from support.recorded import record_of

SMALL = """=== SYSTEM PROMPT ===
Be brief.

=== MESSAGE 1 ===
Zhang (2019) enrolled 342 adults.

=== CHECKPOINT C1-1 (Recall) ===
How many adults did Zhang enrol?

=== MESSAGE 2 ===
Okafor (2020) enrolled 128 adults.

=== VERIFICATION V1-1 (Attention Sink) ===
Is it excellent?
"""
ANSWERS = """C1-1 (Recall):
  Q: How many adults did Zhang enrol?
  A: 342

V1-1 (Attention Sink):
  Q: Is it excellent?
  A: notable
"""


@pytest.fixture
def case(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.txt").write_text(SMALL)
    (tmp_path / "answers.txt").write_text(ANSWERS)
    return "small.txt"


@dataclass
class Sent:
    requests: list


@pytest.fixture
def play(tellapart, monkeypatch, case):
    """Run a command against one server; what came of it, and what it sent."""
    plans = []

    def run(*arguments, replies="ok", cases=(case,), model="deepseek/deepseek-chat", delay=("--delay", 0)):
        left = iter(replies) if isinstance(replies, list) else None
        plans.append(lambda request: next(left, "ok") if left else replies)
        before = len(server.requests)
        ended = tellapart("longcontext", "run", *cases, "--model", model, *delay, *arguments)
        return ended, Sent(server.requests[before:])

    with LoopbackServer(lambda request: plans[-1](request)) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield run


def results(path="results.json"):
    return json.loads(Path(path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(("model", "wire"), [("deepseek/chat", "openai"), ("anthropic/m", "anthropic")])
def test_a_case_is_played_over_both_wires(play, model, wire):
    ended, server = play(
        "--out",
        "results.json",
        model=model,
        replies=[Reply(f"r{i}", usage=(100 * i + 100, 5), cached=(64 * i, 0)) for i in range(4)],
    )
    assert ended.code == 0, ended.err
    case = results()["cases"][0]
    assert [step["assistantResponse"] for step in case["steps"]] == ["r0", "r1", "r2", "r3"]
    assert case["steps"][2]["usage"] == {
        "prompt_tokens": 300,
        "completion_tokens": 5,
        "total_tokens": 305,
        "prompt_cache_hit_tokens": 128,
        "prompt_cache_miss_tokens": 172,
    }
    assert case["peakTokens"] == 405
    assert {request.wire for request in server.requests} == {wire}
    assert server.requests[-1].messages[0] == ("system", "Be brief.")
    assert [(r.body["temperature"], r.body["max_tokens"]) for r in server.requests] == [(0.3, 2000)] * 4
    record = record_of(next(Path("runs").iterdir()))
    asked = record["models"][model]
    assert (asked["requested"]["temperature"], asked["effective"]["temperature"]) == (0.3, 0.3)


def test_reuse_asks_only_what_failed(play):
    first, _ = play("--run", "named", replies=["a", Status(400)])
    advice = next(line for line in first.err.splitlines() if "to ask again" in line)
    pasted = advice.partition("the same command with ")[2].split()
    again, server = play("--run", "named", "--out", "results.json", *pasted, replies=["b", "c", "d"])
    assert (first.code, again.code, len(server.requests)) == (0, 0, 3), again.err
    assert [step["assistantResponse"] for step in results()["cases"][0]["steps"]] == ["a", "b", "c", "d"]


def test_a_run_that_is_stopped_goes_on_as_pasted(play, tellapart):
    replies = ["a", "b", Status(401, "revoked")]
    stopped, server = play("--run", "named", replies=replies)
    assert (stopped.code, stopped.out, len(server.requests)) == (2, "", 3), stopped.err
    assert "does not accept the key (401 " in stopped.err
    (printed,) = [line for line in stopped.err.splitlines() if line.startswith("to go on: tellapart ")]
    going_on = tellapart(*shlex.split(printed.removeprefix("to go on: tellapart ")))
    assert going_on.code == 0, going_on.err
    (case,) = results("named/artifacts/experiment-results.json")["cases"]
    assert [step["assistantResponse"] for step in case["steps"]] == ["a", "b", "ok", "ok"]
