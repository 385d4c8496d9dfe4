import json

from tellapart.bundles import run as scoring
from tellapart.bundles.reading import read_batches
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.export import write_bundles
from tellapart.files import RowFaults


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
    assert json.loads((tmp_path / "board.json").read_text())["overall"]["n"] == written
