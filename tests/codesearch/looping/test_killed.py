import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from codesearch.looping.killed_loop import main

PROGRAM = Path(__file__).parent / "killed_loop.py"
TESTS = PROGRAM.parents[2]
DEATHS = ("evaluate-1", "improve-1", "search-2", "learn-3")


def run(directory, calls, dies_at="never"):
    done = subprocess.run(
        [sys.executable, PROGRAM, directory, calls, dies_at],
        env={"PYTHONPATH": str(TESTS), "PATH": "/usr/bin:/bin", "CALLS": str(calls), "DIES_AT": dies_at},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stderr.decode()


def files_of(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and "lock" not in path.name and not path.name.startswith(".")
    }


def test_killed_and_started_again_it_repeats_no_finished_step(tmp_path, monkeypatch):
    for dies_at in DEATHS:
        code, said = run(tmp_path / "killed", tmp_path / "calls", dies_at)
        assert code == -signal.SIGKILL, said
    assert run(tmp_path / "killed", tmp_path / "calls") == (0, "")
    calls = Counter((tmp_path / "calls").read_text().splitlines())
    every = [f"{step} {n}" for n in (1, 2, 3) for step in ("search", "evaluate", "learn")]
    every += ["improve 1", "improve 2"]
    died = {death.replace("-", " ") for death in DEATHS}
    assert calls == {call: 1 + (call in died) for call in every}
    monkeypatch.setenv("CALLS", str(tmp_path / "others"))
    monkeypatch.setenv("DIES_AT", "never")
    main(tmp_path / "whole", tmp_path / "others", "never")
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole")
