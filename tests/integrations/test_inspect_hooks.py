"""The hook in a real ``inspect_ai.eval``, in a process of its own: what it writes is what the log holds."""

import json
import os
import subprocess
import sys

import pytest

from tellapart.readers import read_scores

pytestmark = [pytest.mark.slow, pytest.mark.process]

SCRIPT = '''
import json
from inspect_ai import Task, eval, eval_retry, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from tellapart.integrations import inspect_hooks

SAMPLES = [
    Sample(id=f"q{i}", input=f"{i}", target=f"{i % 3}", metadata={"kind": "odd" if i % 2 else "even"})
    for i in range(1, 7)
]

@solver
def fragile():
    """Answers 1 always, which is right for q1 and q4; the network is down for q2."""

    async def solve(state, generate):
        if state.sample_id == "q2":
            raise RuntimeError("Connection reset by peer")
        state.output = ModelOutput.from_content("mockllm/one", "1")
        return state

    return solve

@task
def remainders():
    return Task(dataset=MemoryDataset(SAMPLES, name="remainders"), solver=[fragile()], scorer=includes())

written, write = [], inspect_hooks.write_frame

def write_and_count(path, frame, notes):
    write(path, frame, notes)
    written.append(frame.height)

inspect_hooks._PAUSE, inspect_hooks.write_frame = 0, write_and_count
common = {"display": "none", "max_samples": 1}
of = lambda log: [log.status, log.results and log.results.scores[0].metrics["accuracy"].value, len(written)]
one, = eval(remainders, model="mockllm/one", epochs=2, fail_on_error=False, log_dir="logs", **common)
report = [of(one), list(written)]
failed, = eval(remainders, model="mockllm/one", fail_on_error=True, log_dir="retried", **common)
table, = [path for path in inspect_hooks.Path("scores").iterdir() if failed.eval.task_id in path.name]
inspect_hooks.Path("failed").mkdir()
table.rename(inspect_hooks.Path("failed", table.name))
again, = eval_retry(failed, score_on_error=True, fail_on_error=False, log_dir="retried", **common)
ids = [one.eval.task_id, failed.eval.task_id, again.eval.task_id]
print(json.dumps([*report, of(failed), of(again), ids]))
'''


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder of the runs, and what Inspect says of them."""
    folder = tmp_path_factory.mktemp("inspect")
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "TELLAPART_SCORES": "scores"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env=os.environ | home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout.splitlines()[-1])


def table_of(folder, task_id):
    (path,) = (path for path in folder.iterdir() if task_id in path.name)
    return read_scores([path]).table


def test_the_table_is_that_of_the_log_with_epochs_strata_and_errors(ran):
    folder, ((status, accuracy, _), written, _, _, (task_id, _, _)) = ran
    assert (status, accuracy) == ("success", pytest.approx(2 / 5))
    table, of_log = table_of(folder / "scores", task_id), read_scores([folder / "logs"]).table
    assert table.frame.equals(of_log.frame)
    assert table.frame["score"].mean() == pytest.approx(2 / 5)
    assert table.frame.filter(item="remainders/q2")["missing"].to_list() == ["provider", "provider"]
    assert table.frame["replicate"].to_list() == [0, 1] * 6
    assert set(table.strata) == {"kind", "task"}
    assert written == [*range(1, 13), 12]


def test_a_continued_run_replaces_the_table_and_errors_that_are_scored_are_reported(ran):
    folder, (_, _, (failed, _, _), (status, accuracy, _), (_, task_id, again)) = ran
    assert (failed, status, task_id) == ("error", "success", again)
    assert accuracy == pytest.approx(2 / 6)
    first = table_of(folder / "failed", task_id).frame
    assert first.filter(item="remainders/q2")["missing"].to_list() == ["provider"]
    table = table_of(folder / "scores", task_id)
    assert table.frame["score"].to_list() == [1, 0, 0, 1, 0, 0]
    assert table.notes.cautions == (
        "1 sample of mockllm/one ended with an error and counts as scored (mean 0): score_on_error is on.",
    )
    reading = read_scores([folder / "retried"])
    assert reading.table.frame.equals(table.frame)
    assert any("of each sample the latest attempt counts" in note for note in reading.notes)
