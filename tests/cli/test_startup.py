"""What needs no language model works without the packages that language models need."""

import json
import subprocess
import sys

import pytest

BLOCKED = ("inspect_ai", "anthropic", "openai")

# Of the distributions that come with typer, and of the standard library, whatever they need may be imported.
HEAVY = {"numpy", "polars", "scipy", "sklearn", "faiss", "numba", "torch", "tree_sitter", "bm25s", "altair",
         "jinja2", "statsmodels", "httpx", "anyio", "asyncio", *BLOCKED}  # fmt: skip

RUN_WITHOUT = """
import contextlib, importlib.abc, io, json, sys


class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None


sys.meta_path.insert(0, Blocked())
from tellapart.cli.main import main

outcomes = []
for line in json.load(sys.stdin):
    sys.argv = ["tellapart", *line]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
    outcomes.append((code, out.getvalue(), err.getvalue()))
json.dump(outcomes, sys.stdout)
"""

pytestmark = pytest.mark.process


def without_the_extra(directory, *lines):
    """Run command lines in one process in which the packages of the extra cannot be imported.

    Returns:
        Of each its exit code and what it printed on stdout and stderr.
    """
    done = subprocess.run(
        [sys.executable, "-c", RUN_WITHOUT.format(blocked=BLOCKED)],
        input=json.dumps([[str(word) for word in line] for line in lines]),
        capture_output=True,
        text=True,
        cwd=directory,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_starting_imports_nothing_heavy():
    code = "import sys, tellapart.cli.main; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(eval(done.stdout))


def test_every_help_works_without_the_extra(tmp_path):
    groups = ([], ["contrastive"], ["contrastive", "run"], ["bundles"], ["runs"], ["audit"])
    for code, out, err in without_the_extra(tmp_path, *([*group, "--help"] for group in groups)):
        assert (code, err) == (0, "")
        assert "Usage: tellapart" in out


def test_only_a_language_model_needs_the_extra_and_is_told_how_to_install_it(repository, tmp_path):
    few = ("--targets", 10, "--levels", "trivial,easy")
    outcomes = without_the_extra(
        tmp_path,
        ("contrastive", "build", repository, "--out", "bench", *few),
        ("contrastive", "run", "bench", "--model", "bm25", "--model", "lsa", "--out", "r"),
        ("contrastive", "report", "r"),
        ("audit", "r"),
        ("contrastive", "run", "bench", "--llm", "anthropic/x", "--dry-run", "--json"),
        ("contrastive", "run", "bench", "--model", "bm25", "--llm", "anthropic/x", "--out", "asked"),
    )
    *without, asked = outcomes
    assert [code for code, _, _ in without] == [0] * 5, without
    _, _, report, audit, foreseen = (out for _, out, _ in without)
    assert "bm25" in report
    assert "bm25" in audit
    assert '"anthropic/x"' in foreseen
    assert asked == [
        2,
        "",
        "error: asking a language model needs the optional dependencies 'llm', which are not installed. "
        "Install them with: pip install 'tellapart[llm]'.\n",
    ]
