"""Damaged tables and logs are refused, or answered well; `make faults` has files for every command."""

import shlex
from pathlib import Path

import pytest
import typer.main

from pinned.terminal import tellapart
from tellapart.cli.main import command_line

CASES = 60
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


@pytest.mark.slow
def test_damaged_files(tmp_path):
    from damage.cases import Bench, drawn
    from damage.forms import FORMS
    from damage.material import lay_out
    from damage.oracle import ANSWERED, REFUSED_IT, Outcome

    class Here:
        def run(self, directory, command, plant=""):
            code, out, err = tellapart(directory, *shlex.split(command))
            return Outcome(code, out.encode(), err.encode()), []

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
