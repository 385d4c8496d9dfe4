"""What the README and the how-to pages tell people to type is typed here, in order, in one directory each."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from tellapart.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
CODE = re.compile(r"```(console|python)\n(.*?)```", re.DOTALL)

# Python that a page has people save, under the name in its first line.
FILE = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)
PORT = "8765"

# Whose Python runs among the commands; that of other pages is examined where their subject is.
WITH_PYTHON = ("contrastive.md", "writers.md")
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")

# What stands as `src` where the examples are typed: enough documented functions for every level, few enough
# that the examples take seconds.
EXAMINED = Path("src/tellapart/extraction")
# As typed, these are so many that figures mean something; so few are enough to see that a command runs.
ENOUGH = {"--conversations": 1, "--targets": 12}


class Service(str):
    """A command line that goes on in the background; its last word is a port."""


def commands(page):
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        yield from commands_of(block)


def commands_of(block):
    for line in block.splitlines():
        if line.startswith("$ tellapart "):
            yield fewer(shlex.split(line.removeprefix("$ tellapart "), comments=True))
        elif line.startswith("$ python ") and line.endswith(" &"):
            yield Service(line.removeprefix("$ ").removesuffix(" &"))


def fewer(words):
    """A command with no more conversations and targets than are enough."""
    if words[:2] == ["contrastive", "build"] and "--targets" not in words:
        words = [*words, "--targets", str(ENOUGH["--targets"])]
    return [
        str(min(int(word), ENOUGH[option])) if option in ENOUGH else word
        for option, word in zip(["", *words], words, strict=False)
    ]


def steps(text, name):
    """The commands of a page as lists of words, and its Python as text, in order."""
    for kind, block in CODE.findall(text):
        if kind == "console":
            yield from commands_of(block)
        elif name in WITH_PYTHON:
            yield block


@pytest.fixture
def started():
    """Start a service that a page has people start, and end it with the test."""
    services = []

    def start(line, port):
        services.append(subprocess.Popen(shlex.split(line), stdout=subprocess.DEVNULL))
        for _ in range(600):
            with socket.socket() as there:
                if there.connect_ex(("localhost", int(port))) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError(line)

    yield start
    for service in services:
        service.kill()
        service.wait()


def free_port():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return str(free.getsockname()[1])


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
def test_the_commands_of_a_page_run(page, typed, started, tmp_path, monkeypatch):
    shutil.copytree(ROOT / EXAMINED, tmp_path / EXAMINED, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "cache.sqlite"))
    # As where the package was installed: python is the one that has it.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    port = free_port()
    text = page.read_text(encoding="utf-8").replace(PORT, port)
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    for arguments in steps(text, page.name):
        if isinstance(arguments, Service):
            started(arguments, port)
            continue
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
