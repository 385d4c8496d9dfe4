"""A run of cases that is killed or interrupted loses no reply, and no completed call is made twice."""

import json
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from nursery import Nursery
from support.loopback import LoopbackServer, Reply
from support.recorded import calls_of, record_of

FIXTURES = Path(__file__).parent / "fixtures"
KILLS = 3
RESULTS = "artifacts/experiment-results.json"


def answer(request):
    """A reply that depends on all that was said, with tokens that grow with it."""
    letters = sum(len(text) for _, text in request.messages)
    cached = (letters // 8, 0)
    return Reply(f"reply {len(request.messages)} after {letters}", usage=(letters // 4, 9), cached=cached)


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(answer, latency_s=0.01) as server:
        yield server


@pytest.fixture(scope="module")
def nursery(parent, server, tmp_path_factory):
    modules = ("tellapart.longcontext.run", "inspect_ai.model._providers.deepseek")
    return Nursery(parent, server, tmp_path_factory.mktemp("runs"), *modules)


def command(out):
    files = [FIXTURES / f"{name}.txt" for name in ("case_1_short", "case_2_long")]
    how = ("--target-tokens", 8000, "--fork-probes", "--epochs", 2, "--delay", 0, "--max-connections", 2)
    return ("longcontext", "run", *files, "--model", "deepseek/deepseek-chat", *how, "--run", out)


@pytest.fixture(scope="module")
def undisturbed(nursery, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    nursery.begin(*command(out))
    assert nursery.ended() == 0, nursery.said()
    return out


def said(messages):
    """All that a request says, as one text."""
    return json.dumps(messages)


def answered(partial):
    """How many calls of the journal brought a reply."""
    return sum("reply" in call for call in calls_of(partial))


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def stop(server, nursery, pid, requests, how):
    """Send a signal once ``requests`` more have arrived."""
    before = len(server.requests)
    while len(server.requests) < before + requests:
        assert alive(pid), nursery.said()
        time.sleep(0.002)
    os.kill(pid, how)
    return nursery.ended()


def without_times(value):
    times = ("timestamp", "startedAt", "finishedAt", "generatedAt")
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key not in times}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def same(run, other):
    one, two = (json.loads((path / RESULTS).read_text(encoding="utf-8")) for path in (run, other))
    assert without_times(one) == without_times(two)
    records = [record_of(path) for path in (run, other)]
    for record in records:
        record["models"]["deepseek/deepseek-chat"].pop("requests")
    assert records[0] == records[1]


def test_killed_again_and_again_it_says_nothing_twice_but_what_was_under_way(
    server, nursery, undisturbed, tmp_path
):
    rng = random.Random(7)
    out, begun, kept = tmp_path / "run", len(server.requests), 0
    for _ in range(KILLS):
        pid = nursery.begin(*command(out))
        assert stop(server, nursery, pid, rng.randint(3, 9), signal.SIGKILL) == -signal.SIGKILL
        now = answered(out.with_name("run.partial"))
        assert now >= kept
        kept = now
    assert kept > KILLS
    nursery.begin(*command(out))
    assert nursery.ended() == 0, nursery.said()
    calls = record_of(out)["models"]["deepseek/deepseek-chat"]["calls"]
    times = Counter(said(request.messages) for request in server.requests[begun:])
    # Two epochs say the same; two conversations at a time are what a kill may find under way.
    assert sum(times.values()) <= calls + 2 * KILLS
    assert len(times) * 2 == calls
    same(out, undisturbed)
