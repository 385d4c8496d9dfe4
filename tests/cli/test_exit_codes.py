import sys
from importlib import metadata

import pytest

from tellapart.cli import runs


def test_a_fault_of_our_own_is_70_with_its_place_and_what_to_do(tellapart, monkeypatch, tmp_path):
    def broken(_):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("tellapart.store.list_runs", broken)
    ended = tellapart("runs", "list", "--root", tmp_path)
    assert (ended.code, ended.out) == (70, "")
    *place, last = ended.err.splitlines()
    assert place[0] == "Traceback (most recent call last):"
    assert any(runs.__file__ in line for line in place)
    assert last.startswith(
        "error: this is a bug in tellapart, not your mistake: ZeroDivisionError: of all things. "
    )
    assert "Please report it" in last


def test_a_package_that_no_extra_brings_is_our_fault_too(tellapart, monkeypatch, tmp_path):
    def broken(_):
        raise ModuleNotFoundError("No module named 'gone'", name="gone")

    monkeypatch.setattr("tellapart.store.list_runs", broken)
    assert tellapart("runs", "list", "--root", tmp_path).code == 70


def test_a_shell_can_complete(tellapart):
    assert "--install-completion" in tellapart("--help").out


def test_an_interrupt_while_modules_are_imported_is_one_line(monkeypatch, capsys):
    class Interrupting:
        @staticmethod
        def find_spec(name, *_):
            if name == "tellapart.cli.main":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "tellapart.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting, *sys.meta_path])
    (command,) = metadata.entry_points(group="console_scripts", name="tellapart")
    with pytest.raises(SystemExit) as stop:
        command.load()()
    assert stop.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
