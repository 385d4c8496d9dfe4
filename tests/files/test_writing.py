import errno
import os
import threading

import pytest

from tellapart.errors import StorageError
from tellapart.files import replacing, storage, write_text


def test_writes_whole_files_and_makes_directories(tmp_path):
    write_text(tmp_path / "new" / "file.txt", "gänz")
    assert (tmp_path / "new" / "file.txt").read_text(encoding="utf-8") == "gänz"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file.txt"]


def test_a_failure_leaves_the_old_file_and_no_rest(tmp_path):
    file = tmp_path / "file.txt"
    write_text(file, "old")
    with pytest.raises(RuntimeError), replacing(file) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("code", "reason"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only"), (errno.EACCES, "permission")],
)
def test_what_the_disk_says_becomes_a_sentence(tmp_path, code, reason):
    with pytest.raises(StorageError, match=reason) as caught, storage(tmp_path / "f"):
        raise OSError(code, "")
    assert str(tmp_path / "f") in str(caught.value)
    assert caught.value.exit_code == 2


def test_other_errors_pass_through(tmp_path):
    with pytest.raises(BlockingIOError), storage(tmp_path):
        raise BlockingIOError(errno.EAGAIN, "")


def test_a_directory_in_the_place_of_a_file_is_named(tmp_path):
    with pytest.raises(StorageError, match="cannot write: this is a directory"):
        write_text(tmp_path, "text")


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "text")
    reader.join(10)
    assert read == ["text"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_copy_that_fails_blames_the_file_that_is_written(tmp_path):
    error = OSError(errno.ENOSPC, "No space left on device", "elsewhere/source", None, str(tmp_path / "copy"))
    with pytest.raises(StorageError, match="copy: .* the disk is full"), storage(tmp_path / "copy"):
        raise error
