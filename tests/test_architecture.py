"""Imports point one way: between the layers of the house, and between the folders of each part."""

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import tellapart

ROOT = Path(tellapart.__file__).parent
SUITES = {"contrastive", "bundles", "codesearch", "longcontext"}
# Ranks those who wrote the summaries of contrastive benchmarks.
WRITERS = {"writers"}
# Each part imports itself and the layers before its own: the command line's kit lies below the suites, its
# entry above.
LAYERS = [
    {"errors", "lazy"},
    {"core"},
    {"environment", "engines"},
    {"files"},
    {"store", "embed", "extraction", "parallel"},
    {"llm"},
    {"report"},
    {"cli"},
    {"readers"},
    {"audit"},
    {"compare", "labelling", "leaderboard", "stopping"},
    {"api"},
    SUITES,
    WRITERS,
    {"demo", "embedding", "integrations", "offline", "view"},
    {"inspect_registry"},
    {"cli.demo", "cli.embed"},
    {"cli.main"},
    {"__main__"},
]
LAYER = {part: number for number, parts in enumerate(LAYERS) for part in parts}
# What drives a suite, and is imported by none of its steps.
DRIVERS = {"commands", "page"}

# What tests models and corrects for several looks; only `core.comparison` decides.
DECIDES = {
    "paired_differences",
    "paired_test",
    "mcnemar_exact",
    "mcnemar_interval",
    "sign_flip_p",
    "sign_flip_intervals",
    "draws_for",
    "tost_score",
    "tost_binary",
    "tost_constant",
    "holm",
    "holm_known",
    "nominal_level",
    "spent_p",
}

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(ROOT.rglob("*.py"))


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path):
    return tuple(ast.walk(tree_of(path)))


def relative(path):
    return str(path.relative_to(ROOT))


def parts_of(path):
    return tuple(path.relative_to(ROOT).with_suffix("").parts)


def module_name(path):
    return ".".join(("tellapart", *parts_of(path))).removesuffix(".__init__")


PATHS = {module_name(path): path for path in MODULES}


@cache
def imported(path):
    """Names of modules, and of what is taken from them, that a module imports anywhere."""
    names = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


@cache
def imported_modules(path):
    """Our modules that a module imports anywhere; not the package that one of them lies in."""
    found = {name for name in imported(path) if name in PATHS} - {"tellapart"}
    return {name for name in found if not any(other.startswith(f"{name}.") for other in found)}


def part_of(name):
    """The part of the house that a module belongs to."""
    inner = name.removeprefix("tellapart.")
    return inner if inner in LAYER else inner.split(".")[0]


def test_imports_point_one_way():
    wrong = [
        f"{name} imports {target}"
        for name, path in PATHS.items()
        for target in imported_modules(path)
        if name != "tellapart"
        and part_of(name) != part_of(target)
        and not LAYER[part_of(target)] < LAYER[part_of(name)]
    ]
    assert wrong == []


def siblings():
    """Imports between children of each folder: {folder: {(child, child), ...}}, tellapart itself left out."""
    edges = defaultdict(set)
    for name, path in PATHS.items():
        here = tuple(name.split("."))
        for target in imported_modules(path):
            there = tuple(target.split("."))
            depth = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), None)
            if depth is not None and depth > 1:
                edges[here[:depth]].add((here[depth], there[depth]))
    return edges


def reached(start, edges):
    """What one child of a folder needs, directly or through others."""
    todo, seen = {start}, set()
    while todo:
        todo = {b for a, b in edges if a in todo} - seen
        seen |= todo
    return seen


def test_no_circle_between_modules_or_folders_side_by_side():
    circles = [
        f"{'.'.join(folder)}: {child}"
        for folder, edges in siblings().items()
        for child in sorted({a for a, _ in edges})
        if child in reached(child, edges)
    ]
    assert circles == []


def test_what_folders_share_imports_none_of_them():
    """A module that a folder beside it needs is a foundation; one that needs a folder drives it."""
    between = []
    for folder, edges in siblings().items():
        children = {child for edge in edges for child in edge}
        folders = {child for child in children if ROOT.joinpath(*folder[1:], child).is_dir()}
        for child in sorted(children - folders):
            users = {a for a, b in edges if b == child} & (folders - DRIVERS)
            if users and (needed := reached(child, edges) & folders):
                between.append(f"{'.'.join(folder)}.{child}: {sorted(users)} need it, it {sorted(needed)}")
    assert between == []


