"""The file system that is watched sees each operation, and knows what of it a power cut takes."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from faults.crashing import EMPTIED, KILL, LOST, ZEROED, Disk, read_tree, write_tree


@pytest.fixture
def world(tmp_path):
    (tmp_path / "world").mkdir()
    return tmp_path / "world"


def contents(tree):
    return {name: node.data for name, node in tree.items()}


def after(disk, *hows):
    return [contents(disk.after(how)) for how in hows]


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def test_a_write_is_gone_empty_or_zeros_until_file_and_directory_are_synced(world):
    disk = Disk(world, lambda *_: None)
    with disk.watching():
        (world / "a").write_bytes(b"one")
        assert after(disk, KILL, LOST, EMPTIED, ZEROED) == [{"a": b"one"}, {}, {"a": b""}, {"a": bytes(3)}]
        sync(world / "a")
        assert after(disk, LOST, EMPTIED) == [{}, {"a": b"one"}]
        sync(world)
        assert after(disk, LOST) == [{"a": b"one"}]
        with (world / "a").open("ab") as file:
            file.write(b"two")
            file.flush()
            assert after(disk, LOST, EMPTIED, ZEROED) == [{"a": b"one"}] * 2 + [{"a": b"one\0\0\0"}]
            os.fdatasync(file.fileno())
        assert after(disk, LOST, ZEROED) == [{"a": b"onetwo"}] * 2


def test_names_are_taken_back_from_the_last_to_the_first(world):
    (world / "old").write_bytes(b"old")
    disk = Disk(world, lambda *_: None)
    with disk.watching():
        (world / "grows").mkdir()
        (world / "grows" / "new").write_text("new")
        sync(world / "grows" / "new")
        (world / "grows").rename(world / "grown")
        (world / "grown" / "new").replace(world / "old")
        assert after(disk, EMPTIED, LOST) == [{"grown": None, "old": b"new"}, {"old": b"old"}]
        # The directory that they came into is enough; what is not synced is that the file was ever made.
        sync(world)
        assert after(disk, LOST) == [{"grown": None, "old": b"new"}]
        shutil.rmtree(world / "grown")
        assert after(disk, KILL, LOST) == [{"old": b"new"}, {"grown": None, "old": b"new"}]
        (world / "old").unlink()
        for number in range(20):
            # One of them has the number of a file that is gone.
            (world / f"directory {number}").mkdir()
        assert after(disk, LOST) == [{"grown": None, "old": b"new"}]
        assert set(contents(disk.after(EMPTIED)).values()) == {None}
        (world / "old").write_text("again")
        assert after(disk, LOST) == [{"grown": None, "old": b"new"}]


def test_every_way_to_write_is_seen(world):
    seen = []
    disk = Disk(world, lambda disk, number, operation, path: seen.append(operation))
    with disk.watching():
        handle, name = tempfile.mkstemp(dir=world)
        os.write(handle, b"x")
        os.ftruncate(handle, 0)
        os.close(handle)
        with os.fdopen(os.open(name, os.O_WRONLY), "w") as text:
            text.write("é")
        shutil.copyfile(name, world / "copy")
        Path(name).chmod(0o644)
        shutil.move(name, world / "moved")
        (world / "link").symlink_to("moved")
        with tempfile.TemporaryDirectory(dir=world) as inner:
            Path(inner, "file").touch()
        (world / "copy").write_text("")
    assert seen == [
        *("create", "write", "truncate", "write"),
        *("create", "sendfile", "sendfile", "chmod", "rename", "symlink"),
        *("mkdir", "create", "remove", "remove", "truncate"),
    ]
    assert not disk.outside


def test_what_stands_in_the_way_can_refuse_it_and_nothing_is_done(world):
    def full(disk, number, operation, path):
        raise OSError(28, "No space left on device")

    with Disk(world, full).watching(), pytest.raises(OSError, match="No space"):
        (world / "a").write_text("x")
    assert read_tree(world) == {}


def test_a_tree_is_written_as_it_was_read(world, tmp_path):
    (world / "in").mkdir()
    (world / "in" / "file").write_bytes(b"\0x")
    (world / "in" / "file").chmod(0o600)
    (world / "link").symlink_to("in/file")
    tree = read_tree(world)
    other = tmp_path / "other"
    (other / "link").mkdir(parents=True)
    (other / "more").touch()
    write_tree(tree, other)
    assert contents(read_tree(other)) == contents(tree)
    assert (other / "in" / "file").stat().st_mode == (world / "in" / "file").stat().st_mode
