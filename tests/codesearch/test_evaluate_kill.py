"""A whole evaluation, killed again and again, asks for nothing twice that it has, and ends the same."""

import json
import os
import random
import signal
import time
from collections import Counter

import pytest

from codesearch.played_models import ASKING, A, explored, is_exploration, opening, playing, turn
from nursery import Nursery
from support.loopback import LoopbackServer
from support.recorded import calls_of, entries_of, record_of

CONVERSATIONS, CONNECTIONS = 6, 4
KILLED_AFTER = (12, 16, 19, 4)

MODULES = (
    "tellapart.codesearch.run",
    "tellapart.codesearch.page.report",
    "tellapart.llm.asking",
    "tellapart.llm.agents",
    "sklearn.metrics",
)


def conversations():
    return [f"c{number}" for number in range(CONVERSATIONS)]


def ours(name):
    return [f"app/{name}/{kind}.py" for kind in ("both", "good", "good_too", "bad", "worse")]


def finds(model, name):
    return [f"app/{name}/both.py", f"app/{name}/{'only_a' if model == A else 'missed'}.py"]


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(playing(finds), latency_s=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return write_place(tmp_path_factory.mktemp("place"))


def write_place(place):
    """Write code and search results for all conversations."""
    entries = []
    for name in conversations():
        for path in {*ours(name), *finds(A, name), *finds("", name)}:
            (place / "code" / path).parent.mkdir(parents=True, exist_ok=True)
            (place / "code" / path).write_text(f"pins = {path!r}\n")
        entry = {
            "conversation_id": name,
            "issue_summary": f"Pins of {name} do not show",
            "product_area": "feed",
        }
        entries.append(entry | {"search_results": {"files_found": ours(name), "search_terms_used": ["pins"]}})
    record = {"iteration_number": 1, "timestamp": "2026-01-15T15:30:00Z", "conversations": entries}
    (place / "search_results.json").write_text(json.dumps(record))
    return place


@pytest.fixture(scope="module")
def nursery(parent, server, place):
    return Nursery(parent, server, place, *MODULES, TELLAPART_INDEX=str(place / "index"))


def command(place, name):
    read = ("--repos-path", place / "code", "--repo", "app", "--in", place / "search_results.json")
    config = place / f"{name}.config.json"
    config.write_text(json.dumps({"state": f"{name}.state.json", "retest": 2}))
    limits = ("--concurrency", CONNECTIONS, "--config", config)
    to = ("--run", place / name, "--out", place / f"{name}.json")
    return ("codesearch", "evaluate", *read, *ASKING, *limits, *to)


@pytest.fixture(scope="module")
def undisturbed(nursery, place):
    """The directory of a run that nobody touched."""
    nursery.begin(*command(place, "undisturbed"))
    assert nursery.ended() == 0, nursery.said()
    return place / "undisturbed"


def finished(run):
    """How often each exploration came to its end, by model and conversation."""
    done = entries_of(run, "explorations")
    return Counter((("b", "a")[entry["role"].endswith("_a")], entry["conversation"]) for entry in done)


def answered(run):
    """Questions to the judge whose replies are in the journal."""
    calls = calls_of(run)
    return Counter(call["messages"][0]["content"] for call in calls if "reply" in call)


def begun(requests):
    """How often each exploration was begun."""
    first = [explored(each) for each in requests if is_exploration(each) and turn(each) == 0]
    return Counter(("a" if model == A else "b", name) for model, name in first)


def asked(requests):
    """How often each question was put to the judge."""
    return Counter(opening(each) for each in requests if not is_exploration(each))


def stop_after(server, pid, requests, seconds, how):
    """Send a signal once so many requests more have arrived, and a moment later."""
    until = len(server.requests) + requests
    while len(server.requests) < until:
        os.kill(pid, 0)
        time.sleep(0.005)
    time.sleep(seconds)
    os.kill(pid, how)


def same(one, other):
    for name in ("artifacts/evaluation.json", "scores.parquet"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert one.with_suffix(".json").read_bytes() == other.with_suffix(".json").read_bytes()
    assert (one / "artifacts/evaluation.json").read_bytes() == one.with_suffix(".json").read_bytes()
    states = [json.loads(run.with_suffix(".state.json").read_text()) for run in (one, other)]
    assert states[0] == states[1]


def test_kills_lose_nothing_that_was_finished(server, nursery, place, undisturbed):
    rng = random.Random(3)
    wanted = Counter({(which, name): 1 for name in conversations() for which in "ab"})
    wanted += finished_twice(undisturbed)
    whole = asked(server.requests)
    explored_at, judged_at = [], []
    for requests in KILLED_AFTER:
        known, said, first = (
            finished(place / "killed.partial"),
            answered(place / "killed.partial"),
            len(server.requests),
        )
        pid = nursery.begin(*command(place, "killed"))
        stop_after(server, pid, requests, rng.uniform(0, 0.1), signal.SIGKILL)
        assert nursery.ended() == -signal.SIGKILL
        life = server.requests[first:]
        assert begun(life) <= wanted - known
        assert asked(life) <= whole - said
        assert known <= finished(place / "killed.partial") and said <= answered(place / "killed.partial")
        explored_at.append(finished(place / "killed.partial").total())
        judged_at.append(answered(place / "killed.partial").total())
    # Some were killed while agents explored, some while the judge was asked.
    assert 0 < explored_at[0] < wanted.total() == explored_at[-1]
    assert 0 == judged_at[0] < judged_at[-1] < whole.total()
    said, first = answered(place / "killed.partial"), len(server.requests)
    nursery.begin(*command(place, "killed"))
    assert nursery.ended() == 0, nursery.said()
    life = server.requests[first:]
    assert (begun(life), asked(life)) == (Counter(), whole - said)
    same(place / "killed", undisturbed)
    every_life_is_counted(place / "killed", at_least=undisturbed)


def every_life_is_counted(run, at_least):
    """What the record says of agents is what their calls took, those of explorations cut off among them."""
    models = {name: of for name, of in recorded_models(run).items() if name.startswith("agent:")}
    assert len(models) == 2
    spending, again = entries_of(run, "spending"), 0
    for name, of in models.items():
        calls = [line for line in spending if f"agent:{line['model']}" == name]
        assert (of["calls"], of["failed_calls"]) == (len(calls), 0)
        assert of["input_tokens"] == sum(line["usage"]["input_tokens"] for line in calls)
        before = recorded_models(at_least)[name]
        assert of["calls"] >= before["calls"] and of["effective"] == before["effective"]
        again += of["calls"] - before["calls"]
    # Of four kills one at least cut an exploration off, of one agent or the other.
    assert again > 0
    assert sum(of["calls"] for of in models.values()) == len(spending)


def recorded_models(run):
    return record_of(run)["models"]


def finished_twice(run):
    """The explorations that were retested; none failed."""
    entries = entries_of(run, "explorations")
    assert all(entry["files_found"] and not entry["error"] for entry in entries)
    roles = [(entry["role"], entry["conversation"]) for entry in entries]
    again = Counter((role[-1], name) for role, name in roles if role.startswith("retest"))
    assert again.total() == 4
    return again
