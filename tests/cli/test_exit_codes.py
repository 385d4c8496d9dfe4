from importlib import metadata
from io import StringIO

import pytest

from tellapart.cli import runs
from tellapart.store import RunPlan


@pytest.fixture
def failing(tellapart, monkeypatch, tmp_path):
    """Run a command in which something of ours fails with a given exception."""

    def run(error):
        def broken(_):
            raise error

        monkeypatch.setattr("tellapart.store.list_runs", broken)
        return tellapart("runs", "list", "--root", tmp_path)

    return run


def test_a_bug_is_70_a_traceback_and_one_sentence(failing):
    ended = failing(ZeroDivisionError("of all\nthings."))
    assert (ended.code, ended.out) == (70, "")
    first, *place, last = ended.err.splitlines()
    assert first == "Traceback (most recent call last):"
    assert any(runs.__file__ in line for line in place)
    assert last.startswith(
        f"error: this is a bug in tellapart {metadata.version('tellapart')} with Python 3."
    )
    assert ", not your mistake: ZeroDivisionError: of all things. Please report it with the lines" in last


def test_what_is_said_of_a_bug_has_no_key(failing, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    assert "planted" not in failing(KeyError("Bearer sk-planted-0123456789abcdef")).err


class Panic(BaseException):
    """What a panic in Rust becomes in Python."""


@pytest.mark.parametrize(
    "error", [Panic("index out of range"), ModuleNotFoundError("No module named 'gone'", name="gone")]
)
def test_no_exception_has_the_exit_code_of_a_verdict(failing, error):
    assert failing(error).code == 70


def test_too_little_memory_is_no_bug(failing):
    ended = failing(MemoryError())
    assert ended.code == 2
    assert ended.err.startswith("error: there is not enough memory for this.")


def test_what_the_operating_system_refuses_is_no_bug_and_names_the_file(failing):
    ended = failing(OSError(5, "Input/output error", "runs/r/run.db"))
    assert (ended.code, ended.err) == (2, "error: runs/r/run.db: input/output error.\n")


def test_a_question_that_nobody_answers_is_no_verdict(tellapart, monkeypatch, tmp_path):
    with RunPlan("audit", {}, {}, 1, tmp_path / "r").writing():
        pass
    monkeypatch.setattr("sys.stdin", StringIO())
    ended = tellapart("runs", "delete", tmp_path / "r")
    assert (ended.code, (tmp_path / "r").exists()) == (2, True)
