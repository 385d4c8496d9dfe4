import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from embed.conftest import tiny_model  # noqa: F401
from planned_job import Planned, Squares
from ray_cluster import NODE, cluster  # noqa: F401
from support.recorded import entries_of
from tellapart.core.jobs import Made
from tellapart.engines import EngineOptions
from tellapart.errors import InputError, MissingExtra, UsageError
from tellapart.parallel import RETRIES, WorkerLostError, named_spread, open_spread

slow = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture
def job(tmp_path):
    return Squares(tmp_path / "journal")


@pytest.fixture(scope="class", params=["local", "ray"])
def spread(request):
    """Two workers, which all tests use one after the other: they are slow to start."""
    if request.param == "ray":
        options = EngineOptions("ray", 2, address=request.getfixturevalue("cluster").address)
    else:
        options = EngineOptions(workers=2)
    with open_spread(options) as spread:
        yield spread


def wait_until(holds, limit_s=30.0):
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.01)


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("fault", [OSError("handle is closed"), ValueError("bad value(s) in fds_to_keep")])
def test_workers_that_are_lost_while_another_starts_are_replaced(job, monkeypatch, fault):
    start, faults = ProcessPoolExecutor._adjust_process_count, [fault]

    def breaks_once(executor):
        if faults:
            raise faults.pop()
        start(executor)

    monkeypatch.setattr(ProcessPoolExecutor, "_adjust_process_count", breaks_once)
    with open_spread(EngineOptions(workers=2)) as spread:
        assert dict(spread(job, [Planned(5)])) == {0: (25, "1")}
    assert not faults


class TestBothEngines:
    pytestmark = slow

    def test_results_come_in_order_and_a_worker_opens_a_job_once(self, spread, job):
        tasks = Made(9, lambda number: Planned(number, waits_s=0.2 if number == 0 else 0.0))
        assert list(spread(job, tasks)) == [(number, (number**2, "1")) for number in range(9)]
        opened = job.noted("open")
        assert len(opened) == len(set(opened)) and os.getpid() not in opened

    def test_a_task_whose_worker_is_killed_is_done_again(self, spread, job):
        # One at a time: a task that is lost with another's worker has one try less.
        for killer, kills in ((1, 1), (4, RETRIES)):
            tasks = [Planned(killer - 1), Planned(killer, kills=kills), Planned(killer + 1)]
            wanted = [number**2 for number in (killer - 1, killer, killer + 1)]
            assert [result for _, (result, _) in spread(job, tasks)] == wanted
            assert Counter(job.noted("begin"))[killer] == kills + 1

    def test_a_task_that_takes_all_its_workers_down_is_named(self, spread, job):
        tasks = [Planned(0), Planned(1), Planned(2, kills=99), *map(Planned, range(3, 30))]
        results = spread(job, tasks)
        assert [next(results)[0], next(results)[0]] == [0, 1]
        with pytest.raises(WorkerLostError, match="3 workers in a row were lost here") as caught:
            next(results)
        assert caught.value.where == "number 2" and "--workers" in caught.value.next_step
        begun = Counter(job.noted("begin"))
        assert begun[2] == RETRIES + 1 and begun[29] == 0
        assert dict(spread(job, [Planned(5)])) == {0: (25, "1")}

    def test_the_first_error_in_order_is_raised_whatever_comes_first(self, spread, job):
        tasks = [Planned(0), Planned(1, waits_s=0.3, fails="input"), Planned(2, fails="input")]
        with pytest.raises(InputError) as caught:
            list(spread(job, tasks))
        assert caught.value.what == "task 1 is bad" and caught.value.next_step == "Mend it"

    def test_an_error_that_cannot_be_received_arrives_in_words(self, spread, job):
        with pytest.raises(RuntimeError, match="PickyError: code 1") as caught:
            list(spread(job, [Planned(0), Planned(1, fails="picky")]))
        assert any("in do" in note for note in caught.value.__notes__)


