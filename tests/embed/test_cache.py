import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tellapart.embed.cache import CacheWarning, VectorCache, default_path
from tellapart.errors import StorageError

WRITER = """
import sys
from pathlib import Path
import numpy as np
from tellapart.embed.cache import VectorCache

path, who = Path(sys.argv[1]), int(sys.argv[2])
cache = VectorCache(path)
print("ready", flush=True)
sys.stdin.readline()
for n in range(100):
    cache.put("model", "query", {f"{who} {n}": np.array([who, n], dtype=np.float32)})
"""


def vector(*values):
    return np.array(values, dtype=np.float32)


def kept(path, *texts, kind="query"):
    with VectorCache(path) as cache:
        return {text: row.tolist() for text, row in cache.get("model", kind, texts).items()}


def filled(path, n=200):
    with VectorCache(path) as cache:
        cache.put("model", "query", {str(i): vector(i, -i) for i in range(n)})
    return path


def test_a_row_whose_vector_was_altered_counts_as_absent(tmp_path):
    path = filled(tmp_path / "c", 2)
    with sqlite3.connect(path) as database:
        database.execute(
            "UPDATE vectors SET vector = zeroblob(8) WHERE vector = ?", (vector(1, -1).tobytes(),)
        )
    database.close()
    assert kept(path, "0", "1") == {"0": [0, 0]}


def test_a_damaged_file_is_refused_and_kept(tmp_path):
    path = tmp_path / "c"
    path.write_bytes(b"not a database" * 100)
    with (
        VectorCache(path) as cache,
        pytest.raises(StorageError, match="c: the cache .* is damaged: .*Delete"),
    ):
        cache.put("model", "query", {"a": vector(1)})
    assert path.read_bytes() == b"not a database" * 100


@pytest.mark.parametrize("place", ["directory", "below a file"])
def test_a_place_that_cannot_hold_a_file_means_no_cache_and_one_warning(tmp_path, place):
    (tmp_path / "file").touch()
    cache = VectorCache(tmp_path if place == "directory" else tmp_path / "file" / "c")
    with pytest.warns(CacheWarning, match="cannot be used .*TELLAPART_CACHE") as caught:
        cache.put("model", "query", {"a": vector(1)})
    assert len(caught) == 1
    assert cache.get("model", "query", ["a"]) == {}
    cache.put("model", "query", {"b": vector(2)})


@pytest.mark.slow
@pytest.mark.process
def test_two_processes_write_at_the_same_time(tmp_path):
    path = tmp_path / "c"
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-W", "error", "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, who], **pipes) for who in "01"]
    for writer in writers:
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    assert [(writer.communicate(timeout=60)[1], writer.returncode) for writer in writers] == [(b"", 0)] * 2
    expected = {f"{who} {n}": [who, n] for who in range(2) for n in range(100)}
    assert kept(path, *expected) == expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"TELLAPART_CACHE": "/x/v.db", "XDG_CACHE_HOME": "/y", "HOME": "/h"}, "/x/v.db"),
        ({"XDG_CACHE_HOME": "/y", "HOME": "/h"}, "/y/tellapart/vectors.sqlite"),
        ({"HOME": "/h"}, "/h/.cache/tellapart/vectors.sqlite"),
    ],
)
def test_default_path(monkeypatch, variables, expected):
    for name in ("TELLAPART_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_path() == Path(expected)
