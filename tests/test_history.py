"""What three earlier versions wrote is read, resumed and replayed.

Each archive of ``history`` holds a benchmark, runs that are complete, runs that were killed, and scoreboards,
as the commit of its name made them with the command lines of ``made.txt``. They are never made anew.
"""

import tarfile
from dataclasses import astuple
from pathlib import Path

import polars as pl
import pytest

from pinned.scenarios import content, growth, lay_out
from pinned.terminal import tellapart
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.swaps import swaps_of

HISTORY = Path(__file__).parent / "history"
CODE = {"code": ("contrastive/fixtures/package", "contrastive/fixtures/polyglot")}
MATCH = "contrastive run bench --model bm25"
PLAY = "longcontext run cases --fork-probes --quiet --delay 0"
GRADE = "longcontext grade runs/played --cases cases --grader both --delay 0"
JUDGE = (
    "codesearch evaluate --repos-path . --repo code --in search_results.json --iteration 1 --concurrency 1"
)
SWAPS = "artifacts/swaps.parquet"
TABLES = {
    "matched": ("scores.parquet", "items.parquet", SWAPS),
    "played": ("artifacts/experiment-results.json",),
    "graded": ("scores.parquet", "items.parquet"),
    "judged": ("scores.parquet", "items.parquet"),
}

pytestmark = pytest.mark.slow


@pytest.fixture(params=["9e4480f", "8bcff24", "5b2a99c"])
def earlier(request, tmp_path):
    with tarfile.open(HISTORY / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    lay_out(tmp_path, CODE)
    return tmp_path


def run(directory, line):
    code, out, err = tellapart(directory, *line.split())
    assert code == 0, f"{line}: {err}"
    return out


def same(directory, one, other, but=""):
    for name in TABLES[other]:
        if name == but:
            continue
        place, expected = (directory / "runs" / run / name for run in (one, other))
        assert_alike(place, expected)


def assert_alike(place, expected):
    """Hold a file against an earlier one; a table may have columns and notes that came later."""
    if place.suffix != ".parquet":
        assert content(place) == content(expected), f"{place}: not as {expected}"
        return
    now, earlier = pl.read_parquet(place), pl.read_parquet(expected)
    shared = [name for name in earlier.columns if name in now.columns]
    assert {"model", "item"} <= set(shared) or len(shared) == len(earlier.columns)
    assert now.select(shared).equals(earlier.select(shared)), f"{place}: not as {expected}"


def test_reports_read_it(earlier):
    run(earlier, "runs list")
    run(earlier, "contrastive report runs/matched --json")
    run(earlier, "longcontext report runs/graded --json")
    run(earlier, "codesearch report runs/judged --json")
    run(earlier, "bundles compare bm25.json hashing.json --json")
    run(earlier, "audit runs/matched --json")
    run(earlier, "bundles score eval.jsonl --model bm25 --out again.json")
    assert_alike(earlier / "again.scores.parquet", earlier / "bm25.scores.parquet")


@pytest.mark.parametrize(
    ("line", "name", "whole"),
    [
        (f"{MATCH} --llm offline/overlap --llm offline/names --max-connections 1", "cut-matching", "matched"),
        (f"{PLAY} --model offline/recalls --model offline/guesses-16k", "cut-playing", "played"),
        (f"{GRADE} --judge offline/compares --max-connections 1 --out cut.md", "cut-grading", "graded"),
        (f"{JUDGE} --explorer-a agent:offline/greps --judge offline/uncommon-words", "cut-judging", "judged"),
    ],
)
def test_what_was_killed_goes_on(earlier, line, name, whole):
    """It ends as the run that was not killed, and asks nothing again that its journal answers."""
    out = "--out" if name == "cut-matching" else "--run"
    partial = earlier / "runs" / f"{name}.partial"
    journals = {
        file: (partial / file).read_bytes()
        for file in ("calls.jsonl", "explorations.jsonl")
        if (partial / file).exists()
    }
    run(earlier, f"{line} {out} runs/{name}")
    same(earlier, name, whole)
    for file, before in journals.items():
        growth(before, earlier / "runs" / name / file)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (f"{MATCH} --llm replay:runs/matched --out runs/replayed", "matched"),
        (f"{PLAY} --model replay:runs/played --run runs/replayed", "played"),
        (f"{GRADE} --judge replay:runs/graded --out again.md --run runs/replayed", "graded"),
        (
            f"{JUDGE} --explorer-a agent:offline/greps --judge offline/uncommon-words --reuse runs/judged "
            "--run runs/replayed",
            "judged",
        ),
    ],
)
def test_recordings_answer(earlier, line, whole):
    """The same tables come out, with every call taken over and none made; swaps are those of today."""
    run(earlier, line)
    same(earlier, "replayed", whole, but=SWAPS)
    if whole == "matched":
        swaps = pl.read_parquet(earlier / "runs" / "replayed" / SWAPS)
        benchmark = read_benchmark(earlier / "bench")
        drawn = [swap for source in benchmark.sources for swap in swaps_of(benchmark, source)]
        assert swaps.select("target", "kind", "true", "false").rows() == [astuple(swap) for swap in drawn]
    replayed = (earlier / "runs" / "replayed" / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    assert all('"reused": true' in line for line in replayed if '"key"' in line)
    assert len(replayed) > 2
