import fcntl
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager

import pytest
from tellapart.files.temporaries import remove_temporaries, scratch_directory

from tellapart.files import write_text


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


def test_temporaries_below_a_directory_are_removed_and_nothing_else(tmp_path):
    for name in ("items.parquet", ".hidden", ".items.parquet.0.tmp"):
        (tmp_path / "deep").mkdir(exist_ok=True)
        (tmp_path / "deep" / name).touch()
    remove_temporaries(tmp_path)
    assert names(tmp_path / "deep") == [".hidden", "items.parquet"]


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
