"""Damaged tables and logs are refused, or answered well; `make faults` has files for every command."""

import shlex
import signal
import time
from pathlib import Path

import pytest
import typer.main

from pinned.terminal import tellapart
from tellapart.cli.main import command_line

CASES = 60
LIMIT_S = 60
# Commands that read no file of anybody's, and what reads the same files as another command.
READ_NOTHING = {
    "demo": "writes and runs what it made itself",
    "view": "reads as audit does, until it is ended; its own files are damaged in tests/view",
    "longcontext generate": "makes cases of numbers",
    "codesearch issues": "reads a repository's code as 'contrastive units' does",
    "writers judge": "reads a benchmark as 'contrastive run' does",
    "writers retrieve": "reads a benchmark as 'contrastive run' does",
}


@pytest.fixture(autouse=True)
def kit(monkeypatch):
    """The modules beside ``benchmarks/faults.py``."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks/faults_kit"))


def test_every_command_is_covered():
    from damage.forms import FORMS

    def paths(group, above=()):
        for name, command in getattr(group, "commands", {}).items():
            below = getattr(command, "commands", None)
            yield from paths(command, (*above, name)) if below else [" ".join((*above, name))]

    fuzzed = [form.run for form in FORMS.values()]
    commands = paths(typer.main.get_command(command_line()))
    lacking = {path for path in commands if not any(run.startswith(f"{path} ") for run in fuzzed)}
    assert lacking == set(READ_NOTHING)


class Here:
    """Runs command lines in this process, each for a limited time."""

    limit_s = LIMIT_S

    def run(self, directory, command, plant=""):
        from damage.oracle import Outcome

        hung = []

        def end(*_):
            hung.append(True)
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, end)
        signal.alarm(self.limit_s)
        try:
            code, out, err = tellapart(directory, *shlex.split(command))
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
        return Outcome(code, out.encode(), err.encode(), hung=bool(hung)), []


def unexpected(*_):
    raise KeyError("no such key")


@pytest.mark.parametrize(
    ("bug", "limit_s", "seen"), [(unexpected, LIMIT_S, "traceback"), (lambda *_: time.sleep(30), 1, "hung")]
)
def test_what_must_not_happen_is_seen(tmp_path, monkeypatch, bug, limit_s, seen):
    from damage.cases import Bench, Case
    from damage.forms import FORMS
    from damage.material import lay_out

    here = Here()
    bench = Bench(tmp_path, here)
    lay_out(bench.material)
    assert not bench.control(FORMS["table.csv"])[0].failed
    monkeypatch.setattr("tellapart.readers.table.read", bug)
    here.limit_s = limit_s
    verdicts = (bench.result(Case("table.csv", number, 1)).verdict for number in range(5))
    assert any(verdict.failed and verdict.name == seen for verdict in verdicts)


@pytest.mark.slow
def test_damaged_files(tmp_path):
    from damage.cases import Bench, drawn
    from damage.forms import FORMS
    from damage.material import lay_out
    from damage.oracle import ANSWERED, REFUSED_IT

    bench = Bench(tmp_path, Here())
    lay_out(bench.material)
    forms = [
        form
        for form in FORMS.values()
        if form.weight >= 4 and all(any(bench.material.glob(need.split(">")[0])) for need in form.needs)
    ]
    results = [bench.result(case) for case in drawn(CASES, 1, forms)]
    assert [result for result in results if result.verdict.failed] == []
    assert {REFUSED_IT, ANSWERED} <= {result.verdict.name for result in results}
