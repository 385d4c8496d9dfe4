import json
import os
import sqlite3
import subprocess
import sys

import polars as pl
import pytest

from tellapart.core.score_notes import METADATA_KEY
from tellapart.errors import FingerprintError, InputError, InUse, UsageError
from tellapart.store import RunDirectory, RunPlan, read_notes, read_record, run_name
from tellapart.store.database import DamageWarning
from tellapart.store.runs import PARTS
from tellapart.store.upkeep import check_run, delete_run, export_run, list_runs


def plan(path, **config):
    return RunPlan("contrastive", config or {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42, out=path)


def test_a_finished_run_has_its_name_and_its_record(tmp_path):
    with plan(tmp_path / "r").writing() as run:
        run.write_frame("items.parquet", pl.DataFrame({"x": [1]}))
        run.record.counts = {"items": 1}
        assert not (tmp_path / "r").exists()
    found = RunDirectory.open(tmp_path / "r")
    assert (found.record.status, found.record.counts, found.record.seed) == ("complete", {"items": 1}, 42)
    assert found.frame("items.parquet")["x"].to_list() == [1]
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    with pytest.raises(KeyboardInterrupt), plan(tmp_path / "r").writing() as run:
        run.finish_step("bm25", fingerprint="f")
        raise KeyboardInterrupt
    with pytest.raises(InputError, match="not complete.*resume"):
        RunDirectory.open(tmp_path / "r")
    with plan(tmp_path / "r").writing() as run:
        assert run.done("bm25")
        assert not run.done("lsa")
        assert run.steps == {"bm25": {"fingerprint": "f"}}


def test_a_run_on_the_disk_of_another_machine_is_whole(tmp_path, monkeypatch):
    # There the journal of the database is emptied, and goes only with the last entry.
    monkeypatch.setattr("tellapart.store.database._is_networked", lambda _: True)
    with plan(tmp_path / "r").writing() as run:
        run.write_frame("items.parquet", pl.DataFrame({"x": [1]}))
        assert (run.path / "run.db-journal").is_file()
    assert RunDirectory.open(tmp_path / "r").frame("items.parquet")["x"].to_list() == [1]


def test_an_interrupted_run_of_another_question_or_version_is_not_taken_over(tmp_path):
    with pytest.raises(KeyboardInterrupt), plan(tmp_path / "r").writing():
        raise KeyboardInterrupt
    other, later = plan(tmp_path / "r", models=["lsa"]), plan(tmp_path / "r")
    later.record.tellapart_version = "9.9"
    for new, differs in ((other, "models: there"), (later, "tellapart_version: there .*, requested '9.9'")):
        told = f"interrupted run of something else is here, with {differs}"
        with pytest.raises(UsageError, match=told), new.writing():
            pass


def test_a_complete_run_of_the_same_is_given_and_another_is_refused(tmp_path):
    lines = []
    assert plan(tmp_path / "r").finished_run("answered", lines.append) is None
    with plan(tmp_path / "r").writing() as run:
        run.record.counts = {"items": 1}
    done = plan(tmp_path / "r").finished_run("answered", lines.append)
    assert done is not None
    assert done.record.counts == {"items": 1}
    assert lines == [f"this was answered before, see {tmp_path / 'r'}"]
    with pytest.raises(UsageError, match="exists already"):
        plan(tmp_path / "r", models=["lsa"]).check_path()
    with pytest.raises(UsageError, match="exists already"), plan(tmp_path / "r").writing():
        pass
    (tmp_path / "precious").mkdir()
    with pytest.raises(InputError, match="not a run directory"):
        plan(tmp_path / "precious").check_path()


def refused(path, config=None, inputs=None, seed=1):
    """What is said where another run is, of what differs."""
    with pytest.raises(UsageError) as raised:
        RunPlan("contrastive", config or {}, inputs or {}, seed=seed, out=path).check_path()
    return raised.value.what.removeprefix("another run exists already, with ")


def test_what_differs_from_the_run_that_is_there_is_named_with_both_values(tmp_path):
    digest, other_digest = "0123456789ab" + "c" * 52, "ba9876543210" + "c" * 52
    config = {"models": ["bm25"], "judge": {"name": None, "repeats": 2}, "items": ["same"] * 20 + ["x"] * 9}
    inputs = {"benchmark": digest}
    with RunPlan("contrastive", config, inputs, seed=1, out=tmp_path / "r").writing():
        pass
    place = tmp_path / "r"
    assert refused(place, config, inputs, seed=2) == "seed: there 1, requested 2"
    assert refused(place, config | {"models": ["lsa"]}, inputs) == "models: there ['bm25'], requested ['lsa']"
    assert refused(place, config | {"judge": {"name": "j", "repeats": 2}}, inputs) == (
        "judge.name: there None, requested 'j'"
    )
    assert refused(place, config, {"benchmark": other_digest}) == (
        "inputs.benchmark: there '0123456789ab…', requested 'ba9876543210…'"
    )
    assert refused(place, config, inputs | {"x": "s"}) == "inputs.x: there nothing, requested 's'"
    assert refused(place, config | {"items": ["x" * 300]}, inputs).endswith(f"requested ['{'x' * 198}…")
    assert refused(place, {}, {}, seed=2) == (
        "seed: there 1, requested 2; models: there ['bm25'], requested nothing; judge.name: there None, "
        "requested nothing; judge.repeats: there 2, requested nothing; and 2 more"
    )


HOLD = """
import sys, time
from pathlib import Path
from tellapart.store import RunPlan
out = Path(sys.argv[1])
with RunPlan("contrastive", {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42, out=out).writing() as run:
    run.finish_step("one")
    print("ready", flush=True)
    time.sleep(60)
"""


def test_two_processes_do_not_share_a_run_and_kill_leaves_it_resumable(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "r"], stdout=subprocess.PIPE)
    with other:
        assert other.stdout.readline() == b"ready\n"
        with pytest.raises(InUse, match="another process"), plan(tmp_path / "r").writing():
            pass
        other.kill()
    with plan(tmp_path / "r").writing() as run:
        assert run.done("one")


