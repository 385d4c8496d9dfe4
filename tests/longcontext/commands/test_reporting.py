"""The command that reports a grading."""

import json

import pytest
from typer.testing import CliRunner

from longcontext.page.graded_record import (
    documented,
    three,
)
from tellapart.cli.main import command_line
from tellapart.errors import InputError


@pytest.fixture
def grades(tmp_path):
    path = tmp_path / "grades.json"
    path.write_text(json.dumps(three()), encoding="utf-8")
    return path


def report(*words):
    return CliRunner().invoke(command_line("longcontext"), ["longcontext", "report", *map(str, words)])


def test_it_writes_what_is_asked_for(grades, tmp_path):
    page, text = tmp_path / "page.html", tmp_path / "report.md"
    done = report(grades, "--html", page, "--out", text, "--json")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [f"wrote {page}", f"wrote {text}"]
    told = json.loads(done.stdout)
    assert told["headline"].startswith("Not to be relied on")
    assert told["probes"] == json.loads(json.dumps(three()))["probes"]
    assert text.read_text(encoding="utf-8") == documented(three())
    assert "case_3_overflow lost context at step C3-5" in page.read_text(encoding="utf-8")


def test_it_names_what_it_cannot_read(tmp_path):
    done = report(tmp_path)
    assert isinstance(done.exception, InputError)
    assert done.exception.exit_code == 2
