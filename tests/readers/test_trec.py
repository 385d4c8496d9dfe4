import json
from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.core.comparison import compare
from tellapart.errors import InputError, UsageError
from tellapart.readers import read_scores
from tellapart.readers.retrieval import PRINTED as query_scores
from tellapart.readers.retrieval import TREC as trec
from tellapart.readers.row_form import canonical, looks_like_measure
from tellapart.readers.settings import ReadingSettings

# Six queries over eight sentences, ranked by bm25s and all-MiniLM-L6-v2 under mteb 2.26.24; scores by query
# as ir_measures 0.4.3 printed them.
FIXTURES = Path(__file__).parent / "fixtures" / "trec"
RUN, QRELS = FIXTURES / "bm25.run", FIXTURES / "qrels.txt"
PRINTED = {
    row["query_id"]: row["value"]
    for row in map(json.loads, (FIXTURES / "bm25.ir_measures.jsonl").read_text().splitlines())
}


def scores(found):
    return dict(found.frame.select("item", "score").rows())


def test_ties_score_their_mean_over_orders_or_as_in_trec_eval_by_hand():
    # Of q6 only d2 is relevant. All eight sentences score 0, so it is at each rank equally often; of equal
    # ones trec_eval takes the greatest id first, so that d2 is seventh.
    ranked = [line.split() for line in RUN.read_text().splitlines() if line.startswith("q6 ")]
    assert {fields[4] for fields in ranked} == {"0.000000"}
    in_order = trec.read(RUN, ReadingSettings(qrels=QRELS, metric="RR", trec_eval=True))
    assert scores(in_order)["q6"] == 1 / 7
    mean = trec.read(RUN, ReadingSettings(qrels=QRELS, metric="RR"))
    assert scores(mean)["q6"] == pytest.approx(sum(1 / rank for rank in range(1, 9)) / 8, abs=1e-15)
    assert mean.notes == (
        "bm25.run: ties decide the RR of 1 of 6 ranked queries (17 %); each scores its mean over the orders "
        "of documents with equal scores; --trec-eval takes trec_eval's order.",
    )
    (note,) = trec.read(RUN, ReadingSettings(qrels=QRELS, metric="IPrec@0.5")).notes
    assert "no exact mean over their orders is known for this measure, so documents with equal" in note


def test_a_run_that_scores_everything_alike_earns_chance(tmp_path):
    """The relevant document sorts first in trec_eval, which so gives RR 1 to a run that knows nothing."""
    run, qrels = tmp_path / "alike.run", tmp_path / "qrels"
    run.write_text("".join(f"q{q} Q0 {d} 1 1.0 alike\n" for q in range(3) for d in ("a", "b", "z")))
    qrels.write_text("".join(f"q{q} 0 z 1\n" for q in range(3)))
    settings = ReadingSettings(qrels=qrels, metric="RR")
    expected = dict.fromkeys(("q0", "q1", "q2"), (1 + 1 / 2 + 1 / 3) / 3)
    assert scores(trec.read(run, settings)) == pytest.approx(expected, abs=1e-15)
    in_order = trec.read(run, replace(settings, trec_eval=True))
    assert set(scores(in_order).values()) == {1.0}


def test_runs_of_ms_marco(tmp_path):
    run, other, qrels = tmp_path / "dense.tsv", tmp_path / "bm25.tsv", tmp_path / "qrels.tsv"
    run.write_text("10\t7\t1\n10\t9\t2\n10\t8\t3\n11\t7\t1\n11\t9\t2\n")
    other.write_text("10\t9\t1\n10\t7\t2\n11\t8\t1\n11\t7\t2\n")
    qrels.write_text("10\t9\t1\n11\t7\t1\n")
    found = read_scores([run, other], ReadingSettings(qrels=qrels, metric="RR@10"))
    assert found.table.frame.select("model", "item", "score").rows() == [
        ("bm25", "10", 1.0),
        ("bm25", "11", 0.5),
        ("dense", "10", 0.5),
        ("dense", "11", 1.0),
    ]
    assert set(found.forms.values()) == {"TREC or MS MARCO run"}
    # Judgments, and counts as trec_eval prints them, are no ranks.
    for text in ("10\t9\t1\n11\t7\t1\n", "10\t9\t1\n10\t7\t1\n", "num_ret\tq1\t1\nnum_ret\tq2\t2\n"):
        other.write_text(text)
        assert not trec.recognises(other)
    for line, complaint in (
        ("11\t8\t2", "dense.tsv:6: rank 2 of query '11' is there twice"),
        ("11\t8\t0", "dense.tsv:6: rank 0 of query '11' is below 1"),
        ("11\t8\thigh", "dense.tsv:6: expected 'query document rank', got '11 8 high'"),
    ):
        again = tmp_path / "again" / "dense.tsv"
        again.parent.mkdir(exist_ok=True)
        again.write_text(run.read_text() + line)
        with pytest.raises(InputError, match=complaint):
            trec.read(again, ReadingSettings(qrels=qrels))


