"""Writers of planted quality are ranked as they were planted, and what cannot be ranked is refused."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

from tellapart import contrastive
from tellapart.contrastive import running
from tellapart.errors import InputError, Refused, UsageError

ORDER = ["names", "some", "vague"]


@pytest.fixture(scope="module")
def ranking(shop_run):
    return contrastive.rank(shop_run)


def test_writers_of_planted_quality_are_ranked_as_they_were_planted(ranking):
    record = ranking.record
    assert [writer.name for writer in record.writers] == ORDER
    assert [pair.is_separated for pair in ranking.ranked.comparison.primary.pairs] == [True] * 3
    for writer in record.writers:
        assert writer.combined.n == record.units == 40
        assert writer.combined.interval is not None or writer.combined.reason
    fair = record.writers[1].combined
    assert 0 <= fair.low < fair.value < fair.high <= 1
    # Given a summary without names both matchers score all options alike: 1 of 5 and 1 of 10, each time.
    assert record.writers[2].contrastive.value == pytest.approx(0.15)
    assert record.writers[2].contrastive.reason == "the values do not vary"
    # Nobody judged; retrieval comes from queries that the code itself gives.
    assert record.weights.effective == pytest.approx({"retrieval": 0.6, "contrastive": 0.4})
    assert list(record.weights.absent) == ["judge"]
    assert record.writers[0].judge.value is None
    assert "tellapart contrastive judge BENCH" in record.writers[0].judge.reason


def test_what_weighs_nothing_is_not_computed(shop_run):
    record = contrastive.rank(shop_run, weights={"contrastive": 1}).record
    assert record.weights.effective == {"contrastive": 1.0}
    assert record.writers[0].retrieval.value is None
    assert [writer.combined for writer in record.writers] == [writer.contrastive for writer in record.writers]


def test_the_page_has_every_section_and_what_others_wrote_cannot_break_it(tellapart, shop_run, tmp_path):
    done = tellapart(
        "contrastive", "rank", shop_run, "--html", tmp_path / "r.html", "--markdown", tmp_path / "r.md"
    )
    assert done.code == 0, done.err
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    for section in ("Which writers differ", "Weights", "Agreement", "Where each writer loses"):
        assert section in page and f"## {section}" in text
    # No language model wrote, so there is neither cost nor latency to hold quality against.
    assert "Quality against cost" not in page


def test_the_json_is_the_contract(tellapart, shop_run, ranking):
    printed = json.loads(tellapart("contrastive", "rank", shop_run, "--json").out)
    assert printed == ranking.to_dict()
    estimate = {"value", "low", "high", "n", "reason"}
    for writer in printed["writers"]:
        for name in ("contrastive", "retrieval", "judge", "combined", "cost", "latency_s"):
            assert set(writer[name]) == estimate
    assert set(printed["comparison"]) >= {"alpha", "primary", "secondary", "cautions"}
    assert set(printed["weights"]) == {"asked", "effective", "absent"}


def test_a_baseline_is_compared_with_each_other_writer(tellapart, shop_run):
    done = tellapart("contrastive", "rank", shop_run, "--baseline", "names", "--json")
    comparison = json.loads(done.out)["comparison"]
    assert (comparison["baseline"], comparison["primary"]["size"]) == ("names", 2)


def test_what_cannot_be_ranked_is_refused(tellapart, shop_run, bench, tmp_path):
    alone = running.run(bench, ["bm25"], out=tmp_path / "alone").path
    with pytest.raises(InputError, match="the only writer of summaries is 'docstring'"):
        contrastive.rank(alone)
    with pytest.raises(Refused, match="is over .* writers are ranked by evidence about the same summaries"):
        contrastive.rank([shop_run, alone])
    with pytest.raises(UsageError, match="counts only judge.* or make a run: tellapart contrastive judge"):
        contrastive.rank(shop_run, weights={"judge": 1.0})
    with pytest.raises(InputError, match="this is a benchmark"):
        contrastive.rank(bench)
    with pytest.raises(UsageError, match="no run is given"):
        contrastive.rank([])
    damaged = shutil.copytree(shop_run, tmp_path / "damaged")
    (damaged / "items.parquet").write_bytes(b"PAR1 no more")
    done = tellapart("contrastive", "rank", damaged)
    assert (done.code, "items.parquet" in done.err) == (2, True)
    done = tellapart("contrastive", "rank", shop_run, "--weights", "judge=x")
    assert (done.code, "expected a number" in done.err) == (2, True)
    done = tellapart("contrastive", "rank", shop_run, "--baseline", "namse")
    assert (done.code, "Did you mean 'names'?" in done.err) == (2, True)


def test_report_audit_and_ranking_compare_writers_with_matchers_crossed(tellapart, shop_run):
    report = tellapart("contrastive", "report", shop_run, "--json")
    compared = json.loads(report.out)["comparison"]
    assert compared == json.loads(tellapart("audit", shop_run, "--json").out)["comparison"]
    assert [(pair["a"], pair["b"]) for pair in compared["primary"]["pairs"]] == [
        ("names", "some"),
        ("names", "vague"),
        ("some", "vague"),
    ]
    ranked = contrastive.rank(shop_run, weights={"contrastive": 1}).record.comparison.primary.pairs
    # The report is about reciprocal ranks at one level, the ranking about the share of right answers at all.
    for by_item, by_unit in zip(compared["primary"]["pairs"], ranked, strict=True):
        assert np.sign(by_item["difference"]) == np.sign(by_unit.difference)
        assert (by_item["n"], by_unit.n) == (40, 40)
    shown = " ".join(tellapart("contrastive", "report", shop_run).out.split())
    assert "Writers of the summaries, by mean reciprocal rank over bm25 and tfidf: names 1.000, some" in shown
    # Every writer with every matcher is there as detail.
    assert "names | bm25" in shown


def test_a_unit_without_items_is_left_out_of_all_evidence(tellapart, shop_run, shop_bench, tmp_path):
    sets = pl.read_parquet(shop_bench / "sets.parquet")
    target, other = sets["target"].unique().sort()[:2]
    gone = sets.filter(
        (pl.col("target") == target) | ((pl.col("target") == other) & (pl.col("level") == "easy"))
    )["item"]
    file = tmp_path / "items"
    file.write_text("\n".join(gone))
    ranked = contrastive.rank(shop_run, exclude=file)
    assert [writer.retrieval.n for writer in ranked.record.writers] == [39] * 3
    assert [writer.contrastive.n for writer in ranked.record.writers] == [39] * 3
    assert ranked.record.excluded.items == len(gone) == 3
    assert not ranked.record.comparison.primary.declared
    shown = tellapart("contrastive", "rank", shop_run, "--exclude", file).out
    assert shown.startswith("No verdict: 3 items were left out after the scores were known")
