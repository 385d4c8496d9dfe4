"""What the README and the how-to pages tell people to type is typed here, in order, in one directory each."""

import os
import re
import shlex
import shutil
import sys
import traceback
from pathlib import Path

import pytest

from tellapart.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
CODE = re.compile(r"```(console|python)\n(.*?)```", re.DOTALL)

# Whose Python runs among the commands; that of other pages is examined where their subject is.
WITH_PYTHON = ("contrastive.md", "writers.md")
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")

# What stands as `src` where the examples are typed: enough documented functions for every level, few enough
# that the examples take seconds.
EXAMINED = Path("src/tellapart/extraction/languages")


def commands(page):
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        yield from commands_of(block)


def commands_of(block):
    for line in block.splitlines():
        if line.startswith("$ tellapart "):
            yield shlex.split(line.removeprefix("$ tellapart "), comments=True)


def steps(page):
    """The commands of a page as lists of words, and its Python as text, in order."""
    for kind, block in CODE.findall(page.read_text(encoding="utf-8")):
        if kind == "console":
            yield from commands_of(block)
        elif page.name in WITH_PYTHON:
            yield block


@pytest.fixture
def typed(monkeypatch, capsys):
    """Run a command line in this process, as the installed command does: its exit code and what it says."""

    def run(arguments):
        monkeypatch.setattr(sys, "argv", ["tellapart", *arguments])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        except Exception:
            code = traceback.format_exc()
        return code, capsys.readouterr().err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page, typed, tmp_path, monkeypatch):
    shutil.copytree(ROOT / EXAMINED, tmp_path / EXAMINED, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "cache.sqlite"))
    # As where the package was installed: python is the one that has it.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    for arguments in steps(page):
        if isinstance(arguments, str):
            exec(compile(arguments, page.name, "exec"), {})
            continue
        code, said = typed(arguments)
        assert code == 0, f"{arguments}: {code} {said}"
        assert "Traceback" not in said


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    promised = set(re.findall(r"^\$ make (\w+)", readme, re.MULTILINE))
    assert {"demo", "test"} <= promised
    assert promised <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


def test_links_lead_somewhere():
    lost = {
        page.name: target
        for page in PAGES
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    }
    assert lost == {}