def test_relevance_in_floats_and_queries_without_a_relevant_document(tmp_path):
    run, qrels = tmp_path / "x.run", tmp_path / "qrels"
    run.write_text("a Q0 d1 1 2.0 t\nb Q0 d1 1 2.0 t\n")
    qrels.write_text("a 0 d1 1.0\nb 0 d1 0.0\n")
    found = trec.read(run, ReadingSettings(qrels=qrels, metric="AP"))
    assert scores(found) == {"a": 1.0, "b": 0.0}
    assert found.notes == (
        "x.run: 1 of 2 ranked queries have no document that is judged relevant, and score 0 for every "
        "ranking, as in trec_eval.",
    )
    # That it is judged counts for Judged@1, so that nothing is to be told.
    assert trec.read(run, ReadingSettings(qrels=qrels, metric="Judged@1")).notes == ()


def test_queries_without_judgments_or_ranking_are_counted(tmp_path):
    run, qrels = tmp_path / "x.run", tmp_path / "qrels"
    run.write_text("# ours\n\na Q0 d1 1 2.0 t\nb Q0 d1 1 2.0 t\n")
    qrels.write_text("a 0 d1 1\nc 0 d1 1\nd 0 d1 0\n")
    assert trec.recognises(run)
    found = trec.read(run, ReadingSettings(qrels=qrels, metric="nDCG@10", model=("mine",)))
    assert found.frame.rows() == [("mine", "a", 1.0)]
    assert found.unranked == ("c", "d")
    without = "x.run: 1 ranked queries have no judgments and are left out."
    assert found.notes == (without,)
    found = trec.read(run, ReadingSettings(qrels=qrels, metric="nDCG@10", model=("mine",), trec_eval=True))
    assert found.frame.rows() == [("mine", "a", 1.0), ("mine", "c", 0.0), ("mine", "d", 0.0)]
    assert (found.unranked, found.notes[1]) == ((), without)
    assert found.notes[0] == "x.run: 2 of 3 judged queries are not ranked and score 0, as with trec_eval -c."


def two_runs(tmp_path):
    """Of four judged queries one run ranks a and b, the other a and c; nobody ranks d."""
    (tmp_path / "x.run").write_text("a Q0 d1 1 2.0 x\nb Q0 d1 1 2.0 x\n")
    (tmp_path / "y.run").write_text("a Q0 d1 1 2.0 y\nc Q0 d2 1 2.0 y\n")
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{query} 0 d1 1\n" for query in "abcd"))
    return [tmp_path / "x.run", tmp_path / "y.run"], qrels


def test_a_query_that_one_run_ranks_is_missing_for_the_other_and_one_that_none_ranks_is_out(tmp_path):
    runs, qrels = two_runs(tmp_path)
    found = read_scores(runs, ReadingSettings(qrels=qrels, metric="nDCG@10"))
    assert found.table.frame.select("model", "item", "score", "missing").rows() == [
        ("x", "a", 1.0, None),
        ("x", "b", 1.0, None),
        ("x", "c", None, "provider"),
        ("y", "a", 1.0, None),
        ("y", "b", None, "provider"),
        ("y", "c", 0.0, None),
    ]
    more = "with --trec-eval the score is 0, as with trec_eval -c."
    counted = f"that other files rank is not ranked here and counted as missing (provider); {more}"
    assert found.notes == (
        *(f"{run}: 1 judged query {counted}" for run in runs),
        f"1 judged query that no file ranks is left out (provider); {more}",
    )
    every = read_scores(runs, ReadingSettings(qrels=qrels, metric="nDCG@10", trec_eval=True)).table.frame
    assert every.filter(model="x")["score"].to_list() == [1.0, 1.0, 0.0, 0.0]
    assert every.filter(model="y")["score"].to_list() == [1.0, 0.0, 0.0, 0.0]


