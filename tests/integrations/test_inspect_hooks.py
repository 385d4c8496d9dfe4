"""The hook in a real ``inspect eval``: what it writes is what the log holds."""

import pytest
from inspect_ai import Task, eval, eval_retry, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver

from tellapart.audit.reading import read_scores
from tellapart.integrations import inspect_hooks

SAMPLES = [
    Sample(id=f"q{i}", input=f"{i}", target=f"{i % 3}", metadata={"kind": "odd" if i % 2 else "even"})
    for i in range(1, 7)
]
NETWORK = {"is down": True}


@solver
def fragile():
    """Answers 1 always, which is right for q1 and q4; no answer to q2 while the network is down."""

    async def solve(state, generate):
        if NETWORK["is down"] and state.sample_id == "q2":
            raise RuntimeError("Connection reset by peer")
        state.output = ModelOutput.from_content("mockllm/one", "1")
        return state

    return solve


@task
def remainders():
    return Task(dataset=MemoryDataset(SAMPLES, name="remainders"), solver=[fragile()], scorer=includes())


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv(inspect_hooks.FOLDER_VARIABLE, str(tmp_path / "scores"))
    monkeypatch.setitem(NETWORK, "is down", True)
    common = {"log_dir": str(tmp_path / "logs"), "display": "none", "max_samples": 1}
    return lambda evaluate, what, **options: evaluate(what, **common, **options)[0]


def test_the_table_is_that_of_the_log_with_epochs_strata_and_errors(run, tmp_path, monkeypatch):
    written = []
    write = inspect_hooks.write_frame
    monkeypatch.setattr(inspect_hooks, "_PAUSE", 0)
    monkeypatch.setattr(
        inspect_hooks,
        "write_frame",
        lambda path, frame, notes: (written.append(frame.height), write(path, frame, notes)),
    )
    log = run(eval, remainders, model="mockllm/one", epochs=2, fail_on_error=False)
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(2 / 5)
    (path,) = (tmp_path / "scores").iterdir()
    table, of_log = read_scores([path]).table, read_scores([tmp_path / "logs"]).table
    assert table.frame.equals(of_log.frame)
    assert table.frame["score"].mean() == pytest.approx(2 / 5)
    assert table.frame.filter(item="remainders/q2")["missing"].to_list() == ["provider", "provider"]
    assert table.frame["replicate"].to_list() == [0, 1] * 6
    assert set(table.strata) == {"kind", "task"}
    assert written == [*range(1, 13), 12]


def test_a_continued_run_replaces_the_table_and_errors_that_are_scored_are_reported(run, tmp_path):
    failed = run(eval, remainders, model="mockllm/one", fail_on_error=True)
    (path,) = (tmp_path / "scores").iterdir()
    assert failed.status == "error"
    first = read_scores([path]).table.frame
    assert first.filter(item="remainders/q2")["missing"].to_list() == ["provider"]
    assert first.equals(read_scores([tmp_path / "logs"]).table.frame)
    log = run(eval_retry, failed, score_on_error=True, fail_on_error=False)
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(2 / 6)
    assert list((tmp_path / "scores").iterdir()) == [path]
    table = read_scores([path]).table
    assert table.frame["score"].to_list() == [1, 0, 0, 1, 0, 0]
    assert table.notes.cautions == (
        "1 sample of mockllm/one ended with an error and counts as scored (mean 0): score_on_error is on.",
    )
    reading = read_scores([tmp_path / "logs"])
    assert reading.table.frame.equals(table.frame)
    assert any("of each sample the latest attempt counts" in note for note in reading.notes)
