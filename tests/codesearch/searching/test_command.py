import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.searching import read_in
from tellapart.codesearch.systems.command import CommandSystem
from tellapart.codesearch.systems.system import SystemRequest

CONVERSATION = Conversation("c-1", "Pins 'fail' $(touch x); {learnings}\n-- \N{BUG}", "feed", 0.5)


@pytest.fixture
def repositories(tmp_path):
    (tmp_path / "code" / "a").mkdir(parents=True)
    for name in ("x.py", "y z.py"):
        (tmp_path / "code" / "a" / name).touch()
    return Repositories.open(tmp_path / "code", ["a"])


@pytest.fixture
def run(tmp_path, repositories):
    """Run a Python program as the system, and say what came of it."""

    def search(program, arguments="", conversation=CONVERSATION, **options):
        script = tmp_path / "system.py"
        script.write_text(program)
        command = f"command:{sys.executable} {script} {arguments}"
        system = CommandSystem(SystemRequest(command, repositories, Path("index"), **options))
        system.check()
        answer = read_in(repositories, asyncio.run(system.search(conversation)))
        if isinstance(answer, Failed) or answer.failure:
            return answer if isinstance(answer, Failed) else answer.failure
        return {"files_found": list(answer.result.files), "said": answer.log}

    return search


ARGUMENTS = "import json, sys; print(json.dumps({'files_found': [], 'exploration_log': sys.argv[1:]}))"


def test_the_conversation_is_on_standard_input_and_nothing_of_results(run, repositories):
    program = (
        "import json, sys; print(json.dumps({'files_found': [], 'exploration_log': json.load(sys.stdin)}))"
    )
    issue = {"conversation_id": "c-1", "issue_summary": CONVERSATION.issue_summary, "product_area": "feed"}
    where = {"repos_path": str(repositories.root), "approved_repos": ["a"]}
    asked = {"classification_confidence": 0.5, "iteration_number": 2, "learnings": None}
    assert run(program, iteration=2)["said"] == issue | where | asked


@pytest.mark.parametrize(
    ("program", "cause", "kind", "detail"),
    [
        ("print('a/x.py'); sys.exit('no index')", "provider", "exit", "ended with status 1: no index"),
        ("print('odd', file=sys.stderr)", "parse", "output", "printed nothing, and on standard error 'odd'"),
    ],
)
def test_a_failure_has_its_cause(run, program, cause, kind, detail):
    failed = run(f"import sys; {program}")
    assert isinstance(failed, Failed)
    assert (failed.cause, failed.kind) == (cause, kind)
    assert detail in failed.detail


def test_a_program_that_takes_too_long_is_ended_with_what_it_started(run, tmp_path):
    child = "import os, pathlib, time; pathlib.Path('%s').write_text(str(os.getpid())); time.sleep(60)"
    place = tmp_path / "pid"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child % place!r}])"
    began = time.monotonic()
    failed = run(program, timeout_s=3)
    assert time.monotonic() - began < 50, "it waited for what the program started"
    assert failed == Failed("timeout", "timeout", f"{sys.executable!r} took more than 3 s")
    _wait_until_ended(int(place.read_text()))


def _wait_until_ended(pid):
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    os.kill(pid, 9)
    pytest.fail("what the program started goes on")


def test_no_shell_is_asked(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run(ARGUMENTS, "{issue} ; touch made $HOME *")["said"]
    assert said[1:] == [";", "touch", "made", "$HOME", "*"]
    assert not (tmp_path / "made").exists() and not (tmp_path / "x").exists()
