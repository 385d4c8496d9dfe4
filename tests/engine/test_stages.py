import os
import subprocess
import sys
import time
from collections import Counter

import pytest

from engine.planned_stage import Additions, Planned, Squares
from tellapart.core.jobs import Made
from tellapart.engine import EngineOptions, Folder, open_engine, open_spread, run_stage
from tellapart.engine.stages import ATTEMPTS, WorkerLostError
from tellapart.errors import InputError

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture
def stage(tmp_path):
    return Squares(tmp_path / "journal", Folder(str(tmp_path / "work")))


@pytest.fixture(scope="module")
def engine():
    """Up to three processes, which all tests use one after the other: they are slow to start."""
    with open_engine(EngineOptions(workers=3)) as engine:
        yield engine


@pytest.fixture
def run(engine, monkeypatch):
    """Do tasks with so many workers."""

    def run(stage, tasks, workers=2):
        monkeypatch.setattr(engine, "workers", workers)
        return run_stage(engine, stage.work, stage, tasks)

    return run


def counted(stage, what):
    return Counter(int(words[1]) for words in stage.noted() if words[0] == what)


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(holds, limit_s=30.0):
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.01)


def test_the_same_receipts_for_any_number_of_workers(run, tmp_path):
    tasks = [Planned(number) for number in range(7)]
    stages = [Squares(tmp_path / f"journal{n}", Folder(str(tmp_path / f"work{n}"))) for n in (1, 2, 3)]
    first, *others = (run(stage, tasks, workers) for workers, stage in enumerate(stages, start=1))
    assert [receipt["square"] for receipt in first] == [0, 1, 4, 9, 16, 25, 36]
    assert others == [first, first]
    files = [[(entry.name, stage.work.read(entry.name)) for entry in stage.work.files()] for stage in stages]
    assert files[0] == files[1] == files[2]
    # A worker opens a stage once, however many tasks it does.
    assert [sum(words == ["open"] for words in stages[0].noted())] == [1]


def test_a_task_whose_worker_is_killed_is_done_again_and_the_others_once(run, stage):
    tasks = [Planned(0), Planned(1, kills=1), Planned(2), Planned(3, kills=2), Planned(4)]
    receipts = run(stage, tasks)
    assert [receipt["square"] for receipt in receipts] == [0, 1, 4, 9, 16]
    assert counted(stage, "begin") == {0: 1, 1: 2, 2: 1, 3: 3, 4: 1}
    assert counted(stage, "end") == dict.fromkeys(range(5), 1)


def test_a_task_that_takes_all_its_workers_down_is_named(run, stage):
    tasks = [Planned(0), Planned(1), Planned(2, kills=99), Planned(3)]
    with pytest.raises(WorkerLostError, match="number 2: 3 workers in a row.*killed by SIGKILL") as caught:
        run(stage, tasks)
    assert caught.value.where == "number 2"
    assert "--workers" in caught.value.next_step
    assert counted(stage, "begin")[2] == ATTEMPTS
    assert counted(stage, "end")[0] == counted(stage, "end")[1] == 1


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_error_in_order_is_raised_whatever_comes_first(run, stage, workers):
    tasks = [Planned(0), Planned(1, waits_s=0.2, fails="input"), Planned(2, fails="input"), Planned(3)]
    with pytest.raises(InputError) as caught:
        run(stage, tasks, workers)
    assert caught.value.where == "rows.jsonl:1"
    assert caught.value.what == "task 1 is bad"
    assert caught.value.next_step == "Mend it"


@pytest.mark.parametrize("workers", [1, 3])
def test_a_task_that_is_to_be_done_again_may_still_have_the_first_error(run, stage, workers):
    tasks = [Planned(0, waits_s=0.2, kills=1, fails="input"), Planned(1, fails="input")]
    with pytest.raises(InputError, match="task 0 is bad"):
        run(stage, tasks, workers)


def test_an_error_that_cannot_be_received_arrives_in_words(run, stage):
    with pytest.raises(RuntimeError, match="PickyError: code 1") as caught:
        run(stage, [Planned(0), Planned(1, fails="picky")])
    assert any("in do" in note for note in caught.value.__notes__)


def test_what_is_finished_is_not_done_again_but_what_is_damaged_is(run, stage, tmp_path):
    tasks = [Planned(number) for number in range(5)]
    first = run(stage, tasks)
    receipts = sorted((tmp_path / "work/receipts/squares").iterdir())
    kept = [path.stat().st_mtime_ns for path in receipts]
    receipts[1].unlink()
    receipts[3].write_bytes(receipts[3].read_bytes()[:-3])
    assert run(stage, tasks) == first
    assert counted(stage, "end") == {0: 1, 1: 2, 2: 1, 3: 2, 4: 1}
    assert [path.stat().st_mtime_ns for path in receipts][::2] == kept[::2]


# Where Ray is not installed.
PROGRAM = """
import sys
from pathlib import Path
sys.modules["ray"] = None
from engine.planned_stage import Planned, Squares
from tellapart.engine import EngineOptions, Folder, open_engine, run_stage

if __name__ == "__main__":
    stage = Squares(Path(sys.argv[1], "journal"), Folder(sys.argv[1] + "/work"))
    with open_engine(EngineOptions(workers=2)) as engine:
        tasks = [Planned(number, waits_s=float(sys.argv[2])) for number in range(6)]
        run_stage(engine, stage.work, stage, tasks)
"""


def test_workers_end_with_a_parent_that_is_killed_and_the_rest_can_be_done(stage, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, program, tmp_path, "60"], env=environment)
    wait_until(lambda: stage.begun(0) and stage.begun(1))
    parent.kill()
    parent.wait()
    workers = [int(words[2]) for words in stage.noted() if words[0] == "begin"]
    assert len(workers) == 2
    wait_until(lambda: not any(map(is_alive, workers)), limit_s=5)
    assert not counted(stage, "end")
    subprocess.run([sys.executable, program, tmp_path, "0"], env=environment, check=True)
    assert counted(stage, "end") == dict.fromkeys(range(6), 1)


def test_results_come_to_the_caller_and_a_job_is_sent_once(tmp_path):
    job = Additions(tmp_path / "journal")
    tasks = Made(9, lambda number: (number, 20))
    with open_spread(EngineOptions(workers=2)) as spread:
        assert not job.journal.exists()
        for _ in range(2):
            assert dict(spread(job, tasks)) == {number: number + 20 for number in range(9)}
        assert job.journal.read_text() == "open\n" * 2
