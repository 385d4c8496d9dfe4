"""What is printed does no harm to terminals, and no stream that a shell gives ends a command with a bug."""

import os
import subprocess
import sys

import pytest

from tellapart.cli.output import print_line, print_text, say, show

HOSTILE = "x\x1b]0;owned\x07\x1b[31m\u202e\rpassed\udc80"
SHOWN = r"x\u001b]0;owned\u0007\u001b[31m\u202e\u000dpassed\udc80"


def test_control_characters_of_data_are_shown_on_both_streams(capsys):
    say(HOSTILE)
    print_line(HOSTILE)
    show(HOSTILE.replace("[", r"\["))
    printed = capsys.readouterr()
    assert printed.err == f"{SHOWN}\n"
    # Rich takes bells and carriage returns away before they get here.
    assert printed.out.splitlines()[0] == SHOWN
    assert "\x1b" not in printed.out
    assert "\u202e" not in printed.out


def test_our_own_colours_stay(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    show("[bold]clear[/bold] \x1b[31mred")
    assert capsys.readouterr().out == "\x1b[1mclear\x1b[0m \\u001b[31mred\n"


def test_a_program_gets_a_text_as_it_is(capsys):
    print_text("a\x1b[0m\tb")
    assert capsys.readouterr().out == "a\x1b[0m\tb"
    print_line("after it")
    assert capsys.readouterr().out == "after it\n"


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "s.csv"
    rows = [
        f"{model},q{item},{(item % step) / step}"
        for item in range(12)
        for step, model in ((2, "a"), (3, "b"))
    ]
    path.write_text("\n".join(["model,item,score", *rows]))
    return path


def shell(line, scores, **environment):
    """Run a line of shell in which ``$T`` is the command and ``$S`` a file of scores."""
    given = {"T": f"{sys.executable} -m tellapart", "S": str(scores), "COLUMNS": "100"}
    return subprocess.run(
        ["bash", "-c", line], env=os.environ | given | environment, capture_output=True, check=False
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$T runs show none 2>/dev/full", 2),
        ("$T runs list >/dev/full 2>/dev/full", 2),
        ("$T runs list | true; exit ${PIPESTATUS[0]}", 141),
        ("$T runs show none <&- >&- 2>&-", 2),
        ("$T compare $S --baseline a --max-drop .02 <&- >&- 2>&-", 4),
    ],
)
def test_streams_that_are_full_or_left(line, code, scores):
    done = shell(line, scores)
    assert (done.returncode, done.stderr) == (code, b"")


@pytest.mark.process
def test_a_full_disk_behind_stdout_is_named(scores):
    done = shell("$T audit $S >/dev/full", scores)
    assert (done.returncode, done.stderr.decode()) == (
        2,
        "error: cannot write to standard output: no space left on device. Make room, or send the output "
        "elsewhere, and run the same command again.\n",
    )


@pytest.mark.process
def test_an_encoding_that_lacks_characters_ends_no_command(scores):
    done = shell("$T audit $S", scores, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
