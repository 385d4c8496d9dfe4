"""A real cross-encoder answers the questions of a benchmark, beside a lexical model."""

from importlib.util import find_spec

import polars as pl
import pytest

from embed.tiny_models import write_cross_encoder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is absent"),
]


def test_a_cross_encoder_ranks_the_options_of_every_item(tiny_bench, tmp_path, tellapart, monkeypatch):
    from sentence_transformers import CrossEncoder

    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "cache.sqlite"))
    directory = write_cross_encoder(tmp_path, activation="Identity")
    name = f"ce:{directory}"
    run = tmp_path / "run"
    asked = tellapart("contrastive", "run", tiny_bench, "--model", name, "--model", "bm25", "--out", run)
    assert asked.code == 0, asked.err
    [table] = [path for path in run.rglob("*.parquet") if "margin" in pl.read_parquet_schema(path)]
    rows = pl.read_parquet(table).filter(pl.col("model") == name, pl.col("condition") == "summary")
    assert rows.height > 0
    assert rows["margin"].null_count() == 0
    report = tellapart("contrastive", "report", run, "--json")
    assert report.code == 0, report.err
    assert name in report.out

    from tellapart.contrastive.benchmark import read_benchmark

    benchmark = read_benchmark(tiny_bench)
    row = rows.row(0, named=True)
    text = {summary.unit: summary.text for summary in benchmark.summaries}
    pair = [
        (text[row["target"]], benchmark.units[benchmark.position[unit]].content)
        for unit in (row["target"], row["best_distractor"])
    ]
    target, best = CrossEncoder(str(directory), device="cpu").predict(pair)
    assert row["margin"] == pytest.approx(float(target - best), abs=1e-5)