def test_names_follow_from_the_question():
    first = run_name("contrastive", {"models": ["a"]}, {"benchmark": "x"})
    assert first == run_name("contrastive", {"models": ["a"]}, {"benchmark": "x"})
    assert first != run_name("contrastive", {"models": ["b"]}, {"benchmark": "x"})


def test_lists_and_deletes(tmp_path):
    both = {"a": "complete", "b.partial": "running"}
    assert list_runs(tmp_path / "none") == []
    with plan(tmp_path / "a").writing():
        pass
    with pytest.raises(KeyboardInterrupt), plan(tmp_path / "b").writing():
        raise KeyboardInterrupt
    assert [(at.name, of.status) for at, of in list_runs(tmp_path)] == [*both.items()]
    for path, _ in list_runs(tmp_path):
        delete_run(path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_being_deleted_is_one_until_nothing_is_left(tmp_path, monkeypatch):
    with plan(tmp_path / "a").writing() as run:
        run.write_json("artifacts/report.json", {})
    real, removed = os.unlink, []

    def killed(path, **options):
        if str(path).endswith("run.db"):
            raise KeyboardInterrupt
        removed.append(path)
        real(path, **options)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "unlink", killed)
        delete_run(tmp_path / "a")
    assert removed and [path.name for path in (tmp_path / "a").iterdir()] == ["run.db"]
    delete_run(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_only_run_directories_are_deleted(tmp_path):
    (tmp_path / "precious").mkdir()
    with pytest.raises(InputError, match="not a run directory"):
        delete_run(tmp_path / "precious")
    assert (tmp_path / "precious").is_dir()


def test_a_record_that_was_edited_is_refused(tmp_path):
    with plan(tmp_path / "r").writing():
        pass
    with sqlite3.connect(tmp_path / "r" / "run.db") as connection:
        connection.execute("UPDATE entries SET json = replace(json, 'abc', 'abd') WHERE kind = 'record'")
    with pytest.raises(FingerprintError, match=r"run\.db: this file is damaged: entry \d is not what"):
        RunDirectory.open(tmp_path / "r")
    delete_run(tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_exported_as_text_and_checked(tmp_path):
    with plan(tmp_path / "r").writing() as run:
        run.database.add("calls", {"reply": "ja"}, "k1")
        run.write_text("a.txt", "a")
        run.finish_step("one")
    assert export_run(tmp_path / "r", tmp_path / "out") == ["run.json", "calls.jsonl", "steps.jsonl"]
    assert json.loads((tmp_path / "out" / "run.json").read_text())["inputs"] == {"benchmark": "abc"}
    assert json.loads((tmp_path / "out" / "calls.jsonl").read_text()) == {"key": "k1", "reply": "ja"}
    assert check_run(tmp_path / "r").endswith(" entries, 1 files")
    (tmp_path / "r" / "a.txt").write_text("b")
    with pytest.raises(FingerprintError, match=r"a\.txt: this is not what the run wrote"):
        check_run(tmp_path / "r")


def test_equal_frames_are_equal_bytes(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y"], "b": [[1.5], None]})
    for name in ("r1", "r2"):
        with plan(tmp_path / name).writing() as run:
            run.write_frame("f.parquet", frame)
    assert (tmp_path / "r1/f.parquet").read_bytes() == (tmp_path / "r2/f.parquet").read_bytes()


def test_one_unreadable_record_does_not_hide_the_others(tmp_path):
    for name in ("a", "b"):
        with plan(tmp_path / name).writing():
            pass
    (tmp_path / "a" / "run.db").write_text("{" * 100)
    assert [(path.name, found is None) for path, found in list_runs(tmp_path)] == [("a", True), ("b", False)]


def interrupted(path):
    """A run that wrote two steps and then stopped."""
    with pytest.raises(KeyboardInterrupt), plan(path).writing() as run:
        for step in ("bm25", "lsa"):
            run.write_frame(f"{PARTS}/{step}.parquet", pl.DataFrame({"x": [step]}))
            run.finish_step(step, fingerprint="f")
        raise KeyboardInterrupt
    return path.with_name(f"{path.name}.partial") / PARTS / "bm25.parquet"


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: bytes(len(data)), None])
def test_a_step_whose_file_is_damaged_is_done_again(tmp_path, damage):
    file = interrupted(tmp_path / "r")
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage(file.read_bytes()))
    assert plan(tmp_path / "r").finished_steps() == {"lsa"}
    told = pytest.warns(DamageWarning, match=r"bm25\.parquet: .*'bm25', which wrote it, is done again")
    with told, plan(tmp_path / "r").writing() as run:
        assert run.steps == {"lsa": {"fingerprint": "f"}}
        run.write_frame(f"{PARTS}/bm25.parquet", pl.DataFrame({"x": ["bm25"]}))
        run.finish_step("bm25", fingerprint="f")
        assert run.done("bm25")


