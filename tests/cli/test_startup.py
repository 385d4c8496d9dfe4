"""What needs no language model, no code and no pictures works without the packages that those need."""

import json
import subprocess
import sys

import pytest

BLOCKED = ("inspect_ai", "anthropic", "openai")
EXTRAS = ("altair", "bm25s", "faiss", "numba", "pathspec", "rapidfuzz", "sklearn", "tree_sitter",
          "tree_sitter_python", "vl_convert")  # fmt: skip

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


def without_the_extra(directory, *lines, blocked=BLOCKED):
    """Run command lines in one process in which the packages of extras cannot be imported.

    Returns:
        Of each its exit code and what it printed on stdout and stderr.
    """
    done = subprocess.run(
        [sys.executable, "-c", RUN_WITHOUT.format(blocked=blocked)],
        input=json.dumps([[str(word) for word in line] for line in lines]),
        capture_output=True,
        text=True,
        cwd=directory,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def imported(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_starting_imports_nothing_heavy():
    # Typer imports pydantic when a command runs, but neither for help nor for completion.
    every = imported("from tellapart.cli.main import command_line; command_line()")
    assert not (HEAVY | {"pydantic", "pydantic_core"}) & {name.partition(".")[0] for name in every}
    assert [name for name in every if name.startswith("tellapart.offline")] == []
    one = imported("from tellapart.cli.main import command_line; command_line('audit')")
    assert [name for name in one if name.startswith(("tellapart.bundles", "tellapart.longcontext"))] == []


def test_an_audit_imports_what_it_needs(tmp_path):
    (tmp_path / "s.csv").write_text("item,a,b\n" + "".join(f"{i},{i % 2},{i % 3 > 0:d}\n" for i in range(30)))
    audit = imported(f"import tellapart as ta; str(ta.audit({str(tmp_path / 's.csv')!r}).verdict)")
    heavy = {"altair", "bm25s", "jsonschema", "numba", "sklearn", "vl_convert"}
    assert not heavy & {name.partition(".")[0] for name in audit}
    assert not {"scipy.stats", "scipy.optimize", "scipy.interpolate", "scipy.sparse"} & audit
    logs = ("benchmarks", "harnesses", "inspect_log", "lm_eval", "promptfoo", "retrieval")
    assert not {f"tellapart.readers.{name}" for name in logs} & audit


def test_an_audit_with_its_page_imports_at_most_110_modules_of_ours(tmp_path):
    (tmp_path / "s.csv").write_text("item,a,b\n" + "".join(f"{i},{i % 2},{i % 3 > 0:d}\n" for i in range(30)))
    line = ["tellapart", "audit", str(tmp_path / "s.csv"), "--html", str(tmp_path / "s.html")]
    every = imported(f"sys.argv = {line}\nfrom tellapart.cli.main import main\nmain()")
    assert len([name for name in every if name.partition(".")[0] == "tellapart"]) <= 110


def test_scores_are_audited_with_the_core_alone_and_what_needs_more_says_what(tmp_path):
    rows = [f"{model},{item},{int(item > 7 or model == 'a')}" for model in "ab" for item in range(9)]
    (tmp_path / "scores.csv").write_text("\n".join(["model,item,score", *rows]))
    bundle = {"query": "red", "positive": "a red thing", "negatives": ["a blue thing"]}
    (tmp_path / "eval.jsonl").write_text(json.dumps(bundle) + "\n")
    audit, compare, *refused = without_the_extra(
        tmp_path,
        ("audit", "scores.csv", "--html", "audit.html"),
        ("compare", "scores.csv", "--baseline", "a", "--max-drop", "0.02", "--on-unclear", "warn"),
        ("contrastive", "build", tmp_path, "--out", "bench"),
        ("bundles", "score", "eval.jsonl", "--model", "bm25", "--out", "bm25.json"),
        ("bundles", "score", "eval.jsonl", "--model", "lsa", "--out", "lsa.json"),
        blocked=(*BLOCKED, *EXTRAS),
    )
    assert (audit[0], compare[0]) == (0, 3), (audit, compare)
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert 'class="mark strong"' in page and "No picture" not in page
    for (code, out, err), (feature, extra) in zip(
        refused, [("reading code", "code"), *[("scoring texts", "embed")] * 2], strict=True
    ):
        assert (code, out) == (2, "")
        assert err.endswith(
            f"error: {feature} needs the optional dependencies '{extra}', which are not installed. "
            f"Install them with: pip install 'tellapart[{extra}]'.\n"
        )