def test_missing_queries_withhold_a_verdict_that_zeros_would_have_made(tmp_path):
    many = [f"q{n}" for n in range(20)]
    (tmp_path / "x.run").write_text("".join(f"{q} Q0 d1 1 2.0 x\n" for q in many))
    (tmp_path / "y.run").write_text("".join(f"{q} Q0 d1 1 2.0 y\n" for q in many[:8]))
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d1 1\n" for q in many))
    runs = [tmp_path / "x.run", tmp_path / "y.run"]

    def pair(trec_eval):
        table = read_scores(runs, ReadingSettings(qrels=tmp_path / "qrels", trec_eval=trec_eval)).table
        return compare(table).primary.pairs[0]

    # On the eight that both rank they score the same; on the others y might too.
    assert (pair(None).n, pair(None).difference, pair(None).is_separated) == (8, 0, False)
    assert (pair(True).n, pair(True).difference, pair(True).is_separated) == (20, 12 / 20, True)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("q1 Q0 d9 9 nan t", r"x.run:2: expected 'query Q0 document rank score tag', got 'q1 Q0 d9 9 nan t'"),
        ("q1 Q0 d9 9", "x.run:2: expected"),
        ("q1 Q0 d1 2 0.5 t", "x.run:2: document 'd1' occurs twice for query 'q1'"),
        ("q1 Q0 d2 2 0.5 u", "x.run:2: the tag is 'u', but 't' before.*--model"),
    ],
)
def test_faults_of_a_run(tmp_path, line, complaint):
    run = tmp_path / "x.run"
    run.write_text(f"q1 Q0 d1 1 1.5 t\n{line}\n")
    with pytest.raises(InputError, match=complaint):
        trec.read(run, ReadingSettings(qrels=QRELS))


def test_faults_of_judgments(tmp_path):
    qrels = tmp_path / "qrels"
    for text, complaint in (
        ("q1 0 d1 high\n", "qrels:1: expected 'query 0 document relevance', got 'q1 0 d1 high'"),
        ("q1 d1\n", "qrels:1: expected"),
        ("q1 0 d1 0.5\n", "qrels:1: the relevance of document .d1. is 0.5, expected a whole number"),
        ("q1 0 d1 1\nq1 0 d1 0\n", "qrels:2: document 'd1' is judged 0 for query 'q1', and 1 before"),
        ("\n", "no judgments"),
        ("other 0 d1 1\n", "no query is judged: the rankings have 'q1', .*has 'other'"),
    ):
        qrels.write_text(text)
        with pytest.raises(InputError, match=complaint):
            trec.read(RUN, ReadingSettings(qrels=qrels))
    with pytest.raises(InputError, match="No such file"):
        trec.read(RUN, ReadingSettings(qrels=tmp_path / "none"))
    with pytest.raises(UsageError, match="--qrels FILE"):
        trec.read(RUN, ReadingSettings())


def test_scores_by_query_of_trec_eval(tmp_path):
    # Its format is "%-22s\t%s\t%6.4f"; the values are those of ir_measures.
    path = tmp_path / "out.txt"
    lines = [f"{'ndcg_cut_10':<22}\t{query}\t{value:6.4f}" for query, value in PRINTED.items()]
    lines += [f"{'P_5':<22}\t{query}\t{0.2:6.4f}" for query in PRINTED]
    path.write_text(
        "\n".join([*lines, "runid                 \tall\tmine", "num_q\tall\t6", "ndcg_cut_10\tall\t0.8105"])
    )
    assert query_scores.recognises(path)
    found = query_scores.read(path, ReadingSettings(metric="nDCG@10"))
    assert scores(found) == {query: round(value, 4) for query, value in PRINTED.items()}
    assert found.frame["model"].unique().to_list() == ["mine"]
    path.write_text("\n".join(lines))
    assert scores(query_scores.read(path, ReadingSettings(metric="P@5"))) == dict.fromkeys(PRINTED, 0.2)


@pytest.mark.parametrize(
    ("spellings", "name"),
    [
        (["nDCG@10", "ndcg_cut_10", "ndcg_cut.10", "ndcg_at_10", "NDCG@10"], "ndcg@10"),
        (["AP", "map"], "ap"),
        (["AP@100", "map_cut_100", "map_at_100"], "ap@100"),
        (["RR", "recip_rank", "MRR"], "rr"),
        (["P@5", "P_5", "precision_at_5"], "p@5"),
        (["R@100", "recall_100", "recall_at_100", "Recall@100"], "r@100"),
        (["Success@1", "success_1", "hit_rate_at_1"], "success@1"),
        (["Rprec"], "rprec"),
    ],
)
def test_spellings_of_a_measure(spellings, name):
    assert {canonical(spelling) for spelling in spellings} == {name}
    assert all(map(looks_like_measure, spellings))
