"""Folders of files, here and in an object store."""

import pytest

from object_store import BUCKET, closed_port, environment
from tellapart.bundles.parts.folders import Folder, eval_files
from tellapart.errors import InputError, StorageError

CONTENT = bytes(range(256)) * 4


@pytest.fixture(params=["here", "s3"])
def folder(request, tmp_path):
    """Give an empty folder here, or in an object store."""
    if request.param == "here":
        return Folder(str(tmp_path / "some" / "place"))
    request.getfixturevalue("s3")
    return Folder(f"s3://{BUCKET}/some/place")


def write(folder, name, content):
    with folder.writing(name) as path:
        path.write_bytes(content)


def test_files_are_written_read_and_listed_by_name(folder):
    for name in ("b.bin", "a/c.bin", "a.bin", "a/b[1]*.bin"):
        write(folder, name, CONTENT)
    write(folder, "empty", b"")
    there = [("a.bin", 1024), ("a/b[1]*.bin", 1024), ("a/c.bin", 1024), ("b.bin", 1024), ("empty", 0)]
    assert folder.files() == there
    with folder.local("a/c.bin") as path:
        assert path.name == "c.bin" and path.read_bytes() == CONTENT
    assert folder.size_of("b.bin") == 1024
    assert folder.size_of("a") is None


def test_an_eval_is_a_file_or_the_files_of_a_folder(folder):
    for name in ("b.jsonl", "a/c.csv", "_SUCCESS", ".hidden/d.jsonl", "x.version.json", "notes.txt"):
        write(folder, name, b"1")
    write(folder, "empty.jsonl", b"")
    whole = eval_files(folder.address)
    assert [entry.name for entry in whole.files] == ["a/c.csv", "b.jsonl"] and whole.is_folder
    single = eval_files(folder.address_of("notes.txt"))
    assert single.files == (("notes.txt", 1),) and not single.is_folder
    assert single.label(0) == folder.address_of("notes.txt")
    with pytest.raises(InputError, match="there are no files of bundles here"):
        eval_files(folder.address_of("nothing"))


def test_an_object_store_that_is_not_there_is_named(monkeypatch):
    environment(monkeypatch, closed_port())
    with pytest.raises(StorageError, match="the object store fails"):
        Folder(f"s3://{BUCKET}/x").size_of("a")