def test_core_is_pure():
    impure = {"os", "pathlib", "io", "time", "datetime", "random", "socket", "subprocess", "sqlite3"}
    impure |= {"tempfile", "rich"}
    users = {
        (relative(path), name.split(".")[0])
        for path in MODULES
        if parts_of(path)[0] == "core"
        for name in imported(path)
        if name.split(".")[0] in impure
    }
    # Only os tells of cores, and of a fork, which ends what may run on all of them.
    assert users <= {("core/compiled.py", "os")}


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
        for node in nodes_of(path)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        and target.id.strip("_").upper() == "ALPHA"
        and isinstance(node.value, ast.Constant)
        and node.value.value is not None
    ]
    assert places == ["core/comparison_settings.py"]


# What reads the forms that people's files have; the others on the list write them, or read what is ours.
PARSERS = {
    "csv": {"files/tables.py"},
    "yaml": {"files/yaml_text.py", "longcontext/reading/cases.py"},
    "scan_csv": {"files/tables.py"},
    "read_csv": {"readers/inspect_log.py"},
    "scan_parquet": {"bundles/reading/files.py", "store/tables.py"},
    "read_parquet": {"files/tables.py", "store/tables.py"},
    "JSONDecodeError": {"files/reading.py", "llm/replies.py"},
}


@pytest.mark.parametrize("parser", PARSERS)
def test_files_of_people_are_read_in_one_place(parser):
    users = {
        relative(path)
        for path in MODULES
        for node in nodes_of(path)
        if (isinstance(node, ast.Attribute) and node.attr == parser)
        or (isinstance(node, ast.Import) and parser in {alias.name for alias in node.names})
    }
    assert users == PARSERS[parser]


def test_only_llm_and_the_offline_provider_touch_inspect():
    users = {
        relative(path) for path in MODULES for name in imported(path) if name.split(".")[0] == "inspect_ai"
    }
    offline = {"offline/provider.py", "offline/responders.py"}
    others = {user for user in users if not user.startswith("llm/")}
    assert others == offline


def imported_at_once(path):
    """Modules of ours, and names of others, that importing a module imports with it."""
    for node in tree_of(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def test_one_module_holds_what_is_private_in_inspect():
    users = {relative(path) for path in MODULES for name in imported(path) if name.startswith("inspect_ai._")}
    assert users == {"llm/inspect_private.py"}


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
    parts = "llm|contrastive|judging|explorers|learning|grading|longcontext"
    places = rf"({parts})\.(\w*tasks?|inspect_private)|offline(\.\w+)?"
    late = re.compile(rf"tellapart\.(\w+\.)?({places})|tellapart\.inspect_registry")
    assert {name for name in with_inspect if not late.fullmatch(name)} == set()
    assert {"tellapart.llm.tasks", "tellapart.contrastive.inspect_task"} < with_inspect
    # An assistant that asks an offline rule begins at once.
    assert "tellapart.offline.longcontext" not in with_inspect


@pytest.mark.slow
@pytest.mark.process
def test_without_the_extra_everything_but_asking_can_be_imported():
    packages = ("inspect_ai", "anthropic", "openai", "anyio", "tenacity", "httpx", "httpx_aiohttp")
    suite = ("tellapart.contrastive.running", "tellapart.contrastive.page")
    modules = ("tellapart.llm", *suite, "tellapart.demo")
    block = f"import sys; sys.modules.update(dict.fromkeys({packages!r}))"
    program = "; ".join([block, *(f"import {module}" for module in modules)])
    subprocess.run([sys.executable, "-c", program], check=True)


def is_lazy_export(node):
    """PEP 562 and its imports for type checkers: for names that take seconds, or an extra, to import."""
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__getattr__", "__dir__")
    is_for_checkers = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return is_for_checkers and all(
        isinstance(inner, ast.ImportFrom | ast.AnnAssign) for inner in [*node.body, *node.orelse]
    )


def makes_callable(node):
    """A package that is a function too, such as ``tellapart.audit``."""
    return isinstance(node, ast.Expr) and ast.unparse(node).startswith("make_callable(")


def test_packages_only_re_export_and_every_name_is_there():
    for path in MODULES:
        if path.name != "__init__.py":
            continue
        package = module_name(path)
        for node in tree_of(path).body:
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            re_exports = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)
            assert is_docstring or re_exports or is_lazy_export(node) or makes_callable(node), (
                f"{package} does more"
            )
        module = importlib.import_module(package)
        exported = getattr(module, "__all__", [])
        assert exported == sorted(exported, key=str.swapcase) or exported == sorted(exported), package
        assert [name for name in exported if not hasattr(module, name)] == [], package


@pytest.mark.parametrize("path", sorted(BENCHMARKS.rglob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path):
    # `make test` runs none of them.
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tellapart":
            module = importlib.import_module(node.module)
            lacking = [one.name for one in node.names if not hasattr(module, one.name)]
            for name in lacking:
                importlib.import_module(f"{node.module}.{name}")
        elif isinstance(node, ast.Import):
            for name in (one.name for one in node.names if one.name.partition(".")[0] == "tellapart"):
                importlib.import_module(name)
