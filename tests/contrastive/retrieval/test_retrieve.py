"""Runs: what they hold, what is resumed, and what their figures are."""

import json

import polars as pl
import pytest

from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.models import Models
from tellapart.contrastive.retrieval.evidence import retrieval_evidence
from tellapart.contrastive.retrieval.offline_queries import offline_queries
from tellapart.contrastive.retrieval.queries import Queries
from tellapart.contrastive.retrieval.results import RetrievalReport
from tellapart.contrastive.retrieve_run import QUERIES, RetrievalSettings, retrieve
from tellapart.core.stats import clustered_mean

BOTH = RetrievalSettings(["bm25", "lsa"])


@pytest.fixture
def run(searched, tmp_path):
    return retrieve(searched, BOTH, out=tmp_path / "run")


def report_of(run):
    return RetrievalReport.model_validate_json((run.artifacts / "report.json").read_text())


def test_scores_are_reciprocal_ranks_of_writers(run, searched):
    table = run.scores()
    assert table.models == ["plain", "terse"]
    assert table.strata == ["target", "query_kind", "matcher", "language", "unit_type"]
    assert run.record.config == {
        "evidence": "retrieval",
        "models": ["bm25", "lsa"],
        "queries": "offline",
        "server": None,
    }
    benchmark = read_benchmark(searched)
    with Models() as models:
        fits = {name: lambda texts, name=name: models.matcher_of(name, texts) for name in ("lsa", "bm25")}
        rows = retrieval_evidence(benchmark, fits, offline_queries(benchmark))
    assert table.frame["score"].equals(rows["score"], null_equal=True)
    assert run.frame("items.parquet").select(rows.columns).equals(rows)
    assert Queries.from_frame(run.frame(QUERIES)).by_id == offline_queries(benchmark).by_id


def test_figures_of_a_writer_whose_index_is_smaller(run):
    report = report_of(run)
    assert report.index == {"plain": 6, "terse": 4}
    rows = run.frame("items.parquet").filter(model="terse")
    terse, scored = report.overall["terse"], rows.drop_nulls("score")
    lacking = rows.filter(pl.col("target").str.contains("elder|fig")).height
    assert 0 < lacking == terse.missing == rows.height - terse.n
    assert terse.missing_by_cause == {"infeasible": lacking}
    expected = clustered_mean(scored["RR"].to_numpy(), scored["cluster"].to_list())
    assert terse.measures["RR"].value == expected.value
    # As if the two that are missing came before all others, and their own queries found nothing or all.
    low, high = terse.mrr_bounds
    assert low == pytest.approx(scored["least_RR"].sum() / rows.height)
    assert high == pytest.approx((scored["RR"].sum() + terse.missing) / rows.height)
    cautions = run.scores().notes.cautions
    assert [len(cautions), "holds 4 summaries, the largest 6" in cautions[1]] == [2, True]


def test_commands_make_edit_search_and_report(tellapart, searched, tmp_path):
    file, run = tmp_path / "q.jsonl", tmp_path / "run"
    first = tmp_path / "first"
    asked = tellapart("contrastive", "retrieve", searched, "--model", "bm25", "--out", first)
    assert asked.code == 0, asked.err
    rows = [json.loads(line) for line in (first / "artifacts/queries.jsonl").read_text().splitlines()]
    kept = [row for row in rows if row["kind"] == "vague"]
    file.write_text("".join(json.dumps(row | {"query": row["query"] + " fruit"}) + "\n" for row in kept))
    done = tellapart(
        "contrastive", "retrieve", searched, "--model", "bm25", "--queries", f"jsonl:{file}", "--out", run
    )
    assert (done.code, done.out) == (0, f"{run}\n"), done.err
    report = tellapart("contrastive", "report", run, "--json")
    figures = json.loads(report.out)
    assert (figures["evidence"], figures["queries"]["source"]) == ("retrieval", "jsonl")
    assert figures["queries"]["by_kind"] == {**dict.fromkeys(figures["queries"]["by_kind"], 0), "vague": 6}
    assert figures["comparison"] == json.loads(tellapart("audit", run, "--json").out)["comparison"]
    markdown = tmp_path / "report.md"
    shown = tellapart("contrastive", "report", run, "--markdown", markdown)
    assert "Ranks of the unit that a query is about" in shown.out
    assert "**What was asked**" in markdown.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--queries", "ofline"], "--queries is 'ofline'"),
        (["--queries", "llm:gpt"], "not named as PROVIDER/MODEL"),
        (["--queries", "jsonl:nowhere.jsonl"], "nowhere.jsonl"),
        (["--max-tokens", "7"], "no language model is asked"),
        (["--json"], "only a dry run prints JSON"),
        (["--model", "bm26"], "bm26"),
    ],
)
def test_what_cannot_be_searched_with(options, message, tellapart, searched, tmp_path):
    done = tellapart(
        "contrastive", "retrieve", searched, "--model", "bm25", *options, "--out", tmp_path / "r"
    )
    assert (done.code, message in done.err) == (2, True), done.err
    assert not (tmp_path / "r").exists()
