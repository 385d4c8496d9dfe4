"""Work on a cluster of Ray, and without Ray."""

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from engine.planned_stage import Additions, Planned, Squares
from ray_cluster import NODE
from support.engine import InProcessEngine
from tellapart.core.jobs import Made
from tellapart.engine import EngineOptions, Folder, do_tasks, open_engine, open_spread, run_stage
from tellapart.errors import MissingExtra, UsageError

TASKS = [Planned(number) for number in range(6)]


@pytest.fixture
def stage(tmp_path):
    return Squares(tmp_path / "journal", Folder(str(tmp_path / "work")))


@pytest.fixture(scope="module")
def engine(cluster):
    """Up to three actors, which all tests use one after the other: they are slow to start."""
    with open_engine(EngineOptions("ray", 3, address=cluster.address)) as engine:
        yield engine


def run(engine, stage, tasks):
    return run_stage(engine, stage.work, stage, tasks)


def wait_until(holds, limit_s=60.0):
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.01)


def begun(stage):
    return [int(words[1]) for words in stage.noted() if words[0] == "begin"]


def ended(stage):
    return sorted(int(words[1]) for words in stage.noted() if words[0] == "end")


class TestOnACluster:
    pytestmark = [pytest.mark.process, pytest.mark.slow]

    def test_the_same_receipts_as_here(self, engine, stage, tmp_path):
        here = Squares(tmp_path / "here", Folder(str(tmp_path / "here_work")))
        expected = run_stage(InProcessEngine(), here.work, here, TASKS)
        assert run(engine, stage, TASKS) == expected
        assert [(file.name, stage.work.read(file.name)) for file in stage.work.files()] == [
            (file.name, here.work.read(file.name)) for file in here.work.files()
        ]

    def test_results_come_to_the_caller_and_a_job_goes_to_each_actor_once(self, engine, tmp_path):
        job = Additions(tmp_path / "journal")
        results = dict(do_tasks(engine, job, Made(9, lambda number: (number, 20))))
        assert results == {number: number + 20 for number in range(9)}
        assert job.journal.read_text().count("open") <= engine.workers

    def test_an_actor_that_is_killed_is_replaced(self, engine, stage):
        tasks = [Planned(0), Planned(1, kills=1), Planned(2), Planned(3, kills=2)]
        assert [receipt["square"] for receipt in run(engine, stage, tasks)] == [0, 1, 4, 9]
        assert sorted(begun(stage)) == [0, 1, 1, 2, 3, 3, 3]
        assert ended(stage) == [0, 1, 2, 3]

    def test_a_machine_that_goes_in_the_middle(self, cluster, engine, stage, monkeypatch):
        lost = cluster.add_node(**NODE, num_cpus=1)
        cluster.wait_for_nodes()

        def go():
            wait_until(lambda: len(begun(stage)) == 5)
            cluster.remove_node(lost, allow_graceful=False)
            stage.note("gone")

        thread = Thread(target=go)
        thread.start()
        # The machine that stays has room for four.
        monkeypatch.setattr(engine, "workers", 5)
        receipts = run(engine, stage, [Planned(number, awaits="gone") for number in range(9)])
        thread.join()
        assert [receipt["square"] for receipt in receipts] == [number**2 for number in range(9)]
        assert set(ended(stage)) == set(range(9))
        assert len(begun(stage)) > 9


def test_an_address_where_nobody_is_is_told_at_once():
    pytest.importorskip("ray")
    began = time.monotonic()
    with (
        pytest.raises(UsageError, match="no Ray cluster can be joined at --address '127.0.0.1:9'") as raised,
        open_engine(EngineOptions("ray", address="127.0.0.1:9")),
    ):
        pass
    assert "ray start --head" in raised.value.next_step
    assert time.monotonic() - began < 15


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(MissingExtra, match=r"--engine ray needs .* pip install 'tellapart\[ray\]'"),
        open_engine(EngineOptions("ray")),
    ):
        pass


@pytest.mark.parametrize("address", ["nonsense", "", "localhost", "localhost:x"])
def test_what_is_no_address_is_refused_before_anything_is_done(address):
    with (
        pytest.raises(UsageError, match="expected auto, HOST:PORT or ray://HOST:PORT"),
        open_spread(EngineOptions("ray", address=address)),
    ):
        pass


def test_a_server_of_something_else_is_noticed_at_once():
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{server.server_port}"
    with (
        pytest.raises(UsageError, match=f"at --address '{address}': what listens there is no server of Ray"),
        open_spread(EngineOptions("ray", address=address)),
    ):
        pass
    server.shutdown()
    server.server_close()
