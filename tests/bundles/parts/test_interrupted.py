"""Work that is killed and begun again: what was embedded stays, and the same bytes come out."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from spreads import open_in_process
from tellapart.bundles import run as suite
from tellapart.bundles.parts import run as parts
from tellapart.errors import InUse, StorageError
from tellapart.store.growing import locked

FILES, ROWS = 6, 90


def row(place):
    made = {
        "bundle_id": f"b{place}",
        "anchor": f"which {place % 37} is at {place % 11}",
        "positive": f"thing {place % 211} is {['red', 'blue'][place % 2]}",
        "negatives": [f"no {place * 7 + other} thing {other}" for other in range(4)],
    }
    return made | ({"metadata": {"tier": f"tier{place % 3 + 1}"}} if place % 2 else {})


@pytest.fixture
def folder(tmp_path):
    """An eval in six files, of some 2,600 distinct texts."""
    directory = tmp_path / "eval"
    directory.mkdir()
    for file in range(FILES):
        lines = [json.dumps(row(file * ROWS + number)) + "\n" for number in range(ROWS)]
        (directory / f"part-{file}.jsonl").write_text("".join(lines))
    return directory


class Command:
    """``bundles score`` with a real model, as often as it takes; the cache of vectors is one file."""

    def __init__(self, folder, model, name, *options):
        self.out, self.cache = folder.parent / name, folder.parent / f"{name}.sqlite"
        program = "from tellapart.cli.main import main; main()"
        board = ("--out", str(self.out / "board.json"))
        self._arguments = (
            *(sys.executable, "-c", program, "bundles", "score", str(folder), *board),
            *("--model", f"st:{model}", *options),
        )

    def start(self):
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "TELLAPART_CACHE": str(self.cache)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(self._arguments, env=environment, text=True, **pipes)

    def killed(self):
        """Kill it as soon as some vectors are kept."""
        process = self.start()
        end = time.monotonic() + 100
        while not self.kept():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.002)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        return self.kept()

    def kept(self):
        """The vectors in the cache; one that is written again has another row."""
        if not self.cache.exists():
            return {}
        try:
            with sqlite3.connect(self.cache, timeout=20) as database:
                return dict(database.execute("SELECT rowid, text FROM vectors"))
        except sqlite3.OperationalError:
            return {}

    def written(self):
        """All bytes when it is done; nothing else is beside them."""
        process = self.start()
        _, errors = process.communicate(timeout=200)
        assert process.returncode == 0, errors
        assert {path.name for path in self.out.iterdir()} == {"board.json", "board.scores.parquet"}
        paths = [path for path in self.out.rglob("*") if path.is_file()]
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
@pytest.mark.process
def test_what_was_embedded_before_a_kill_is_not_embedded_again(folder, tiny_model):
    expected = Command(folder, tiny_model, "whole", "--engine", "local", "--workers", "1").written()
    command = Command(folder, tiny_model, "killed", "--engine", "local", "--workers", "2")
    kept = command.killed()
    assert (command.out / "board.scoring.partial").exists()
    assert command.written() == expected
    assert kept.items() <= command.kept().items()


@pytest.mark.slow
@pytest.mark.process
def test_a_cluster_gives_the_same_bytes_even_if_a_machine_and_the_driver_are_killed(
    cluster, folder, tiny_model
):
    expected = Command(folder, tiny_model, "here", "--engine", "local", "--workers", "1").written()
    other = cluster.add_node(num_cpus=2, object_store_memory=80 * 2**20)
    command = Command(folder, tiny_model, "there", "--engine", "ray", "--address", cluster.address)
    kept = command.killed()
    process = command.start()
    time.sleep(6)
    cluster.remove_node(other, allow_graceful=False)
    process.communicate(timeout=200)
    assert command.written() == expected
    assert kept.items() <= command.kept().items()


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(parts, "open_spread", open_in_process)


def test_a_full_disk_is_named_and_leaves_nothing(folder, here, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(StorageError, match="the disk is full"):
        suite.score(folder, tmp_path / "out" / "board.json", model="hashing")
    assert list((tmp_path / "out").iterdir()) == []


def test_another_process_at_the_same_scoreboard_is_named(folder, here, tmp_path):
    work = tmp_path / "board.scoring.partial"
    work.mkdir()
    with locked(work, "scoreboard"), pytest.raises(InUse, match="another process is writing this scoreboard"):
        suite.score(folder, tmp_path / "board.json", model="hashing")
    (work / "left").write_text("by a process that was killed")
    suite.score(folder, tmp_path / "board.json", model="hashing")
    assert not work.exists()
