"""What commands with tables print at 80 columns, into a pipe."""

import shlex

import pytest
from rich.cells import cell_len

from tellapart.cli.output import WIDE, show, width

COMMANDS = {
    "bundles": "bundles report tfidf.json bm25.json hashing.json",
    "codesearch": "codesearch compare runs/judged runs/narrow",
    "contrastive": "contrastive report runs/matchers",
    "longcontext": "longcontext report runs/graded",
}


@pytest.fixture
def piped(stored, tellapart, monkeypatch):
    """Print what all commands print into a pipe of so many columns."""

    def printed(columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        texts = {}
        for directory, line in COMMANDS.items():
            monkeypatch.chdir(stored / directory)
            texts[line] = tellapart(*shlex.split(line)).out
            assert texts[line], line
        return texts

    return printed


@pytest.mark.slow
def test_at_80_columns_nothing_is_cut_wide_or_padded(piped):
    wide, narrow = piped(400), piped(80)
    for line, text in narrow.items():
        printed = text.splitlines()
        assert [each for each in printed if cell_len(each) > 80] == [], line
        assert [each for each in printed if each != each.rstrip()] == [], line
        # Lines are broken between words alone, so that every name and every heading is whole.
        lost = {word for word in set(wide[line].split()) - set(text.split()) if word.strip("─")}
        assert lost == set(), line


def test_columns_decides_the_width_and_without_it_a_pipe_is_wide(monkeypatch):
    for columns, expected in (("80", 80), ("200", 200), ("0", WIDE), ("wide", WIDE), (None, WIDE)):
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns is not None:
            monkeypatch.setenv("COLUMNS", columns)
        assert width() == expected


def test_colours_go_into_a_pipe_only_where_they_are_forced(monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    show("[bold]name[/bold]   ")
    monkeypatch.setenv("FORCE_COLOR", "1")
    show("[bold]name[/bold]   ", "[red]x[/red]")
    monkeypatch.setenv("NO_COLOR", "1")
    show("[red]x[/red]")
    assert capsys.readouterr().out == "name\n\x1b[1mname\x1b[0m\n\x1b[31mx\x1b[0m\nx\n"
