import json

from tellapart.bundles import run as scoring
from tellapart.bundles.reading import read_batches
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.export import (
    code_parts,
    write_bundles,
)
from tellapart.extraction.unit import Unit
from tellapart.files import RowFaults

CODE = """def add(first, second):
    total = first + second
    return total"""


def unit(name, *, content=CODE, docstring="Add one number to another number.", start=1, type="function"):
    return Unit(
        id=f"m.py::{name}#0",
        path="m.py",
        name=name,
        type=type,
        language="python",
        content=content,
        signature="",
        parameters=(),
        return_type=None,
        docstring=docstring,
        start_line=start,
        end_line=start + content.count("\n"),
    )


def read_overall(board):
    return json.loads(board.read_text())["overall"]


def test_every_different_item_is_a_bundle_that_bundles_reads_and_scores(bench, tmp_path):
    benchmark = read_benchmark(bench)
    out = tmp_path / "eval.jsonl"
    written = write_bundles(bench, out)
    problems = RowFaults(out)
    [batch] = read_batches(out, problems)
    assert not problems.counts
    code = [unit.content for unit in benchmark.units]
    summaries = benchmark.texts["docstring"]
    rows = {row["bundle_id"]: row for row in batch.iter_rows(named=True)}
    items = {item["item"]: item for item in benchmark.sets.iter_rows(named=True)}
    # A target may have the same distractors at two levels; one bundle is enough.
    different = {(item["target"], frozenset(item["distractors"])) for item in items.values()}
    assert len(rows) == written == len(different)
    for name, row in rows.items():
        item = items[name]
        assert row["anchor"] == summaries[benchmark.units[item["target"]].id]
        assert row["positive"] == code[item["target"]]
        assert row["negatives"] == [code[distractor] for distractor in item["distractors"]]
        assert row["tier"] is None
    scoring.score(out, tmp_path / "board.json", model="bm25")
    assert read_overall(tmp_path / "board.json")["n"] == written


def test_long_code_is_cut_where_statements_of_the_outermost_block_begin():
    body = [f"    if x == {i}:\n        y = {i}\n        z = {i}" for i in range(6)]
    code = "\n".join(["def f(x):", *body, "    return y"])
    # 20 lines: parts of 6 or more. 1 + 3 + 3 = 7, then 6 (13 so far), then the 7 left.
    parts = code_parts(code)
    assert [part.count("\n") + 1 for part in parts] == [7, 6, 7]
    assert parts[1].startswith("if x == 2:\n    y = 2")
    assert parts[0].startswith("def f(x):\n    if x == 0:")
