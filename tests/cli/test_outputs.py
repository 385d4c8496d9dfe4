"""Every output of every command is looked at before the command begins."""

import inspect
import os
from pathlib import Path

import pytest
from typer.models import ParameterInfo

from tellapart.cli.inputs import existing_here
from tellapart.cli.main import command_line
from tellapart.errors import StorageError, UsageError


def commands(of, words=()):
    for command in of.registered_commands:
        yield " ".join((*words, command.name or command.callback.__name__)), command.callback
    for group in of.registered_groups:
        yield from commands(group.typer_instance, (*words, group.name))


def paths(callback):
    """Name and option of every parameter that is a path, or several."""
    for name, parameter in inspect.signature(callback, eval_str=True).parameters.items():
        notes = getattr(parameter.annotation, "__metadata__", ())
        option = next((note for note in notes if isinstance(note, ParameterInfo)), None)
        if option is None:
            continue
        if (
            "Path" in str(parameter.annotation.__origin__)
            or option.writable
            or option.callback is existing_here
        ):
            yield name, option


ALL = dict(commands(command_line()))
OUTPUTS = [
    (callback, name, option.file_okay)
    for callback in ALL.values()
    for name, option in paths(callback)
    if option.writable
]


def refused(callback, name, place, error, text):
    with pytest.raises(error, match=text) as raised:
        callback(**{name: place})
    assert str(place) in str(raised.value)


def test_where_nothing_can_be_written_no_command_begins(tmp_path):
    (tmp_path / "file.csv").touch()
    (tmp_path / "directory").mkdir()
    there = sorted(tmp_path.rglob("*"))
    for callback, name, is_file in OUTPUTS:
        refused(callback, name, tmp_path / "file.csv" / "x" / "y", StorageError, "part of the path is a file")
        other, text = ("directory", "a directory, expected") if is_file else ("file.csv", "a file, expected")
        refused(callback, name, tmp_path / other, UsageError, text)
    assert sorted(tmp_path.rglob("*")) == there


def test_an_address_is_no_place_on_this_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for callback, name, _ in OUTPUTS:
        with pytest.raises(UsageError, match="^s3://bucket/x.y: this is an address, expected a place here"):
            callback(**{name: Path("s3://bucket/x.y")})


def test_an_input_that_would_be_lost_is_seen_through_links(tmp_path):
    (tmp_path / "in.csv").touch()
    (tmp_path / "link").symlink_to("in.csv")
    for callback, name, is_file in OUTPUTS:
        inputs = [read for read, option in paths(callback) if not option.writable]
        for read in inputs if is_file else ():
            with pytest.raises(UsageError, match="this file is an input and would be lost"):
                callback(**{name: tmp_path / "link", read: tmp_path / "in.csv"})


def test_two_outputs_do_not_go_to_one_file(tmp_path):
    with pytest.raises(UsageError, match="two outputs would go to this file"):
        ALL["audit"](html=tmp_path / "x", markdown=tmp_path / "." / "x", scores=[], reading=None)


def test_what_may_not_be_written_to_is_told_before_anything_is_done(tmp_path, monkeypatch):
    # Whoever runs the tests as root may write everywhere.
    closed, file = tmp_path / "closed", tmp_path / "file"
    closed.mkdir()
    file.touch()
    real = os.access
    for place in (closed, file):
        monkeypatch.setattr(
            os, "access", lambda path, *more, place=place, **named: place != path and real(path, *more)
        )
        out = closed / "deep" / "x" if place == closed else file
        refused(ALL["audit"], "html", out, StorageError, "permission is denied. Choose a place")


def test_devices_are_fit_to_be_written_to(tmp_path, tellapart):
    (tmp_path / "t.csv").write_text("model,item,score\na,1,1\nb,1,0\na,2,0\nb,2,1\n")
    assert tellapart("audit", tmp_path / "t.csv", "--html", "/dev/null", "--json").code == 0
    full = tellapart("audit", tmp_path / "t.csv", "--html", "/dev/full", "--json")
    assert full.code == 2
    assert "/dev/full: cannot write: the disk is full" in full.err
