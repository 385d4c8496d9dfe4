"""A grading that is interrupted loses no evaluation and pays for none twice; llm/test_kill.py kills."""

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from longcontext.grading.judged_lines import lines, parts
from nursery import Nursery
from support.loopback import LoopbackServer

PROBES, REPEATS, CONNECTIONS = 30, 2, 3
FILES = ("artifacts/grades.json", "scores.parquet", "items.parquet", "artifacts/report.md")


def respond(request):
    asked = parts(request.messages[0][1])
    if asked["STEP ID"] == "C1-7" and len(request.messages) == 1:
        return "That is hard to say."
    return lines(
        "CORRECT" if "342" in asked["MODEL'S ACTUAL ANSWER"] else "PARTIAL", f"So says {asked['STEP ID']}."
    )


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Results with many probes, each with an answer of its own, and their key."""
    directory = tmp_path_factory.mktemp("experiment")
    steps = [
        {
            "stepId": f"C1-{i}",
            "stepType": "checkpoint",
            "failureMode": "Recall",
            "userMessage": f"How large was study {i}?",
            "assistantResponse": f"Study {i} had N={342 if i % 3 else 12}.",
            "httpStatus": 200,
        }
        for i in range(1, PROBES + 1)
    ]
    cases = [{"caseName": "case_1", "model": "m", "steps": steps}]
    (directory / "results.json").write_text(json.dumps({"cases": cases}))
    key = "\n\n".join(f"C1-{i} (Recall):\n  A: N=342." for i in range(1, PROBES + 1))
    (directory / "answers.txt").write_text(key + "\n")
    return directory


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(respond, latency_s=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def nursery(parent, server, tmp_path_factory):
    modules = ("tellapart.longcontext.grade_run", "tellapart.longcontext.page", "tellapart.llm.session")
    return Nursery(parent, server, tmp_path_factory.mktemp("runs"), *modules)


def command(experiment, run):
    asked = ("--grader", "both", "--judge", "anthropic/m", "--judge-repeats", REPEATS, "--delay", "0")
    files = (experiment / "results.json", "--answers", experiment / "answers.txt", "--run", run, "--json")
    return ("longcontext", "grade", *files, *asked, "--max-connections", CONNECTIONS)


def asked_in(requests):
    return Counter(json.dumps(request.messages) for request in requests)


def answered(partial):
    """Calls whose replies are in the journal, by what was sent; what a kill cut off is not."""
    path = partial / "calls.jsonl"
    whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    calls = [json.loads(line) for line in whole]
    sent = (
        [[turn["role"], turn["content"]] for turn in call["messages"]] for call in calls if "reply" in call
    )
    return Counter(map(json.dumps, sent))


def contents(run):
    found = {name: (run / name).read_bytes() for name in FILES[1:3]}
    grades = json.loads((run / FILES[0]).read_text())
    found["grades"] = {**grades, "generated_at": None}
    found["report"] = [
        line for line in (run / FILES[3]).read_text().split("\n") if not line.startswith("Generated")
    ]
    return found


@pytest.fixture(scope="module")
def undisturbed(experiment, server, nursery, tmp_path_factory):
    run = tmp_path_factory.mktemp("undisturbed") / "run"
    first = len(server.requests)
    nursery.begin(*command(experiment, run))
    assert nursery.ended() == 0, nursery.said()
    return run, asked_in(server.requests[first:])


def test_what_is_interrupted_ends_as_if_it_had_not_been(experiment, server, nursery, undisturbed, tmp_path):
    expected, whole = undisturbed
    # All but one are asked as often as there are repeats; that one, and its repair, twice as well.
    assert whole.total() == (PROBES + 1) * REPEATS
    run, begun = tmp_path / "run", len(server.requests)
    pid = nursery.begin(*command(experiment, run))
    while len(server.requests) < begun + 20:
        os.kill(pid, 0)
        time.sleep(0.005)
    os.kill(pid, signal.SIGINT)
    assert nursery.ended() == 130, nursery.said()
    known = answered(Path(f"{run}.partial"))
    assert known.total() > 10
    first = len(server.requests)
    nursery.begin(*command(experiment, run))
    assert nursery.ended() == 0, nursery.said()
    assert asked_in(server.requests[first:]) + known == whole
    assert (asked_in(server.requests[begun:]) - whole).total() <= CONNECTIONS
    assert contents(run) == contents(expected)


def test_what_is_complete_asks_nothing(experiment, server, nursery, undisturbed):
    first = len(server.requests)
    nursery.begin(*command(experiment, undisturbed[0]))
    assert nursery.ended() == 0, nursery.said()
    assert len(server.requests) == first
