import io
import re
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.reading import read_cases


def test_a_directory_is_all_cases_in_it_by_name(tmp_path):
    (tmp_path / "b.txt").write_text("=== MESSAGE 1 ===\nhello\n")
    (tmp_path / "a.YAML").write_text("steps:\n- message: M1\n  text: hello\n")
    (tmp_path / "results.json").write_text("{}")
    first = tmp_path / "b.txt"
    assert [case.name for case in read_cases([tmp_path])] == ["a", "b"]
    with pytest.raises(InputError, match=re.escape(f"this case is called 'b', and so is {first}")):
        read_cases([first, tmp_path])


def test_a_directory_without_cases(tmp_path):
    with pytest.raises(InputError, match="there is no case in this directory"):
        read_cases([tmp_path])


def test_a_dash_is_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("=== MESSAGE 1 ===\r\nhé\r\n".encode())))
    (case,) = read_cases([Path("-")])
    assert [(step.id, step.text) for step in case.steps] == [("M1", "hé")]
