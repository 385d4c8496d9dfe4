"""Answers, queries and judges about the same summaries, ranked together."""

import json

import polars as pl
import pytest

pytest.importorskip("inspect_ai")

WRITERS = ("offline/names", "offline/first-line", "offline/vague")


@pytest.fixture
def runs(tellapart, shop, tmp_path):
    """By kind of evidence a run over one small benchmark that three language models wrote."""
    folder = tmp_path
    names = {kind: folder / kind for kind in ("run", "retrieve", "judge")}
    prices = [part for name in WRITERS for part in ("--price", f"{name}=1,2")]
    judges = ("--judge", "offline/honest-judge", "--judge", "offline/family-judge")
    family = ("--family", "offline/family-judge=house", "--family", "offline/first-line=house")
    commands = [
        (
            "build",
            shop,
            "--targets",
            8,
            "--levels",
            "easy",
            "--summaries",
            f"llm:{','.join(WRITERS)}",
            *prices,
        )
        + ("--out", folder / "bench"),
        ("run", folder / "bench", "--model", "bm25", "--out", names["run"]),
        ("retrieve", folder / "bench", "--model", "bm25", "--model", "lsa", "--out", names["retrieve"]),
        ("judge", folder / "bench", *judges, *family, "--out", names["judge"]),
    ]
    for command in commands:
        done = tellapart("contrastive", *command)
        assert done.code == 0, done.err
    return names


def test_the_table_is_made_of_what_the_runs_hold(tellapart, runs):
    printed = tellapart("contrastive", "rank", *runs.values(), "--json").out
    assert tellapart("contrastive", "rank", *reversed(runs.values()), "--json").out == printed
    answers = pl.read_parquet(runs["run"] / "items.parquet").filter(condition="summary")
    found = pl.read_parquet(runs["retrieve"] / "scores.parquet")
    verdicts = pl.read_parquet(runs["judge"] / "judgements.parquet").filter(counted="yes")
    for writer in json.loads(printed)["writers"]:
        name = writer["name"]
        right = answers.filter(source=name).group_by("target").agg(pl.col("correct").mean().alias("value"))
        # The mean over a unit's queries, of which each is the mean over two matchers.
        ranks = found.filter(model=name).group_by("target").agg(pl.col("score").mean().alias("value"))
        # Both judges are as strict as each other where both count, so no severity comes off.
        marks = verdicts.filter(writer=name).group_by("target").agg((pl.col("score").mean() - 1) / 4)
        means = {
            "contrastive": right["value"].mean(),
            "retrieval": ranks["value"].mean(),
            "judge": marks["score"].mean(),
        }
        assert {source: writer[source]["value"] for source in means} == pytest.approx(means)
        combined = 0.45 * means["retrieval"] + 0.3 * means["contrastive"] + 0.25 * means["judge"]
        assert writer["combined"]["value"] == pytest.approx(combined)
        assert {writer[source]["n"] for source in (*means, "combined")} == {8}
    assert [writer["name"] for writer in json.loads(printed)["writers"]][-1] == "offline/vague"
    shown = " ".join(tellapart("contrastive", "rank", *runs.values()).out.split())
    assert "offline/family-judge does not count for offline/first-line, of its own family." in shown
    # Each kind of run knows by itself what its summaries took.
    for run in runs.values():
        for writer in json.loads(tellapart("contrastive", "rank", run, "--json").out)["writers"]:
            assert writer["cost"]["value"] * 8 == pytest.approx(writer["cost_total"])
            assert (writer["latency_s"]["n"], writer["latency_s"]["value"] > 0) == (8, True)
