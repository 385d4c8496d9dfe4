"""The kinds of failures, as the package's source names them."""

import ast
from pathlib import Path
from typing import get_args

import pytest

import tellapart
from tellapart.llm.questions import Kind

ROOT = Path(tellapart.__file__).parent


def kinds_in(tree):
    """What stands where a failure's kind belongs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            place = {"Failure": 1, "TurnFailed": 1, "_failure": 0, "_fail": 2}.get(name)
            if place is not None and len(node.args) > place:
                kind = node.args[place]
                branches = [kind.body, kind.orelse] if isinstance(kind, ast.IfExp) else [kind]
                yield from (branch.value for branch in branches if isinstance(branch, ast.Constant))
        if isinstance(node, ast.Dict):
            fields = {key.value: value for key, value in zip(node.keys, node.values, strict=True)
                      if isinstance(key, ast.Constant)}  # fmt: skip
            if {"cause", "kind"} <= fields.keys() and isinstance(fields["kind"], ast.Constant):
                yield fields["kind"].value


@pytest.mark.slow
def test_every_kind_that_the_source_names_is_one_and_none_is_of_no_use():
    found = {kind for path in ROOT.rglob("*.py") for kind in kinds_in(ast.parse(path.read_text("utf-8")))}
    assert found == set(get_args(Kind))
