"""A run that is killed at any of its writes goes on, and ends as one that was not."""

import subprocess
import sys

import pytest

# Killed at its first sync of a file or directory, at its second, and so on until it ends by itself.
PROGRAM = """
import os, signal, sys
from itertools import count
from pathlib import Path
from tellapart.store import RunPlan

def write(out):
    plan = RunPlan("contrastive", {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42, out=out)
    if plan.finished_run("answered", lambda _: None) is None:
        with plan.writing() as run:
            for step in ("one", "two"):
                if not run.done(step):
                    run.write_text(f"artifacts/{step}.txt", step)
                    run.finish_step(step)

def killed_at(number):
    real, calls = os.fsync, count()
    def fsync(handle):
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        real(handle)
    os.fsync = fsync

def files(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*.*")}

root = Path(sys.argv[1])
write(root / "whole")
for number in count():
    out = root / str(number)
    if not (pid := os.fork()):
        killed_at(number)
        write(out)
        os._exit(0)
    killed = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    write(out)
    assert files(out) == files(root / "whole"), number
    assert not out.with_name(f"{number}.partial").exists()
    if not killed:
        break
print(number)
"""


@pytest.mark.process
def test_killed_at_any_write_it_ends_as_if_it_had_not_been(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 15
