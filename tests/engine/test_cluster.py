"""Work on a cluster of Ray, and without Ray."""

import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from engine.planned_stage import Planned, Squares
from ray_cluster import NODE
from tellapart.engine import EngineOptions, Folder, open_engine, open_spread, run_stage
from tellapart.errors import MissingExtra, UsageError

TASKS = [Planned(number) for number in range(6)]


@pytest.fixture
def stage(tmp_path):
    return Squares(tmp_path / "journal", Folder(str(tmp_path / "work")))


def run(cluster, stage, tasks, workers=2):
    with open_engine(EngineOptions("ray", workers, address=cluster.address)) as engine:
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


def processes(stage):
    return [int(words[2]) for words in stage.noted() if words[0] == "begin"]


class TestOnACluster:
    pytestmark = [pytest.mark.process, pytest.mark.slow]

    def test_the_same_receipts_as_here(self, cluster, stage, tmp_path):
        here = Squares(tmp_path / "here", Folder(str(tmp_path / "here_work")))
        with open_engine(EngineOptions(workers=1)) as engine:
            expected = run_stage(engine, here.work, here, TASKS)
        assert run(cluster, stage, TASKS) == expected
        assert [(file.name, stage.work.read(file.name)) for file in stage.work.files()] == [
            (file.name, here.work.read(file.name)) for file in here.work.files()
        ]

    def test_an_actor_that_is_killed_is_replaced(self, cluster, stage):
        tasks = [Planned(0), Planned(1, kills=1), Planned(2), Planned(3, kills=2)]
        assert [receipt["square"] for receipt in run(cluster, stage, tasks)] == [0, 1, 4, 9]
        assert sorted(begun(stage)) == [0, 1, 1, 2, 3, 3, 3]
        assert ended(stage) == [0, 1, 2, 3]

    def test_idle_actors_that_are_gone_are_not_held_against_a_task(self, cluster, stage):
        with open_engine(EngineOptions("ray", 4, address=cluster.address)) as engine:
            run_stage(engine, stage.work, stage, [Planned(number, waits_s=5.0) for number in range(4)])
            assert len(engine.idle) == 4
            for process in processes(stage):
                os.kill(process, signal.SIGKILL)
            again = Squares(stage.journal, stage.work, name="again")
            assert run_stage(engine, stage.work, again, [Planned(9)])[0]["square"] == 81

    def test_a_machine_that_goes_in_the_middle(self, cluster, stage):
        lost = cluster.add_node(**NODE, num_cpus=1)
        cluster.wait_for_nodes()

        def go():
            wait_until(lambda: len(set(begun(stage))) >= 5)
            cluster.remove_node(lost, allow_graceful=False)

        thread = Thread(target=go)
        thread.start()
        tasks = [Planned(number, waits_s=2.0) for number in range(9)]
        receipts = run(cluster, stage, tasks, workers=6)
        thread.join()
        assert [receipt["square"] for receipt in receipts] == [number**2 for number in range(9)]
        # Two actors were on each machine.
        assert set(ended(stage)) == set(range(9))
        assert len(begun(stage)) > 9

    def test_a_driver_that_is_killed(self, cluster, stage, tmp_path):
        program = tmp_path / "program.py"
        program.write_text(PROGRAM)
        arguments = [sys.executable, program, tmp_path, cluster.address]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        driver = subprocess.Popen([*arguments, "1.5"], env=environment)
        wait_until(lambda: len(ended(stage)) >= 2)
        driver.kill()
        driver.wait()
        kept = {file.name: file.version for file in stage.work.child("receipts/squares").files()}
        assert 0 < len(kept) < 6
        subprocess.run([*arguments, "0"], env=environment, check=True, timeout=120)
        now = {file.name: file.version for file in stage.work.child("receipts/squares").files()}
        assert len(now) == 6
        assert kept.items() <= now.items()


PROGRAM = """
import sys
from pathlib import Path
from engine.planned_stage import Planned, Squares
from tellapart.engine import EngineOptions, Folder, open_engine, run_stage

stage = Squares(Path(sys.argv[1], "journal"), Folder(sys.argv[1] + "/work"))
with open_engine(EngineOptions("ray", 2, address=sys.argv[2])) as engine:
    run_stage(engine, stage.work, stage, [Planned(number, waits_s=float(sys.argv[3])) for number in range(6)])
"""


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


@pytest.mark.process
@pytest.mark.slow
def test_the_local_engine_does_not_look_for_ray(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WITHOUT_RAY)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, program, tmp_path], env=environment, check=True, timeout=60)


WITHOUT_RAY = """
import sys
from pathlib import Path
sys.modules["ray"] = None
from engine.planned_stage import Planned, Squares
from tellapart.engine import EngineOptions, Folder, open_engine, run_stage

if __name__ == "__main__":
    stage = Squares(Path(sys.argv[1], "journal"), Folder(sys.argv[1] + "/work"))
    with open_engine(EngineOptions(workers=1)) as engine:
        assert run_stage(engine, stage.work, stage, [Planned(3)])[0]["square"] == 9
"""


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
