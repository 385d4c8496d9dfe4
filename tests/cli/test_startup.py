"""What needs no language model works without the packages that language models need."""

import subprocess
import sys

import pytest

BLOCKED = ("inspect_ai", "anthropic", "openai")

# Of the distributions that come with typer, and of the standard library, whatever they need may be imported.
HEAVY = {"numpy", "polars", "scipy", "sklearn", "faiss", "numba", "torch", "tree_sitter", "bm25s", "altair",
         "jinja2", "statsmodels", "httpx", "anyio", "asyncio", *BLOCKED}  # fmt: skip

RUN_WITHOUT = """
import importlib.abc
import sys


class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None


sys.meta_path.insert(0, Blocked())
sys.argv[0] = "tellapart"
from tellapart.cli.main import main

main()
"""


@pytest.fixture
def bare(tmp_path):
    """Run the command in a process of its own in which the packages of the extra cannot be imported."""

    def run(*arguments):
        code = RUN_WITHOUT.format(blocked=BLOCKED)
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    return run


def test_starting_imports_nothing_heavy():
    code = "import sys, tellapart.cli.main; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(eval(done.stdout))


@pytest.mark.parametrize(
    "group", [[], ["contrastive"], ["contrastive", "run"], ["bundles"], ["runs"], ["audit"]]
)
def test_every_help_works_without_the_extra(bare, group):
    done = bare(*group, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: tellapart" in done.stdout


def test_what_needs_no_language_model_works_without_the_extra(bare, repository, tmp_path):
    def succeed(*arguments):
        done = bare(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    few = ("--targets", 10, "--levels", "trivial,easy")
    succeed("contrastive", "build", repository, "--out", "bench", *few)
    succeed("contrastive", "run", "bench", "--model", "bm25", "--model", "lsa", "--out", "r")
    assert "bm25" in succeed("contrastive", "report", "r")
    assert "bm25" in succeed("audit", "r")
    foreseen = succeed("contrastive", "run", "bench", "--llm", "anthropic/x", "--dry-run", "--json")
    assert '"anthropic/x"' in foreseen


def test_a_language_model_without_the_extra_is_told_how_to_install_it(bare, tiny_bench):
    done = bare("contrastive", "run", tiny_bench, "--model", "bm25", "--llm", "anthropic/x", "--out", "r")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: asking a language model needs the optional dependencies 'llm', which are not installed. "
        "Install them with: pip install 'tellapart[llm]'.\n"
    )