PROGRAM = """
import sys
from pathlib import Path
sys.modules["ray"] = None
from planned_job import Planned, Squares
from tellapart.engines import EngineOptions
from tellapart.parallel import open_spread

if __name__ == "__main__":
    with open_spread(EngineOptions(workers=2)) as spread:
        list(spread(Squares(Path(sys.argv[1])), [Planned(number, waits_s=60.0) for number in range(6)]))
"""


@pytest.mark.process
def test_a_script_whose_workers_run_it_again_is_told_of_its_guard(job, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace('if __name__ == "__main__":', "if True:"))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, program, job.journal], env=environment, capture_output=True, text=True
    )
    last = ran.stderr.splitlines()[-1]
    assert ran.returncode == 1 and "No worker came as far as to begin" in last, ran.stderr
    assert "if __name__ == '__main__':" in last and "take this part out" not in last


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGINT"])
def test_workers_end_with_their_command(job, tmp_path, signal_name):
    import signal

    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen(
        [sys.executable, program, job.journal],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: len(job.noted("begin")) == 2)
    workers = job.noted("open")
    if signal_name == "SIGINT":
        # As a terminal sends it: to all processes.
        os.killpg(parent.pid, signal.SIGINT)
    else:
        parent.kill()
    _, errors = parent.communicate(timeout=10)
    assert len(workers) == 2
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), limit_s=5)
    assert errors.count("KeyboardInterrupt") <= 1


@pytest.mark.process
@pytest.mark.slow
def test_a_machine_that_goes_in_the_middle(cluster, job):  # noqa: F811
    lost = cluster.add_node(**NODE, num_cpus=2)
    cluster.wait_for_nodes()
    with open_spread(EngineOptions("ray", 4, address=cluster.address)) as spread:
        results = spread(job, [Planned(number, waits_s=1.0) for number in range(8)])
        first = next(results)
        cluster.remove_node(lost, allow_graceful=False)
        assert [first, *results] == [(number, (number**2, "1")) for number in range(8)]


@pytest.mark.process
@pytest.mark.slow
def test_a_run_has_the_same_bytes_by_either_engine_and_any_number_of_workers(
    cluster,  # noqa: F811
    tellapart,
    tiny_bench,
    tiny_model,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    sums = []
    for engine in (("local", "--workers", 2), ("ray", "--address", cluster.address, "--workers", 1)):
        monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / f"{engine[0]}.sqlite"))
        command = ("run", tiny_bench, "--model", f"st:{tiny_model}", "--out", tmp_path / engine[0])
        ran = tellapart("contrastive", *command, "--engine", *engine)
        assert ran.code == 0, ran.err
        sums.append(entries_of(tmp_path / engine[0], "files"))
    assert sums[0] == sums[1]


def test_what_is_for_an_engine_is_refused_without_one():
    with named_spread(EngineOptions()) as spread:
        assert spread is None
    with (
        pytest.raises(UsageError, match="--workers is for an engine"),
        named_spread(EngineOptions(workers=3)),
    ):
        pass
    for settings in (EngineOptions(address="auto"), EngineOptions("local", num_gpus=1)):
        with pytest.raises(UsageError, match="are for clusters"), named_spread(settings):
            pass


@pytest.mark.parametrize("address", ["nonsense", "", "localhost", "localhost:x"])
def test_what_is_no_address_is_refused_before_anything_is_done(address):
    options = EngineOptions("ray", address=address)
    with pytest.raises(UsageError, match="expected auto, HOST:PORT or ray"), open_spread(options):
        pass


def test_an_address_where_nothing_listens_is_refused_at_once():
    began = time.monotonic()
    nowhere = open_spread(EngineOptions("ray", address="127.0.0.1:9"))
    with pytest.raises(UsageError, match="joined at --address '127.0.0.1:9'.*ray start"), nowhere:
        pass
    assert time.monotonic() - began < 15


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"--engine ray needs .* pip install 'tellapart\[ray\]'"):
        EngineOptions("ray").check()
