from importlib import metadata
from io import StringIO

import pytest

from tellapart.cli import runs
from tellapart.store import RunPlan


@pytest.fixture
def failing(tellapart, monkeypatch, tmp_path):
    """Run a command in which something of ours fails with a given exception."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(error, *options):
        def broken(_):
            raise error

        monkeypatch.setattr("tellapart.store.list_runs", broken)
        return tellapart("runs", "list", "--root", tmp_path, *options)

    return run


def test_a_bug_is_70_one_sentence_and_a_log_for_its_owner(failing, tmp_path):
    ended = failing(ZeroDivisionError("of all\nthings."))
    (log,) = tmp_path.glob("tellapart-bug-*.log")
    assert (ended.code, ended.out) == (70, "")
    assert ended.err == (
        "error: this is a bug in tellapart, not your mistake: ZeroDivisionError: of all things. "
        "Please report it to whoever gave you this copy of tellapart, "
        f"with {log}, which holds the traceback (--traceback shows it). What was complete is kept.\n"
    )
    version, command, *place = log.read_text().splitlines()
    assert version.startswith(f"tellapart {metadata.version('tellapart')}, Python 3.")
    assert command == f"command: tellapart runs list --root {tmp_path}"
    assert place[0] == "Traceback (most recent call last):"
    assert any(runs.__file__ in line for line in place)
    assert log.stat().st_mode & 0o777 == 0o600


def test_neither_the_sentence_nor_the_log_of_a_bug_has_a_key(failing, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    ended = failing(KeyError("Bearer sk-planted-0123456789abcdef"))
    (log,) = tmp_path.glob("tellapart-bug-*.log")
    assert (
        "planted"
        not in ended.err
        + log.read_text()
        + failing(KeyError("sk-planted-0123456789abcdef"), "--traceback").err
    )


def test_traceback_shows_where_an_error_arose_and_writes_no_log(failing, tellapart, tmp_path):
    ended = failing(RecursionError(), "--traceback")
    assert ended.code == 70
    first, *_, last = ended.err.splitlines()
    assert first == "Traceback (most recent call last):"
    assert "RecursionError. Please report it" in last
    assert "with the lines above" in last
    assert not [*tmp_path.iterdir()]
    refused = tellapart("--traceback", "audit", tmp_path / "none.csv")
    assert refused.code == 2
    assert refused.err.startswith("Traceback")
    assert "error: " in refused.err.splitlines()[-1]


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
