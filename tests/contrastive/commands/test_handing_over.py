"""What a benchmark hands over, from the user's seat; bundles themselves are tested with ``bundles``."""

import json

import pytest


def test_summaries_of_a_benchmark_make_another_one(tellapart, repository, tmp_path):
    few = ("--targets", 10, "--levels", "trivial,hard")
    writers = ("--summaries", "llm:offline/names,offline/vague")
    assert tellapart("contrastive", "build", repository, "--out", tmp_path / "b", *few, *writers).code == 0
    out = tmp_path / "summaries.jsonl"
    made = tellapart("contrastive", "summaries", tmp_path / "b", "--out", out)
    assert (made.code, made.out, "20 summaries" in made.err) == (0, "", True)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {row["model"] for row in rows} == {"offline/names", "offline/vague"}
    assert all(row.keys() == {"unit", "model", "summary"} for row in rows)
    assert f"build REPO --summaries jsonl:{out} --out NEW" in made.err
    again = tellapart(
        "contrastive", "build", repository, "--out", tmp_path / "c", *few, "--summaries", f"jsonl:{out}"
    )
    assert again.code == 0, again.err
    for name in ("sets.parquet", "summaries.parquet", "units.parquet"):
        assert (tmp_path / "c" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize("command", ["bundles", "summaries"])
@pytest.mark.parametrize("out", ["", "benchmark.json"])
def test_no_output_takes_the_place_of_the_benchmark(tellapart, tiny_bench, command, out):
    before = {path: path.read_bytes() for path in tiny_bench.iterdir()}
    refused = tellapart("contrastive", command, tiny_bench, "--out", tiny_bench / out)
    assert (refused.code, refused.out) == (2, "")
    assert ("this is a directory" if not out else "this file is an input and would be lost") in refused.err
    assert {path: path.read_bytes() for path in tiny_bench.iterdir()} == before
