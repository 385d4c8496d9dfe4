"""Runs, printed scores and JSON of retrieval.

Six queries over eight sentences, ranked by bm25s and all-MiniLM-L6-v2 under mteb 2.26.24, which computed
``by_query.json``; ir_measures 0.4.3 printed ``bm25.ir_measures.jsonl``.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.errors import TellapartError
from tellapart.readers import read_scores
from tellapart.readers.forms import FORMS, recognised
from tellapart.readers.settings import ReadingSettings

JSON, PRINTED, TREC = (
    next(form for form in FORMS if form.name == name)
    for name in ("MTEB or BEIR JSON", "scores by query of trec_eval or ir_measures", "TREC or MS MARCO run")
)

FIXTURES = Path(__file__).parent / "fixtures"
RUN, QRELS = FIXTURES / "trec" / "bm25.run", FIXTURES / "trec" / "qrels.txt"
PREDICTIONS = FIXTURES / "mteb" / "bm25" / "TinyRetrieval_predictions.json"
BY_IR_MEASURES = {
    row["query_id"]: row["value"]
    for row in map(json.loads, (FIXTURES / "trec" / "bm25.ir_measures.jsonl").read_text().splitlines())
}


def scores(found):
    return dict(found.frame.select("item", "score").rows())


def test_ties_score_their_mean_over_orders_or_as_in_trec_eval_by_hand(write):
    # Of q6 only d2 is relevant. All eight sentences score 0, so it is at each rank equally often; of equal
    # ones trec_eval takes the greatest id first, so that d2 is seventh.
    ranked = [line.split() for line in RUN.read_text().splitlines() if line.startswith("q6 ")]
    assert {fields[4] for fields in ranked} == {"0.000000"}
    in_order = TREC.read(RUN, ReadingSettings(qrels=QRELS, metric="RR", trec_eval=True))
    assert scores(in_order)["q6"] == 1 / 7
    mean = TREC.read(RUN, ReadingSettings(qrels=QRELS, metric="RR"))
    assert scores(mean)["q6"] == pytest.approx(sum(1 / rank for rank in range(1, 9)) / 8, abs=1e-15)
    assert mean.notes[0].startswith("bm25.run: ties decide the RR of 1 of 6 ranked queries (17 %); each")
    (note,) = TREC.read(RUN, ReadingSettings(qrels=QRELS, metric="IPrec@0.5")).notes
    assert "no exact mean over their orders is known for this measure" in note
    # A run that scores everything alike earns chance, though trec_eval would give it 1.
    run = write("alike.run", "".join(f"q{q} Q0 {d} 1 1.0 alike\n" for q in range(3) for d in ("a", "b", "z")))
    settings = ReadingSettings(qrels=write("qrels", "".join(f"q{q} 0 z 1\n" for q in range(3))), metric="RR")
    expected = dict.fromkeys(("q0", "q1", "q2"), (1 + 1 / 2 + 1 / 3) / 3)
    assert scores(TREC.read(run, settings)) == pytest.approx(expected, abs=1e-15)
    assert set(scores(TREC.read(run, replace(settings, trec_eval=True))).values()) == {1.0}


def test_runs_of_ms_marco(write):
    dense = write("dense.tsv", "10\t7\t1\n10\t9\t2\n10\t8\t3\n11\t7\t1\n11\t9\t2\n")
    bm25 = write("bm25.tsv", "10\t9\t1\n10\t7\t2\n11\t8\t1\n11\t7\t2\n")
    qrels = write("qrels.tsv", "10\t9\t1\n11\t7\t1\n")
    found = read_scores([dense, bm25], ReadingSettings(qrels=qrels, metric="RR@10"))
    assert found.table.frame.select("model", "item", "score").rows() == [
        ("bm25", "10", 1.0),
        ("bm25", "11", 0.5),
        ("dense", "10", 0.5),
        ("dense", "11", 1.0),
    ]
    # Judgments, and counts as trec_eval prints them, are no ranks.
    for text in ("10\t9\t1\n11\t7\t1\n", "10\t9\t1\n10\t7\t1\n", "num_ret\tq1\t1\nnum_ret\tq2\t2\n"):
        assert recognised(write("other.tsv", text)) is not TREC


def test_relevance_in_floats_and_queries_without_a_relevant_document(write):
    run = write("x.run", "a Q0 d1 1 2.0 t\nb Q0 d1 1 2.0 t\n")
    settings = ReadingSettings(qrels=write("qrels", "a 0 d1 1.0\nb 0 d1 0.0\n"), metric="AP")
    found = TREC.read(run, settings)
    assert scores(found) == {"a": 1.0, "b": 0.0}
    assert found.notes[0].startswith("x.run: 1 of 2 ranked queries have no document that is judged relevant")


def test_a_query_that_one_run_ranks_is_missing_for_the_other_and_one_that_none_ranks_is_out(write):
    runs = [
        write("x.run", "# ours\n\na Q0 d1 1 2.0 x\nb Q0 d1 1 2.0 x\n"),
        write("y.run", "a Q0 d1 1 2.0 y\nc Q0 d2 1 2.0 y\nz Q0 d2 1 2.0 y\n"),
    ]
    qrels = write("qrels", "".join(f"{query} 0 d1 1\n" for query in "abcd"))
    found = read_scores(runs, ReadingSettings(qrels=qrels, metric="nDCG@10"))
    assert found.table.frame.select("model", "item", "score", "missing").rows() == [
        ("x", "a", 1.0, None),
        ("x", "b", 1.0, None),
        ("x", "c", None, "provider"),
        ("y", "a", 1.0, None),
        ("y", "b", None, "provider"),
        ("y", "c", 0.0, None),
    ]
    assert found.notes[0] == "y.run: 1 ranked queries have no judgments and are left out."
    assert "1 judged query that no file ranks is left out (provider)" in found.notes[-1]
    every = read_scores(runs, ReadingSettings(qrels=qrels, metric="nDCG@10", trec_eval=True)).table.frame
    assert every.filter(model="x")["score"].to_list() == [1.0, 1.0, 0.0, 0.0]
    assert every.filter(model="y")["score"].to_list() == [1.0, 0.0, 0.0, 0.0]


def test_scores_by_query_of_trec_eval(write):
    # Its format is "%-22s\t%s\t%6.4f"; the values are those of ir_measures.
    lines = [f"{'ndcg_cut_10':<22}\t{query}\t{value:6.4f}" for query, value in BY_IR_MEASURES.items()]
    lines += [f"{'P_5':<22}\t{query}\t{0.2:6.4f}" for query in BY_IR_MEASURES]
    path = write("out.txt", "\n".join([*lines, "runid                 \tall\tmine", "num_q\tall\t6"]))
    assert recognised(path) is PRINTED
    for spelling in ("nDCG@10", "ndcg_cut_10", "ndcg_at_10"):
        found = PRINTED.read(path, ReadingSettings(metric=spelling))
        assert scores(found) == {query: round(value, 4) for query, value in BY_IR_MEASURES.items()}
    assert found.frame["model"].unique().to_list() == ["mine"]
    assert set(scores(PRINTED.read(path, ReadingSettings(metric="precision@5"))).values()) == {0.2}


@pytest.mark.parametrize(
    ("model", "name"), [("bm25", "mteb/baseline-bm25s"), ("minilm", "sentence-transformers/all-MiniLM-L6-v2")]
)
def test_predictions_with_judgments_give_the_scores_that_mteb_computes(write, model, name):
    folder = FIXTURES / "mteb" / model
    path = folder / "TinyRetrieval_predictions.json"
    settings = ReadingSettings(qrels=QRELS, trec_eval=True)
    found = JSON.read(path, settings)
    theirs = json.loads((folder / "by_query.json").read_text())
    expected = {query: row["ndcg_cut_10"] for query, row in theirs.items()}
    assert scores(found) == pytest.approx(expected, abs=1e-12)
    assert found.frame["model"].unique().to_list() == [name]
    # Rankings as BEIR saves them, and in two subsets, are the same.
    whole = json.loads(path.read_text())
    rankings = whole["default"]["test"]
    beir = JSON.read(write("dense.json", rankings), settings)
    assert (scores(beir), beir.frame["model"][0]) == (scores(found), "dense")
    rest = {query: row for query, row in rankings.items() if query != "q1"}
    parts = {**whole, "default": {"test": rest}, "de": {"test": {"q1": rankings["q1"]}}}
    parted = JSON.read(write("x.json", parts), settings).frame
    assert parted.drop("split").equals(found.frame)
    assert dict(parted.select("item", "split").iter_rows())["q1"] == "de/test"


def test_a_folder_of_predictions_of_two_models_is_refused_by_name(write):
    first = write("A_predictions.json", json.loads(PREDICTIONS.read_text()))
    write("B_predictions.json", PREDICTIONS.read_text().replace("mteb/baseline-bm25s", "tiny/two"))
    with pytest.raises(TellapartError, match=r"of several models .*bm25s.* \(A_.* and tiny/two.* \(B_"):
        JSON.read(first, ReadingSettings(qrels=QRELS))


GOOD, TWICE = "q1 Q0 d1 1 1.5 t\n", json.loads(PREDICTIONS.read_text())
TWICE["de"] = TWICE["default"]
FAULTS = [
    # A run, its judgments, and what is said.
    (GOOD + "q1 Q0 d9 9 nan t\n", None, "x:2: expected 'query Q0 document rank score tag', got 'q1 Q0"),
    (GOOD + "q1 Q0 d9 9\n", None, "x:2: expected"),
    (GOOD + "q1 Q0 d1 2 0.5 t\n", None, "x:2: document 'd1' occurs twice for query 'q1'"),
    (GOOD + "q1 Q0 d2 2 0.5 u\n", None, "x:2: the tag is 'u', but 't' before.*--model"),
    ("10\t7\t1\n10\t9\t2\n11\t8\t2\n11\t7\t2\n", None, "x:4: rank 2 of query '11' is there twice"),
    ("10\t7\t1\n10\t9\t2\n11\t8\t0\n", None, "x:3: rank 0 of query '11' is below 1"),
    (GOOD, "q1 0 d1 high\n", "qrels:1: expected 'query 0 document relevance', got 'q1 0 d1 high'"),
    (GOOD, "q1 d1\n", "qrels:1: expected"),
    (GOOD, "q1 0 d1 0.5\n", "qrels:1: the relevance of document .d1. is 0.5, expected a whole number"),
    (GOOD, "q1 0 d1 1\nq1 0 d1 0\n", "qrels:2: document 'd1' is judged 0 for query 'q1', and 1 before"),
    (GOOD, "\n", "no judgments"),
    (GOOD, "other 0 d1 1\n", "no query is judged: the rankings have 'q1', .*has 'other'"),
    (GOOD, "", "rankings have no scores by themselves. Give the judgments: --qrels FILE"),
    (TWICE, None, "query 'q1' is in 'default/test' and in 'de/test'"),
    ({"mteb_model_meta": {}}, None, "there are no predictions in this file"),
    ({"mteb_model_meta": {}, "default": {"test": [1]}}, None, "expected rankings by query, got .1."),
    ({"q1": {"AP": 1}, "q2": {}, "q3": 3}, "", "expected numbers by query and measure, got 3 under 'q3'"),
    ({"q1": {"d1": 0.5}}, "", "neither 'q1' nor 'd1' is a known measure.*--qrels FILE"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "judgments", "complaint"), FAULTS)
def test_what_is_damaged_or_lacking_is_named_with_its_line(write, content, judgments, complaint):
    path = write("x", content)
    qrels = QRELS if judgments is None else write("qrels", judgments) if judgments else None
    with pytest.raises(TellapartError, match=complaint):
        read_scores([path], ReadingSettings(qrels=qrels))