def test_a_complete_run_with_a_damaged_file_is_not_read(tmp_path):
    with plan(tmp_path / "r").writing() as run:
        run.write_frame("f.parquet", pl.DataFrame({"a": [1]}))
        run.write_frame(f"{PARTS}/p.parquet", pl.DataFrame({"a": [1]}))
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["artifacts", "f.parquet", "run.db"]
    assert list((tmp_path / "r" / "artifacts").iterdir()) == []
    data = bytearray((tmp_path / "r" / "f.parquet").read_bytes())
    data[20] ^= 1
    (tmp_path / "r" / "f.parquet").write_bytes(data)
    with pytest.raises(FingerprintError, match=r"f\.parquet: this is not what the run wrote"):
        RunDirectory.open(tmp_path / "r")
    with pytest.raises(FingerprintError):
        plan(tmp_path / "r").finished_run("answered", lambda _: None)
    # What the message says.
    delete_run(tmp_path / "r")
    assert plan(tmp_path / "r").finished_run("answered", lambda _: None) is None


def test_a_run_whose_writer_was_killed_at_the_very_end_does_nothing_again(tmp_path):
    with plan(tmp_path / "r").writing() as run:
        run.write_frame("f.parquet", pl.DataFrame({"a": [1]}))
        run.finish_step("one")
    (tmp_path / "r").rename(tmp_path / "r.partial")
    (tmp_path / "r.partial" / "lock").touch()
    other = plan(tmp_path / "r", x=1)
    with pytest.raises(UsageError, match="interrupted run of something else"), other.writing():
        pass
    assert plan(tmp_path / "r").finished_run("answered", lambda _: None) is None
    assert plan(tmp_path / "r").finished_steps() == {"one"}
    with plan(tmp_path / "r").writing() as run:
        assert run.done("one")
    assert plan(tmp_path / "r").finished_run("answered", lambda _: None) is not None
    assert not (tmp_path / "r.partial").exists()


def test_what_is_wrong_with_scores_is_told_with_their_file(tmp_path):
    path = tmp_path / "f.parquet"
    rows = {"model": ["a", "a"], "item": ["1", "1"], "score": [1.0, 0.0]}
    with plan(tmp_path / "r").writing() as run:
        run.write_frame("scores.parquet", pl.DataFrame(rows))
    with pytest.raises(InputError, match=r"scores\.parquet, row 2: "):
        RunDirectory.open(tmp_path / "r").scores()
    pl.DataFrame(rows).write_parquet(path, metadata={METADATA_KEY: '{"by": 1}'})
    with pytest.raises(InputError, match=r"f\.parquet: the notes on these scores are damaged"):
        read_notes(path)


def test_a_disk_that_was_full_when_a_run_began_leaves_a_run_that_begins(tmp_path):
    (tmp_path / "r.partial").mkdir()
    (tmp_path / "r.partial" / "run.db").touch()
    assert plan(tmp_path / "r").finished_steps() == set()
    # It may also be one that lost what was paid for.
    with pytest.warns(DamageWarning, match="this file is empty"), plan(tmp_path / "r").writing() as run:
        run.finish_step("bm25", fingerprint="f")
    assert RunDirectory.open(tmp_path / "r").record.status == "complete"


def test_a_complete_run_that_lost_its_end_is_damaged_and_not_something_else(tmp_path):
    with plan(tmp_path / "r").writing() as run:
        run.finish_step("bm25", fingerprint="f")
    file = tmp_path / "r" / "run.db"
    os.truncate(file, file.stat().st_size - 1_000)
    with pytest.raises(FingerprintError, match="this file is damaged"):
        read_record(tmp_path / "r")
