"""Imports point one way: core <- embed, extraction, store <- llm, audit <- suites <- report, demo, cli."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tellapart

ROOT = Path(tellapart.__file__).parent
SUITES = {"contrastive", "bundles", "codesearch", "longcontext"}
BELOW = {"core": set(), "embed": {"core"}, "extraction": {"core"}, "store": {"core"}}
BELOW |= {"llm": {"core", "store"}}
BELOW["audit"] = {"core", "store"}
BELOW |= {suite: {"core", "embed", "extraction", "llm", "store", "audit"} for suite in SUITES}
BELOW["contrastive"] |= {"bundles"}
BELOW["report"] = {"core", "store", "audit"}
BELOW["demo"] = {"core", "embed", "extraction", "llm", "store", "report", "audit"} | SUITES
BELOW["cli"] = BELOW["demo"] | {"demo"}
BELOW["__main__"] = {"cli"}
BELOW["inspect_registry"] = {"llm"} | SUITES

# What tests models and corrects for several looks; only `core.comparison` decides.
DECIDES = {
    "paired_difference",
    "paired_differences",
    "paired_test",
    "mcnemar_exact",
    "mcnemar_interval",
    "mcnemar_items_needed",
    "sign_flip_p",
    "sign_flip_intervals",
    "draws_for",
    "paired_score_interval",
    "tost_score",
    "tost_binary",
    "tost_constant",
    "holm",
    "holm_known",
    "items_needed",
    "items_needed_t",
    "items_needed_interval",
    "quantile_differences",
}

MODULES = sorted(ROOT.rglob("*.py"))


def part_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from (name for name in names if name)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    part = part_of(path)
    for name in imported(path):
        parts = name.split(".")
        if (
            parts[0] == "tellapart"
            and len(parts) > 1
            and (ROOT / parts[1]).is_dir() | (ROOT / f"{parts[1]}.py").is_file()
        ):
            assert parts[1] in BELOW.get(part, set()) | {part, "errors"}, f"{part} imports {name}"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if part_of(path) == "core"], ids=lambda path: path.name
)
def test_core_is_pure(path):
    impure = {
        "os",
        "pathlib",
        "io",
        "time",
        "datetime",
        "random",
        "socket",
        "subprocess",
        "sqlite3",
        "tempfile",
        "rich",
    }
    # Only os tells of cores, and of a fork, which ends what may run on all of them.
    allowed = {"os"} if path.name == "compiled.py" else set()
    assert not (impure - allowed) & {name.split(".")[0] for name in imported(path)}


def test_models_are_told_apart_in_one_place():
    users = {
        name.rsplit(".", 1)[1]: path.relative_to(ROOT)
        for path in MODULES
        for name in imported(path)
        if name.startswith("tellapart.core.stats.")
        and name.rsplit(".", 1)[1] in DECIDES
        and path.relative_to(ROOT).parts[:2] not in {("core", "comparison"), ("core", "stats")}
    }
    assert users == {}


def test_there_is_one_alpha():
    places = [
        str(path.relative_to(ROOT))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        and target.id.strip("_").upper() == "ALPHA"
        and isinstance(node.value, ast.Constant)
        and node.value.value is not None
    ]
    assert places == ["core/comparison/settings.py"]


def test_only_llm_touches_inspect():
    users = {
        part_of(path) for path in MODULES for name in imported(path) if name.split(".")[0] == "inspect_ai"
    }
    assert users <= {"llm"}


def imported_at_once(path):
    """Modules of ours, and names of others, that importing a module imports with it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def module_name(path):
    return ".".join(("tellapart", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def everything_imported(name, graph):
    """What importing a module imports, packages on the way included."""
    todo, seen = {name}, set()
    while todo:
        seen |= todo
        targets = {tuple(target.split(".")) for one in todo for target in graph.get(one, ())}
        todo = {".".join(parts[: i + 1]) for parts in targets for i in range(len(parts))} - seen
    return seen


def test_no_command_imports_inspect_before_it_asks_a_model():
    graph = {module_name(path): set(imported_at_once(path)) for path in MODULES}
    with_inspect = {name for name in graph if "inspect_ai" in everything_imported(name, graph)}
    places = r"(llm|judging|explorers|learning|grading|longcontext)\.(\w*tasks?|offline\w*)"
    late = re.compile(rf"tellapart\.(\w+\.)?{places}|tellapart\.inspect_registry")
    assert {name for name in with_inspect if not late.fullmatch(name)} == set()
    assert {"tellapart.llm.tasks", "tellapart.contrastive.llm.task"} < with_inspect


def test_without_the_extra_everything_but_asking_can_be_imported():
    packages = ("inspect_ai", "anthropic", "openai", "anyio", "tenacity", "httpx", "httpx_aiohttp")
    modules = ("tellapart.llm", "tellapart.contrastive.run", "tellapart.report.contrastive", "tellapart.demo")
    block = f"import sys; sys.modules.update(dict.fromkeys({packages!r}))"
    program = "; ".join([block, *(f"import {module}" for module in modules)])
    subprocess.run([sys.executable, "-c", program], check=True)


def is_lazy_export(node):
    """PEP 562 and its imports for type checkers: for names that take seconds, or an extra, to import."""
    if isinstance(node, ast.FunctionDef):
        return node.name == "__getattr__"
    is_for_checkers = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return is_for_checkers and all(isinstance(inner, ast.ImportFrom) for inner in [*node.body, *node.orelse])


@pytest.mark.parametrize(
    "path", [p for p in MODULES if p.name == "__init__.py"], ids=lambda p: str(p.relative_to(ROOT))
)
def test_packages_only_re_export_and_every_name_is_there(path):
    package = ".".join(("tellapart", *path.relative_to(ROOT).parent.parts))
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        re_exports = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)
        assert is_docstring or re_exports or is_lazy_export(node), f"{package} does more"
    module = importlib.import_module(package)
    exported = getattr(module, "__all__", [])
    assert exported == sorted(exported, key=str.swapcase) or exported == sorted(exported)
    assert all(hasattr(module, name) for name in exported)


def test_no_cycles():
    graph = {}
    for path in MODULES:
        name = module_name(path)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # An import inside a function or under TYPE_CHECKING cannot close a cycle at import time.
        top = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
        targets = {node.module for node in top} | {
            f"{node.module}.{a.name}" for node in top for a in node.names
        }
        # A package's own __init__ is already running when one of its modules is imported.
        graph[name] = {target for target in targets if not f"{name}.".startswith(f"{target}.")}
    done, stack = set(), []

    def visit(name):
        assert name not in stack, f"import cycle: {' -> '.join([*stack[stack.index(name) :], name])}"
        if name in done or name not in graph:
            return
        stack.append(name)
        for target in sorted(graph[name]):
            visit(target)
        done.add(stack.pop())

    for name in sorted(graph):
        visit(name)
