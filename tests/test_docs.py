"""What the README and the how-to pages tell people to type is typed here, in order, in one directory each."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")


def commands(page):
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ tellapart "):
                yield shlex.split(line.removeprefix("$ tellapart "), comments=True)


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page, tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"TELLAPART_CACHE": str(tmp_path / "cache.sqlite")}
    for arguments in commands(page):
        command = [sys.executable, "-m", "tellapart", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        assert "Traceback" not in done.stderr


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    promised = set(re.findall(r"^\$ make (\w+)", readme, re.MULTILINE))
    assert {"demo", "test"} <= promised
    assert promised <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
