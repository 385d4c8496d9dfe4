"""Work that is killed and begun again: what was embedded stays, and the same bytes come out."""

import errno
import json
import os
import signal
import sqlite3
import time
from contextlib import suppress

import pytest

from nursery import Nursery
from spreads import open_in_process
from tellapart.bundles import run as suite
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
    """``bundles score`` by two workers, as often as it takes, with a cache of vectors of its own."""

    def __init__(self, parent, folder, name):
        self.out, self.cache = folder.parent / name, folder.parent / f"{name}.sqlite"
        environment = {"SOURCE_DATE_EPOCH": "1700000000", "TELLAPART_CACHE": str(self.cache)}
        self._nursery = Nursery(parent, None, folder.parent, "tellapart.bundles.run", **environment)
        engine = ("--model", "hashing", "--engine", "local", "--workers", "2")
        self._words = ("bundles", "score", folder, "--out", self.out / "board.json", *engine)

    def kill(self, is_time):
        pid, end = self._nursery.begin(*self._words, function="spreads:slow_main"), time.monotonic() + 100
        while not is_time():
            assert time.monotonic() < end, self._nursery.said()
            time.sleep(0.002)
        os.kill(pid, signal.SIGKILL)
        assert self._nursery.ended() == -signal.SIGKILL

    def kept(self):
        """The texts in the cache by row; one that is embedded again is in another row."""
        with (
            suppress(sqlite3.OperationalError),
            sqlite3.connect(f"file:{self.cache}?mode=ro", uri=True) as cache,
        ):
            return dict(cache.execute("SELECT rowid, text FROM vectors"))
        return {}

    def written(self):
        """All bytes when it is done; nothing else is beside them."""
        self._nursery.begin(*self._words, function="spreads:slow_main")
        assert self._nursery.ended() == 0, self._nursery.said()
        assert {path.name for path in self.out.iterdir()} == {"board.json", "board.scores.parquet"}
        return {path.name: path.read_bytes() for path in self.out.iterdir()}


def test_no_text_is_embedded_twice_after_a_spread_run_is_killed(parent, folder):
    expected = Command(parent, folder, "whole").written()
    command = Command(parent, folder, "killed")
    command.kill(lambda: len(command.kept()) > 300)
    assert (command.out / "board.scoring.partial").exists()
    kept = command.kept()
    assert command.written() == expected
    assert 300 < len(kept) < len(command.kept()) and kept.items() <= command.kept().items()


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(suite, "open_spread", open_in_process)


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
