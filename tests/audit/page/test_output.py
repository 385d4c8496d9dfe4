import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from rich.console import Console

import tellapart as ta
from audit.page.stored_figures import HOSTILE, figures, items, load, ranked
from tellapart.audit.options import AuditOptions
from tellapart.audit.page.sections import document
from tellapart.report import html_document, markdown_document
from tellapart.report.terminal import terminal

GOLDEN = Path(__file__).parents[2] / "golden"


def test_markdown_is_as_recorded():
    text = markdown_document(document(load(figures())))
    assert text == (GOLDEN / "audit_report.md").read_text(encoding="utf-8")


def printed(found, width=100):
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        for renderable in terminal(document(load(found), browser=False)):
            console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [80, 100])
def test_the_terminal_is_as_recorded(width):
    lines = printed(figures(), width)
    assert lines == (GOLDEN / f"audit_terminal_{width}.txt").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= width


def test_of_many_models_a_terminal_shows_some_rows_and_says_so():
    many = [ranked(f"m{i}", 0.9 - 0.01 * i, i + 1, [1, 60]) for i in range(60)]
    assert any("40 more rows: --json or --html." in line for line in printed(figures() | {"ranking": many}))


def test_columns_of_any_name_have_identifiers():
    found = figures()
    found["by_stratum"] = {HOSTILE: found["by_stratum"]["difficulty"], "a b": {}, "ab": {}}
    text = html_document(document(load(found, items())))
    assert re.findall(r'id="(table-(?:strata|means|needed)[^"]*)"', text)
    assert all(re.fullmatch(r"[\w-]+", one) for one in re.findall(r' id="([^"]*)"', text))


def test_the_line_that_makes_a_report_again_says_how_its_files_were_read():
    options = AuditOptions("kind", "m", ("kind", "x"), sesoi=0.1, plan=9, seed=7, price_item=1, price_label=2)
    read = figures() | {"sources": {"a b.csv": "plain table"}, "read_as": ["--columns", "item=id"]}
    text = markdown_document(document(load(read | {"options": options}, items())))
    line = (
        "--by kind --baseline m --primary kind=x --sesoi 0.1 --plan 9 --seed 7 --price-item 1 --price-label 2"
    )
    assert f"tellapart audit 'a b.csv' --columns item=id {line} --html" in text
    # No field of the options is lost on the way, or in Python.
    typed = {name.removeprefix("--").replace("-", "_") for name in line.split() if name.startswith("--")}
    assert typed == {field.name for field in fields(options)} - {"primary_declared", "alpha", "power"}
    assert {field.name for field in fields(options)} <= inspect.signature(ta.audit).parameters.keys()
    assert "tellapart audit" not in markdown_document(document(load(read | {"sources": {}}, items())))
    # Of a level that no option gives, no line makes the report again.
    python_alone = read | {"options": AuditOptions(alpha=0.2, sesoi=0.1)}
    assert "tellapart audit" not in markdown_document(document(load(python_alone, items())))
