import gc
import os
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import typer.main
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from nursery import Parent
from pinned.terminal import tellapart as run_in
from support.made_runs import make_runs
from tellapart.cli.main import main

# The same examples in every run, however busy the machine is and whatever else is tested: Hypothesis would
# also draw from the constants of all modules of ours that happen to be imported.
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")
providers._get_local_constants = Constants

SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
    "--disable-component-update",
)
# Files that take ten seconds or more.
LONGEST = {
    "test_ci.py",
    "test_docs.py",
    "test_demo.py",
    "test_parallel.py",
    "test_pinned.py",
    "test_kill.py",
    "test_damaged_files.py",
    "test_selfcheck.py",
    "test_browser.py",
}
# Their tests write and read whole runs and draw pages: half of the time of all tests.
FOLDERS = {"cli", "commands", "page"}
TESTS = Path(__file__).parent
# Other files that take more than a second: half of what is left, and no part of the package is in them alone.
SLOW_FILES = set(TESTS.joinpath("slow_files.txt").read_text(encoding="utf-8").split())

FUNCTION = '''
def {verb}_{noun}({noun}, limit={number}):
    """{Verb} every {noun} of the {place}, {number} at a time, until none is left."""
    {noun}_{verb}ed = []
    for position, entry in enumerate({noun}):
        if position > limit * {number}:
            break
        {body}
    return {noun}_{verb}ed
'''
VERBS = {
    "filter": "{noun}_filtered.append(entry) if entry.{place} else None",
    "merge": "{noun}_merged.extend(entry.children + [position])",
    "parse": "{noun}_parsed.append(entry.split('{place}')[0].strip())",
    "count": "{noun}_counted.append(sum(1 for part in entry if part))",
    "rename": "{noun}_renamed.append(entry.replace('{place}', str(limit)))",
}
NOUNS = {"rows": "table", "orders": "shop", "tokens": "stream", "pages": "book", "users": "directory"}


def pytest_collection_modifyitems(items):
    """Mark what costs much wherever it stands; begin with long files, so that no core is idle at the end."""
    for item in items:
        if "chromium" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
        if "parent" in item.fixturenames:
            item.add_marker(pytest.mark.process)
        is_slow = FOLDERS & set(item.path.parts) or str(item.path.relative_to(TESTS)) in SLOW_FILES
        if is_slow or {"parent", "chromium"} & set(item.fixturenames):
            item.add_marker(pytest.mark.slow)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path.name not in LONGEST, item.path not in slow))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """What is collected stays to the end, so nobody need look for garbage in it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def one_tree_of_commands():
    """Typer works out the options of every command anew at each call, which takes longer than many a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """Twenty-five small documented functions in five files."""
    root = tmp_path_factory.mktemp("repository")
    for number, (noun, place) in enumerate(NOUNS.items(), start=2):
        functions = [
            FUNCTION.format(
                verb=verb,
                Verb=verb.capitalize(),
                noun=noun,
                place=place,
                number=number,
                body=body.format(**locals()),
            )
            for verb, body in VERBS.items()
        ]
        (root / f"{noun}.py").write_text("\n".join(functions))
    return root


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def tellapart(monkeypatch, capsys):
    """Run the command line in this process, as the installed command does."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tellapart", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return Outcome(stop.value.code or 0, printed.out, printed.err)

    return run


@pytest.fixture
def tiny_bench(tmp_path, repository, tellapart):
    """A benchmark of ten targets at the two easiest levels."""
    path = tmp_path / "bench"
    made = tellapart(
        "contrastive", "build", repository, "--out", path, "--targets", 10, "--levels", "trivial,easy"
    )
    assert made.code == 0, made.err
    return path


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """A folder with runs of all suites, finished and growing; to be read only."""
    directory = tmp_path_factory.mktemp("stored")
    make_runs(directory, run_in)
    return directory / "folder"


@pytest.fixture(scope="session")
def parent():
    """The process whose children are command lines that are killed."""
    parent = Parent()
    yield parent
    parent.close()


@pytest.fixture(scope="module")
def chromium():
    """A browser for a file of tests: while one is open, nothing else in its process can run an event loop."""
    path = shutil.which("chromium")
    if path is None:
        message = "there is no chromium on PATH (Debian: apt-get install chromium)"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()
