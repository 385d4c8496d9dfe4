import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tellapart.embed.cache import CacheWarning, VectorCache, default_path
from tellapart.errors import StorageError


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
