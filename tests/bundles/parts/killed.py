"""A small eval in many files, and the command that scores it, killed at will."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from spreads import open_in_process
from tellapart.bundles.parts import run

FILES, ROWS = 6, 90
PROGRAM = "from tellapart.cli.main import main; main()"
ORDER = ("bundles", "score", "eval", "--out", "out/board.json", "--model", "hashing")
NOON = {"SOURCE_DATE_EPOCH": "1700000000"}


def row(file, number):
    place = file * ROWS + number
    made = {
        "bundle_id": f"b{place}",
        "anchor": f"which {place % 37} is at {place % 11}",
        "positive": f"thing {place % 211} is {['red', 'blue'][place % 2]}",
        "negatives": [f"no {place * 7 + other} thing {other}" for other in range(4)],
    }
    return made | ({"metadata": {"tier": f"tier{place % 3 + 1}"}} if file % 2 else {})


def write_eval(folder):
    folder.mkdir()
    for file in range(FILES):
        lines = [json.dumps(row(file, number)) + "\n" for number in range(ROWS)]
        (folder / f"part-{file}.jsonl").write_text("".join(lines))


class Command:
    """``bundles score`` in a directory, as often as it takes."""

    def __init__(self, directory, *options, program=PROGRAM, workers=2, engine="local"):
        self._directory = directory
        self._arguments = [
            *(sys.executable, "-c", program, *ORDER),
            *("--engine", engine, "--workers", str(workers), *options),
        ]
        self._environment = os.environ | NOON

    def start(self):
        return subprocess.Popen(
            self._arguments,
            cwd=self._directory,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self):
        process = self.start()
        _, errors = process.communicate(timeout=120)
        return process.returncode, errors

    def written(self):
        """All bytes, when it is done; nothing else is beside them."""
        code, errors = self.run()
        assert code == 0, errors
        return contents(self._directory / "out"), errors


def contents(out):
    """All bytes of a scoreboard and its scores; nothing else is beside them."""
    assert {path.name for path in out.iterdir()} == {"board.json", "board.scores.parquet"}
    files = {
        path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.*") if path.is_file()
    }
    manifest = json.loads(files["board.scores.parquet/manifest.json"])
    named = {f"board.scores.parquet/{part['name']}" for part in manifest["parts"]}
    assert files.keys() == {"board.json", "board.scores.parquet/manifest.json", *named}
    return files


def written_here(directory, tellapart):
    """What the command writes that does all in this process, in a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setattr(run, "open_spread", open_in_process)
        for name, value in NOON.items():
            patch.setenv(name, value)
        done = tellapart(*ORDER, "--engine", "local", "--workers", 1)
    assert done.code == 0, done.err
    (directory / "out").rename(directory / "here")
    return contents(directory / "here")


def receipts(directory):
    found = (directory / "out/board.scoring.partial/receipts").rglob("*.json")
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in found if path.name[0] != "."}


def kill_at(command, directory, count):
    """Kill the command as soon as there are so many receipts, and give those that there are."""
    process = command.start()
    end = time.monotonic() + 60
    while len(receipts(directory)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    return receipts(directory)
