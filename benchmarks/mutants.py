"""Small faults planted in the code one at a time, and whether the tests see them.

    .venv/bin/python benchmarks/mutants.py --count 60 --seed 1

Each fault turns one comparison, number, truth value, sum or condition around. The tests of the fault's own
folder run first, slow ones too, then the scripts of whole commands, then all quick ones. What none of them
sees is listed with its place; tests that start processes or a browser are left out. Before the first fault
the quick tests must pass on the copy; one with which they take four times as long counts as seen.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
IN_THIS_PROCESS = "not process and not browser"
QUICK = f"not slow and {IN_THIS_PROCESS}"


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Give each node that can be turned around, and what stands in its place: None for a constant."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node for node in ast.walk(tree) if isinstance(node, functions)]
    seen = set()
    for node in (inner for body in bodies for statement in body.body for inner in ast.walk(statement)):
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, SWAPS[type(node.ops[0])]()
        elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPS:
            yield node, SWAPS[type(node.op)]()
        elif isinstance(node, ast.If | ast.IfExp):
            yield node, ast.Not()
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            yield node, None


def turn(node: ast.AST, other: ast.AST | None) -> str:
    """Plant the fault, and say what it is."""
    before = ast.unparse(node).partition("\n")[0]
    if isinstance(node, ast.Compare) and other is not None:
        node.ops[0] = other  # type: ignore[call-overload]
    elif isinstance(node, ast.BoolOp | ast.BinOp):
        node.op = other  # type: ignore[assignment]
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
    return f"{before}  ->  {ast.unparse(node).partition(chr(10))[0]}"


def environment(folder: Path) -> dict[str, str]:
    """Make what the tests run in: with the code of the folder, and one thread each."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": ""}


def is_seen(folder: Path, tests: str, chosen: str, seconds: float) -> bool:
    """Run tests against the code in a folder: one that fails, or does not end in time, sees the fault."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", chosen, tests]
    try:
        ended = subprocess.run(
            command, cwd=folder, env=environment(folder), capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    # 5: no test was collected.
    return ended.returncode not in (0, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    modules = sorted((ROOT / "src/tellapart").rglob("*.py"))
    lines = [path.read_text(encoding="utf-8").count("\n") for path in modules]
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = [name for name in files.stdout.split("\0") if name and (ROOT / name).is_file()]
    killed, planted = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        folder = Path(scratch)
        for name in tracked:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        ask = [sys.executable, "-c", "import tellapart; print(tellapart.__file__)"]
        told = subprocess.run(ask, env=environment(folder), capture_output=True, text=True, check=True)
        if not told.stdout.startswith(scratch):
            sys.exit(f"The tests would not run the copy, but {told.stdout.strip()}: mend the environment.")
        began = time.monotonic()
        if is_seen(folder, "tests", QUICK, 3600):
            sys.exit("The quick tests fail without a fault: mend them first.")
        longest = 4 * (time.monotonic() - began)
        while planted.total() < options.count:
            module = rng.choices(modules, lines)[0].relative_to(ROOT)
            text = (ROOT / module).read_text(encoding="utf-8")
            tree = ast.parse(text)
            if not (nodes := list(places(tree))):
                continue
            node, other = rng.choice(nodes)
            line = getattr(node, "lineno", 0)
            what = turn(node, other)
            (folder / module).write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
            part = module.parts[2].removesuffix(".py")
            own = f"tests/{part}"
            seen = (ROOT / own).is_dir() and is_seen(folder, own, IN_THIS_PROCESS, longest)
            seen = seen or is_seen(folder, "tests/test_pinned.py", "slow", longest)
            seen = seen or is_seen(folder, "tests", QUICK, longest)
            (folder / module).write_text(text, encoding="utf-8")
            planted[part] += 1
            killed[part] += seen
            print(f"{'seen    ' if seen else 'NOT SEEN'} {module}:{line}  {what[:140]}", flush=True)
    for part in sorted(planted):
        print(f"{part:16} {killed[part]:3} of {planted[part]}")
    print(f"{'all':16} {killed.total():3} of {planted.total()}")


if __name__ == "__main__":
    main()
