import subprocess
import sys

import polars as pl
import pytest

from tellapart.errors import InputError, Refused, UsageError
from tellapart.store import (
    RunDirectory,
    delete_run,
    finished_steps,
    list_runs,
    new_record,
    run_name,
    writing,
)


def record(**config):
    return new_record("contrastive", config or {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42)


def test_a_finished_run_has_its_name_and_its_record(tmp_path):
    with writing(tmp_path / "r", record()) as run:
        run.write_frame("items.parquet", pl.DataFrame({"x": [1]}))
        run.record.counts = {"items": 1}
        assert not (tmp_path / "r").exists()
    found = RunDirectory.open(tmp_path / "r")
    assert (found.record.status, found.record.counts, found.record.seed) == ("complete", {"items": 1}, 42)
    assert found.frame("items.parquet")["x"].to_list() == [1]
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "r", record()) as run:
        run.finish_step("bm25", fingerprint="f")
        raise KeyboardInterrupt
    with pytest.raises(InputError, match="not complete.*resume"):
        RunDirectory.open(tmp_path / "r")
    with writing(tmp_path / "r", record()) as run:
        assert run.done("bm25")
        assert not run.done("lsa")


def test_what_an_interrupted_run_finished_is_known_before_it_goes_on(tmp_path):
    assert finished_steps(tmp_path / "r") == set()
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "r", record()) as run:
        run.finish_step("bm25", fingerprint="f")
        raise KeyboardInterrupt
    assert finished_steps(tmp_path / "r") == {"bm25"}


def test_an_interrupted_run_of_another_question_is_not_taken_over(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "r", record()):
        raise KeyboardInterrupt
    with pytest.raises(UsageError, match="another config"), writing(tmp_path / "r", record(models=["lsa"])):
        pass


def test_a_complete_run_is_never_overwritten(tmp_path):
    with writing(tmp_path / "r", record()):
        pass
    with pytest.raises(UsageError, match="exists already"), writing(tmp_path / "r", record()):
        pass


HOLD = """
import sys, time
from pathlib import Path
from tellapart.store import new_record, writing
record = new_record("contrastive", {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42)
with writing(Path(sys.argv[1]), record) as run:
    run.finish_step("one")
    print("ready", flush=True)
    time.sleep(60)
"""


def test_two_processes_do_not_share_a_run_and_kill_leaves_it_resumable(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "r"], stdout=subprocess.PIPE)
    with other:
        assert other.stdout.readline() == b"ready\n"
        with pytest.raises(Refused, match="another process"), writing(tmp_path / "r", record()):
            pass
        other.kill()
    with writing(tmp_path / "r", record()) as run:
        assert run.done("one")


def test_names_follow_from_the_question():
    first = run_name("contrastive", {"models": ["a"]}, {"benchmark": "x"})
    assert first == run_name("contrastive", {"models": ["a"]}, {"benchmark": "x"})
    assert first != run_name("contrastive", {"models": ["b"]}, {"benchmark": "x"})


def test_lists_and_deletes(tmp_path):
    assert list_runs(tmp_path / "none") == []
    with writing(tmp_path / "a", record()):
        pass
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "b", record()):
        raise KeyboardInterrupt
    assert [(path.name, found.status) for path, found in list_runs(tmp_path)] == [
        ("a", "complete"),
        ("b.partial", "running"),
    ]
    for path, _ in list_runs(tmp_path):
        delete_run(path)
    assert list(tmp_path.iterdir()) == []


def test_only_run_directories_are_deleted(tmp_path):
    (tmp_path / "precious").mkdir()
    with pytest.raises(InputError, match="not a run directory"):
        delete_run(tmp_path / "precious")
    assert (tmp_path / "precious").is_dir()


def test_a_record_that_was_edited_is_refused(tmp_path):
    with writing(tmp_path / "r", record()):
        pass
    file = tmp_path / "r" / "run.json"
    file.write_text(file.read_text().replace('"schema_version": 1', '"schema_version": 9'))
    with pytest.raises(InputError, match=r"run\.json.*schema_version"):
        RunDirectory.open(tmp_path / "r")


def test_equal_frames_are_equal_bytes(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y"], "b": [[1.5], None]})
    for name in ("r1", "r2"):
        with writing(tmp_path / name, record()) as run:
            run.write_frame("f.parquet", frame)
    assert (tmp_path / "r1/f.parquet").read_bytes() == (tmp_path / "r2/f.parquet").read_bytes()


def test_a_damaged_parquet_file_is_named(tmp_path):
    with writing(tmp_path / "r", record()) as run:
        run.write_frame("f.parquet", pl.DataFrame({"a": [1]}))
    (tmp_path / "r" / "f.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"f\.parquet"):
        RunDirectory.open(tmp_path / "r").frame("f.parquet")


def test_an_incomplete_run_is_not_opened_by_its_temporary_name(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "r", record()):
        raise KeyboardInterrupt
    with pytest.raises(InputError, match="not complete"):
        RunDirectory.open(tmp_path / "r.partial")


def test_one_unreadable_record_does_not_hide_the_others(tmp_path):
    for name in ("a", "b"):
        with writing(tmp_path / name, record()):
            pass
    (tmp_path / "a" / "run.json").write_text("{")
    assert [(path.name, found is None) for path, found in list_runs(tmp_path)] == [("a", True), ("b", False)]


def test_a_run_is_not_resumed_by_another_version(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "r", record()):
        raise KeyboardInterrupt
    other = record()
    other.tellapart_version = "9.9"
    with pytest.raises(UsageError, match="another tellapart_version"), writing(tmp_path / "r", other):
        pass
