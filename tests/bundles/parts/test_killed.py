"""A folder scored by two workers, killed and begun again: no text is paid twice, all bytes are the same."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from embed.embedding_server import EmbeddingServer, answer
from tellapart.embed.identifiers import text_digest


def row(place):
    return {
        "bundle_id": f"b{place}",
        "anchor": f"which {place % 37} is at {place % 11}",
        "positive": f"thing {place} is red",
        "negatives": [f"no {place * 7 + other} thing {other}" for other in range(4)],
    }


def begin(folder, name, url):
    """``bundles score`` with a cache of vectors of its own."""
    command = (
        "bundles",
        "score",
        folder,
        "--out",
        folder.parent / name / "board.json",
        "--model",
        "openai:m",
    )
    options = ("--base-url", url, "--engine", "local", "--workers", 2)
    own = {"TELLAPART_CACHE": str(folder.parent / f"{name}.sqlite"), "OPENAI_API_KEY": "none"}
    own["SOURCE_DATE_EPOCH"] = "1700000000"
    program = [sys.executable, "-m", "tellapart", *map(str, (*command, *options))]
    return subprocess.Popen(program, env=os.environ | own, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)


def kept(cache):
    """The digests of the texts that have a vector."""
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as open_,
    ):
        return {text for (text,) in open_.execute("SELECT text FROM vectors")}
    return set()


def written(folder, name, process):
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    return {path.name: path.read_bytes() for path in (folder.parent / name).iterdir()}


@pytest.mark.slow
@pytest.mark.process
def test_no_text_is_paid_twice_after_a_kill(tmp_path):
    folder = tmp_path / "eval"
    folder.mkdir()
    for part in range(2):
        rows = (json.dumps(row(part * 60 + number)) for number in range(60))
        (folder / f"part-{part}.jsonl").write_text("\n".join(rows) + "\n")

    def slow(request):
        time.sleep(0.1)
        return answer(request)

    with EmbeddingServer() as server:
        expected = written(folder, "whole", begin(folder, "whole", server.url))
        server.requests.clear()
        server.script[:] = [slow] * 100
        process, end = begin(folder, "killed", server.url), time.monotonic() + 100
        while len(kept(tmp_path / "killed.sqlite")) < 100:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.002)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        first, known = len(server.requests), kept(tmp_path / "killed.sqlite")
        assert written(folder, "killed", begin(folder, "killed", server.url)) == expected
    again = {text_digest(text) for request in server.requests[first:] for text in request["input"]}
    assert again and len(known) >= 100 and not known & again
