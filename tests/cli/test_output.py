"""What is printed does no harm to terminals, and no stream that a shell gives ends a command with a bug."""

import json
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
        ("$T runs list >&-", 0),
        ("$T runs list 2>&-", 0),
        ("$T runs show none >&- 2>&-", 2),
        ("$T runs show none 2>/dev/full", 2),
        ("$T runs list >/dev/full 2>/dev/full", 2),
        ("$T runs list | true; exit ${PIPESTATUS[0]}", 141),
    ],
)
def test_streams_that_are_closed_full_or_left(line, code, scores):
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
def test_no_file_takes_the_place_of_a_closed_stream(scores, tmp_path):
    page = tmp_path / "page.html"
    done = shell(f"$T audit $S --html {page} >&- 2>&- <&-", scores)
    assert done.returncode == 0
    assert page.read_text().startswith("<!doctype html>")
    assert page.read_text().rstrip().endswith("</html>")


@pytest.fixture(scope="module")
def usual(scores):
    return shell("$T audit $S", scores, PYTHONIOENCODING="utf-8").stdout.decode()


@pytest.mark.process
@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "iso-8859-1"}],
)
def test_an_encoding_that_lacks_characters_gets_others_like_them(scores, usual, environment):
    done = shell("$T audit $S", scores, **environment)
    text = done.stdout.decode(environment.get("PYTHONIOENCODING", "ascii"))
    assert (done.returncode, done.stderr) == (0, b"")
    lacking = {"−": "-", "–": "-", "α": "alpha"} | ({} if "PYTHONIOENCODING" in environment else {"×": "x"})
    for sign, like in lacking.items():
        usual = usual.replace(sign, like)
    assert text == usual


@pytest.mark.process
def test_names_of_files_are_read_stored_and_printed_in_any_locale(scores, tmp_path):
    latin = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    named = tmp_path / "größe.csv"
    named.write_bytes(scores.read_bytes())
    usual = shell("$T audit $S --json", named)
    narrow = shell(f"$T audit $S --json --html '{tmp_path}/maß.html'", named, **latin)
    assert (narrow.returncode, narrow.stdout) == (0, usual.stdout)
    assert json.loads(usual.stdout)["sources"] == {str(named): "table"}
    assert (tmp_path / "maß.html").is_file()


@pytest.mark.process
def test_with_no_environment_the_answer_is_the_same(scores, usual):
    bare = [sys.executable, "-m", "tellapart", "audit", scores]
    done = subprocess.run(bare, env={"COLUMNS": "100"}, capture_output=True, check=True)
    assert done.stdout.decode() == usual
