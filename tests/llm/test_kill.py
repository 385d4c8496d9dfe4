"""A run that is killed again and again loses no answer and asks none twice."""

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from nursery import Nursery
from support.loopback import LoopbackServer
from support.recorded import calls_of, record_of
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.building import draft, freeze
from tellapart.offline.contrastive import overlap

KILLS, CONNECTIONS = 4, 6

MODULES = ("tellapart.contrastive.running", "tellapart.llm.asking")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Items of every level about 12 units: enough for five lives."""
    package = Path(__file__).parents[1] / "contrastive" / "fixtures" / "package"
    out = tmp_path_factory.mktemp("frozen") / "bench"
    freeze(draft([package], BuildOptions(targets=12)), out)
    return out


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(lambda request: overlap(request.prompt), latency_s=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def nursery(parent, server, tmp_path_factory):
    return Nursery(parent, server, tmp_path_factory.mktemp("runs"), *MODULES)


def run_command(bench, out):
    asked = ("--llm", "anthropic/m", "--max-connections", str(CONNECTIONS))
    return ("contrastive", "run", str(bench), *asked, "--out", str(out))


@pytest.fixture(scope="module")
def undisturbed(bench, nursery, tmp_path_factory):
    """The directory of a run that nobody touched."""
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    nursery.begin(*run_command(bench, out))
    assert nursery.ended() == 0, nursery.said()
    return out


def answered(partial):
    """Prompts whose replies are in the journal."""
    return {call["messages"][0]["content"] for call in calls_of(partial) if "reply" in call}


def stop_after(server, nursery, pid, requests, seconds, how):
    """Send a signal once ``requests`` more have arrived and a moment later."""
    before = len(server.requests)

    while len(server.requests) < before + requests:
        os.kill(pid, 0)  # There is no such process where the run ended before it was to be stopped.
        time.sleep(0.005)
    time.sleep(seconds)
    os.kill(pid, how)
    return nursery.ended()


def same(run, other):
    """Whether two runs hold the same tables, byte for byte, and the same facts about the model."""
    names = ("items.parquet", "scores.parquet")
    assert [(run / name).read_bytes() for name in names] == [(other / name).read_bytes() for name in names]
    records = [record_of(path) for path in (run, other)]
    for record in records:
        record["models"]["anthropic/m"].pop("requests")
    assert records[0] == records[1]


def test_kills_lose_no_answer_and_ask_none_twice(bench, server, nursery, undisturbed, tmp_path):
    rng = random.Random(5)
    out, begun = tmp_path / "run", len(server.requests)
    known: set[str] = set()
    lives = []
    for _ in range(KILLS):
        pid = nursery.begin(*run_command(bench, out))
        first = len(server.requests)
        code = stop_after(server, nursery, pid, rng.randint(1, 12), rng.uniform(0, 0.1), signal.SIGKILL)
        assert code == -signal.SIGKILL
        lives.append([request.prompt for request in server.requests[first:]])
        assert not known & set(lives[-1])
        grown = answered(out.with_name("run.partial"))
        assert known <= grown
        known = grown
    assert len(known) > KILLS
    nursery.begin(*run_command(bench, out))
    first = len(server.requests)
    assert nursery.ended() == 0, nursery.said()
    last = [request.prompt for request in server.requests[first:]]
    assert not known & set(last)
    # Language models pass over the pool.
    items = read_benchmark(bench).sets.filter(pl.col("difficulty") != "pool").height
    times = Counter(request.prompt for request in server.requests[begun:])
    assert len(times) == items
    # Only what was under way when a life ended is asked again.
    for number, prompts in enumerate(lives):
        later = {prompt for life in [*lives[number + 1 :], last] for prompt in life}
        assert len(set(prompts) & later) <= CONNECTIONS
    same(out, undisturbed)
