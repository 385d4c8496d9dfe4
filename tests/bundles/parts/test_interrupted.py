"""Work that is killed, begun again, or that one row spoils."""

import signal

import pytest

from bundles.parts.killed import FILES, Command, kill_at, receipts, write_eval, written_here
from embed.recorded_progress import Recorded
from spreads import open_in_process
from tellapart.bundles import run as suite
from tellapart.bundles.parts import run as parts
from tellapart.bundles.parts.folders import Folder
from tellapart.errors import StorageError, UsageError

# Ends as a killed process does, when half of the work is removed.
KILLED_AT_THE_END = """
import os, shutil, signal
from tellapart.bundles.parts.folders import Folder

def delete(folder):
    shutil.rmtree(folder.address_of("bundles"))
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    Folder.delete = delete
    from tellapart.cli.main import main
    main()
"""


@pytest.fixture
def folder(tmp_path):
    write_eval(tmp_path / "eval")
    return tmp_path / "eval"


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(parts, "open_spread", open_in_process)


@pytest.mark.slow
@pytest.mark.process
def test_killed_again_and_again_it_writes_what_it_would_have_written(folder, tmp_path, tellapart):
    expected = written_here(tmp_path, tellapart)
    kept = {}
    for count in (1, FILES + 2):
        there = kill_at(Command(tmp_path), tmp_path, count)
        assert kept.items() <= there.items()
        kept = there
    code, errors = Command(tmp_path, program=KILLED_AT_THE_END).run()
    assert code == -signal.SIGKILL
    assert "going on with interrupted work" in errors
    # A worker of a killed run may have written one more before it was gone.
    assert kept.items() <= receipts(tmp_path).items()
    assert not (tmp_path / "out/board.scoring.partial/bundles").exists()
    files, _ = Command(tmp_path).written()
    assert files == expected


def test_a_part_that_changes_between_is_noticed(folder, here, tmp_path, monkeypatch):
    def score():
        suite.score(folder, tmp_path / "o.json", model="hashing", progress=progress)
        return [file.read_bytes() for file in sorted((tmp_path / "o.scores.parquet").iterdir())]

    progress = Recorded()
    before = score()
    interrupted(folder, tmp_path / "o.json", monkeypatch, model="hashing")
    part = folder / "part-2.jsonl"
    text = part.read_text()
    part.write_text(text.replace("red", "sad"))
    assert score() != before
    assert "has changed since the interrupted work (part-2.jsonl), which is begun anew" in "".join(
        progress.messages
    )
    part.write_text(text)
    assert score() == before


def interrupted(folder, out, monkeypatch, at="scoring", **options):
    """Leave work as a disk that is full does in the middle of a stage."""
    write = Folder.write

    def full(self, name, data):
        if name.startswith(f"receipts/{at}"):
            raise StorageError("the disk is full", where=name)
        write(self, name, data)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "write", full)
        with pytest.raises(StorageError, match="the disk is full"):
            suite.score(folder, out, **options)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"model": "bm25"}, "model: there 'hashing', requested 'bm25'"),
        ({"name": "mine"}, "name: there None, requested 'mine'"),
        ({"model": "tfidf", "name": "mine"}, "model: there 'hashing', requested 'tfidf'; name: there None"),
    ],
)
def test_other_options_are_refused(folder, here, tmp_path, monkeypatch, options, named):
    interrupted(folder, tmp_path / "o.json", monkeypatch, model="hashing")
    before = receipts_of(tmp_path / "o.scoring.partial")
    with pytest.raises(UsageError, match=f"interrupted work is here, with {named}") as raised:
        suite.score(folder, tmp_path / "o.json", **({"model": "hashing"} | options))
    assert raised.value.where == str(tmp_path / "o.scoring.partial")
    assert receipts_of(tmp_path / "o.scoring.partial") == before


def receipts_of(work):
    return {path: path.stat().st_mtime_ns for path in (work / "receipts").rglob("*.json")}
