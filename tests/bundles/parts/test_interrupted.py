"""Work that is killed and begun again: what was embedded stays, and the same bytes come out."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from embed.embedding_server import EmbeddingServer, answer
from spreads import open_in_process
from tellapart.bundles import run as parts
from tellapart.bundles import run as suite
from tellapart.embed.identifiers import text_digest
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
    """``bundles score``, as often as it takes, with a cache of vectors of its own."""

    def __init__(self, folder, name, *options):
        self.out, self.cache = folder.parent / name, folder.parent / f"{name}.sqlite"
        program = "from tellapart.cli.main import main; main()"
        command = ("bundles", "score", folder, "--out", self.out / "board.json", *options)
        self._arguments = [sys.executable, "-c", program, *map(str, command)]

    def start(self):
        own = {
            "SOURCE_DATE_EPOCH": "1700000000",
            "TELLAPART_CACHE": str(self.cache),
            "OPENAI_API_KEY": "none",
        }
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(self._arguments, env=os.environ | own, text=True, **pipes)

    def kill(self, process, is_time):
        end = time.monotonic() + 100
        while not is_time():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.002)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL

    def kept(self):
        """The texts in the cache by row; one that is embedded again is in another row."""
        with (
            suppress(sqlite3.OperationalError),
            sqlite3.connect(f"file:{self.cache}?mode=ro", uri=True) as cache,
        ):
            return dict(cache.execute("SELECT rowid, text FROM vectors"))
        return {}

    def written(self, process=None):
        """All bytes when it is done; nothing else is beside them."""
        process = process or self.start()
        _, errors = process.communicate(timeout=200)
        assert process.returncode == 0, errors
        assert {path.name for path in self.out.iterdir()} == {"board.json", "board.scores.parquet"}
        paths = [path for path in self.out.rglob("*") if path.is_file()]
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.slow
@pytest.mark.process
def test_no_text_is_paid_twice_after_a_kill(folder, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def slow(request):
        time.sleep(0.1)
        return answer(request)

    with EmbeddingServer() as server:
        options = ("--model", "openai:m", "--base-url", server.url, "--engine", "local")
        expected = Command(folder, "whole", *options).written()
        command = Command(folder, "killed", *options)
        server.requests.clear()
        server.script[:] = [slow] * 100
        command.kill(command.start(), lambda: len(command.kept()) > 300)
        assert (command.out / "board.scoring.partial").exists()
        first, known = len(server.requests), set(command.kept().values())
        assert command.written() == expected
    again = {text_digest(text) for request in server.requests[first:] for text in request["input"]}
    assert len(known) > 300 and not known & again


@pytest.mark.slow
@pytest.mark.process
def test_a_cluster_of_which_a_machine_and_the_driver_are_killed_gives_the_same_bytes(
    cluster, folder, tiny_model
):
    model = ("--model", f"st:{tiny_model}", "--engine")
    expected = Command(folder, "here", *model, "local", "--workers", 1).written()
    other = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    command = Command(folder, "there", *model, "ray", "--address", cluster.address, "--workers", 3)
    command.kill(command.start(), command.kept)
    kept = command.kept()
    process = command.start()
    while len(command.kept()) == len(kept) and process.poll() is None:
        time.sleep(0.002)
    cluster.remove_node(other, allow_graceful=False)
    assert command.written(process) == expected
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
