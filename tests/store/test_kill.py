"""A run that is killed at any of its writes goes on, and ends as one that was not."""

import subprocess
import sys

import pytest

# Killed at its first sync of a file, before or after its first entry, at its second, and so on.
PROGRAM = """
import os, signal, sys
from itertools import count
from pathlib import Path
from tellapart.store import RunPlan
from tellapart.store.database import RunDatabase

def write(out):
    plan = RunPlan("contrastive", {"models": ["bm25"]}, {"benchmark": "abc"}, seed=42, out=out)
    if plan.finished_run("answered", lambda _: None) is None:
        with plan.writing() as run:
            for step in ("one", "two"):
                if not run.done(step):
                    run.write_text(f"artifacts/{step}.txt", step)
                    run.finish_step(step)

def killed_at(number):
    fsync, add_all, calls = os.fsync, RunDatabase.add_all, count()
    def tick():
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
    def ticking_fsync(handle):
        tick()
        fsync(handle)
    def ticking_add_all(database, entries, **options):
        tick()
        add_all(database, entries, **options)
        tick()
    os.fsync, RunDatabase.add_all = ticking_fsync, ticking_add_all

def files(directory):
    with RunDatabase(directory / "run.db", read_only=True) as database:
        entries = {(row.kind, row.key): row.entry for row in database.rows()}
    names = [path for path in directory.rglob("*") if path.is_file() and path.name not in ("run.db", "lock")]
    return entries, {str(path.relative_to(directory)): path.read_bytes() for path in names}

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
