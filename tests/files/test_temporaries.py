import errno
import fcntl
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager

import pytest

from tellapart.files import replacing, write_text
from tellapart.files.temporaries import remove_temporaries, scratch_directory


@contextmanager
def held(path):
    path.touch()
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def test_what_killed_writes_of_a_file_left_goes_with_the_next_one(tmp_path):
    for number in range(3):
        (tmp_path / f".out.json.{number}.tmp").write_text("half")
    (tmp_path / ".other.json.0.tmp").write_text("of another file")
    write_text(tmp_path / "out.json", "whole")
    assert names(tmp_path) == [".other.json.0.tmp", "out.json"]


def test_what_another_process_is_writing_stays(tmp_path):
    with held(tmp_path / ".out.json.0.tmp"):
        write_text(tmp_path / "out.json", "ours")
        assert names(tmp_path) == [".out.json.0.tmp", "out.json"]
        remove_temporaries(tmp_path)
        assert names(tmp_path) == [".out.json.0.tmp", "out.json"]
    remove_temporaries(tmp_path)
    assert names(tmp_path) == ["out.json"]


def test_those_of_earlier_versions_are_removed_below_a_directory_and_nothing_else(tmp_path):
    kept = ["items.parquet", ".hidden", ".items.parquet.short", ".items.parquet.UPPER_CA", "2y_10u14"]
    for directory in (tmp_path, tmp_path / "deep" / "er"):
        directory.mkdir(parents=True, exist_ok=True)
        for name in (*kept, ".items.parquet.2y_10u14", ".items.parquet.0.tmp"):
            (directory / name).touch()
    remove_temporaries(tmp_path)
    assert names(tmp_path) == sorted([*kept, "deep"])
    assert names(tmp_path / "deep" / "er") == sorted(kept)


def test_the_longest_names_have_room_for_a_temporary_one(tmp_path):
    for name in ("x" * 255, "é" * 127):
        write_text(tmp_path / name, "text")
        assert (tmp_path / name).read_text() == "text"
    assert len(names(tmp_path)) == 2


def write(path, text, times):
    for _ in range(times):
        write_text(path, text)


def test_several_writers_of_one_file_leave_a_whole_one_and_no_rest(tmp_path):
    texts = [letter * 100_000 for letter in "abcd"]
    threads = [threading.Thread(target=write, args=(tmp_path / "out", text, 25)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "out").read_text() in texts
    assert names(tmp_path) == ["out"]


@pytest.mark.process
def test_several_processes_do_so_too(tmp_path):
    context = multiprocessing.get_context("fork")
    texts = [letter * 100_000 for letter in "abc"]
    processes = [context.Process(target=write, args=(tmp_path / "out", text, 25)) for text in texts]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 3
    assert (tmp_path / "out").read_text() in texts
    assert names(tmp_path) == ["out"]


def test_a_name_is_not_taken_away_from_the_next_writer(tmp_path):
    with replacing(tmp_path / "out") as first:
        first.write_text("first")
        with replacing(tmp_path / "out") as second:
            assert second != first
            second.write_text("second")
    assert names(tmp_path) == ["out"]


HOLD = """
import os, signal
from tellapart.files.temporaries import scratch_directory
with scratch_directory("tellapart-test-") as directory:
    (directory / "trace.log").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
def test_scratch_directories_of_killed_processes_go_with_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    subprocess.run([sys.executable, "-c", HOLD], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)
    (left,) = tmp_path.iterdir()
    with scratch_directory("tellapart-test-") as first, scratch_directory("tellapart-test-") as second:
        assert not left.exists()
        assert {first, second} == set(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


def test_file_systems_without_locks_are_written_to(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / ".out.0.tmp").touch()
    write_text(tmp_path / "out", "text")
    with scratch_directory("tellapart-test-") as one, scratch_directory("tellapart-test-") as other:
        assert one.exists()
        assert other.exists()
    assert names(tmp_path) == [".out.0.tmp", "out"]
