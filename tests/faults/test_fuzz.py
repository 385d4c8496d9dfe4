"""Damaged files of every form are refused, or answered well; the oracle that says so sees planted bugs."""

from pathlib import Path

import pytest
import typer.main

import tellapart
from faults.cases import Bench, Case, Tally, drawn
from faults.forms import FORMS
from tellapart.cli.main import command_line

pytestmark = [pytest.mark.process, pytest.mark.slow]
CASES = 100
# Of costly forms `make faults` alone draws.
QUICK = [form for form in FORMS.values() if form.weight >= 4]
# Commands that read no file of anybody's, and what reads the same files as another command.
READ_NOTHING = {
    "demo": "writes and runs what it made itself",
    "view": "reads as audit does, until it is ended; its own files are damaged in tests/view",
    "longcontext generate": "makes cases of numbers",
    "codesearch issues": "reads a repository's code as 'contrastive units' does",
    "writers judge": "reads a benchmark as 'contrastive run' does",
    "writers retrieve": "reads a benchmark as 'contrastive run' does",
}


@pytest.fixture(scope="module")
def bench():
    with Bench(Path(tellapart.__file__).parents[1], workers=1) as bench:
        yield bench


def test_every_command_is_covered():
    def paths(group, above=()):
        for name, command in getattr(group, "commands", {}).items():
            below = getattr(command, "commands", None)
            yield from paths(command, (*above, name)) if below else [" ".join((*above, name))]

    fuzzed = [form.run for form in FORMS.values()]
    lacking = {
        path
        for path in paths(typer.main.get_command(command_line()))
        if not any(command.startswith(f"{path} ") for command in fuzzed)
    }
    assert lacking == set(READ_NOTHING)


@pytest.mark.parametrize(
    ("plant", "form", "verdict"),
    [
        ("traceback", "table.csv", "traceback"),
        ("file_left", "table.csv", "left behind"),
        ("nameless", "table.csv", "refused without the name of the file"),
        ("always_right", "table.json", "took what cannot be whole"),
        ("blind_to_changes", "frozen eval", "a change went unnoticed"),
    ],
)
def test_the_oracle_sees_a_planted_bug(bench, plant, form, verdict):
    cases = (Case(form, number, 1) for number in range(40))
    assert any(bench.result(case, plant=plant).verdict.name == verdict for case in cases)


def test_damaged_files(bench):
    cases = drawn(CASES, seed=1, forms=QUICK)[:CASES]
    forms = {case.form for case in cases}
    controls = list(bench.all_controls([FORMS[name] for name in forms]))
    assert [(form.name, verdict) for form, verdict, _ in controls if verdict.failed] == []
    tally = Tally()
    for result in bench.run(cases):
        tally.add(result)
    assert [str(results[0]) for results in tally.failures.values()] == []
