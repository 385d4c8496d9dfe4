"""A run that is killed again and again loses no verdict and pays for none twice."""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from codesearch.judging.judged import assessed, files_in, make_case, make_repositories, reply
from nursery import Nursery
from tellapart.codesearch.judging.run import assess_cases, judge_cases
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.testing.loopback import LoopbackServer, Reply

KILLS, CONNECTIONS, CONVERSATIONS = 4, 4, 20
MODEL = LanguageModel("anthropic/m")
LIMITS = Limits(max_connections=CONNECTIONS)
LIFE = "codesearch.judging.test_judging_kill:life"


def life():
    """Judge and assess in a directory, going on where an earlier life stopped; then write what was said."""
    directory = Path(sys.argv[1])
    files = {
        f"shop/{n}/{'good' if i % 2 else 'bad'}_{i}.py": "" for n in range(CONVERSATIONS) for i in range(6)
    }
    repositories = make_repositories(directory / "repositories", files)
    cases = [
        make_case([file for file in files if file.startswith(f"shop/{n}/")], truth=["shop/x"], id=f"c{n}")
        for n in range(CONVERSATIONS)
    ]
    judged = judge_cases(cases, MODEL, repositories, directory / "run", limits=LIMITS, repeats=2)
    whole = assess_cases(cases, MODEL, ["shop"], ["billing"], directory / "run", limits=LIMITS)
    said = {
        "relevant": sorted(f for own in judged.verdicts.values() for f, v in own.items() if v.relevant),
        "figures": judged.figures,
        "assessed": {id: dict(one.scores) for id, one in whole.assessments.items()},
    }
    (directory / "said.json").write_text(json.dumps(said))


def respond(request):
    prompt = request.messages[0][1]
    if not files_in(prompt):
        return assessed(without=("snippet_quality",))
    # Of one conversation the first batch is refused; the second one holds a single file.
    if len(files_in(prompt)) > 1 and "/3/" in prompt:
        return Reply("No.", stop="refusal")
    return reply(prompt)


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(respond, latency_s=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def nursery(parent, server, tmp_path_factory):
    return Nursery(parent, server, tmp_path_factory.mktemp("runs"), LIFE.partition(":")[0])


def answered(directory):
    """Askings whose replies are in the journal, each as prompt and replica; what a kill cut off is not."""
    path = directory / "run" / "calls.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    calls = [json.loads(line) for line in lines]
    return Counter(call["messages"][0]["content"] for call in calls if "reply" in call)


def test_kills_lose_no_verdict_and_pay_for_none_twice(server, nursery, tmp_path):
    rng = random.Random(7)
    nursery.begin(tmp_path / "undisturbed", function=LIFE)
    assert nursery.ended() == 0
    whole = Counter(request.prompt for request in server.requests)
    begun, known = len(server.requests), Counter()
    directory = tmp_path / "killed"
    for _ in range(KILLS):
        pid, first = nursery.begin(directory, function=LIFE), len(server.requests)
        until = first + rng.randint(8, 25)
        while len(server.requests) < until:
            os.kill(pid, 0)
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.05))
        os.kill(pid, signal.SIGKILL)
        assert nursery.ended() == -signal.SIGKILL
        asked = Counter(request.prompt for request in server.requests[first:])
        # Each prompt is asked as often as there are repeats, and what is answered is not asked for again.
        assert all(asked[prompt] + known[prompt] <= whole[prompt] for prompt in asked)
        grown = answered(directory)
        assert known <= grown
        known = grown
    assert known.total() > KILLS
    first = len(server.requests)
    nursery.begin(directory, function=LIFE)
    assert nursery.ended() == 0
    last = Counter(request.prompt for request in server.requests[first:])
    assert last + known == whole
    times = Counter(request.prompt for request in server.requests[begun:])
    # Only what was under way when a life ended is paid for again.
    assert (times - whole).total() <= KILLS * CONNECTIONS
    said = [json.loads((tmp_path / name / "said.json").read_text()) for name in ("undisturbed", "killed")]
    assert said[0] == said[1]
    assert len(said[0]["relevant"]) == 3 * CONVERSATIONS
    assert said[0]["figures"]["asked_singly"] == 2 * 5
