import json
from pathlib import Path

import pytest

from tellapart.errors import InputError, UsageError
from tellapart.readers.retrieval import JSON as mteb
from tellapart.readers.settings import ReadingSettings

# The scores by query that mteb 2.26.24 computes, and the predictions that it saves, for two models on a
# retrieval task of six queries; its own mean nDCG@10 is in TinyRetrieval.json.
FIXTURES = Path(__file__).parent / "fixtures" / "mteb"
BY_QUERY = FIXTURES / "bm25" / "by_query.json"
PREDICTIONS = FIXTURES / "bm25" / "TinyRetrieval_predictions.json"
QRELS = FIXTURES.parent / "trec" / "qrels.txt"


def written(path, value):
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("model", "name"), [("bm25", "mteb/baseline-bm25s"), ("minilm", "sentence-transformers/all-MiniLM-L6-v2")]
)
def test_predictions_with_judgments_give_the_scores_that_mteb_computes(model, name):
    path = FIXTURES / model / "TinyRetrieval_predictions.json"
    assert mteb.recognises(path)
    found = mteb.read(path, ReadingSettings(qrels=QRELS, trec_eval=True))
    theirs = json.loads((FIXTURES / model / "by_query.json").read_text())
    assert dict(found.frame.select("item", "score").rows()) == pytest.approx(
        {query: row["ndcg_cut_10"] for query, row in theirs.items()}, abs=1e-12
    )
    assert found.frame["model"].unique().to_list() == [name]


def test_rankings_as_beir_saves_them(tmp_path):
    rankings = json.loads(PREDICTIONS.read_text())["default"]["test"]
    path = written(tmp_path / "dense.json", rankings)
    found = mteb.read(path, ReadingSettings(qrels=QRELS))
    assert (
        found.frame["score"].to_list()
        == mteb.read(PREDICTIONS, ReadingSettings(qrels=QRELS)).frame["score"].to_list()
    )
    assert found.frame["model"][0] == "dense"
    with pytest.raises(InputError, match="neither 'q1' nor 'd1' is a known measure.*--qrels FILE"):
        mteb.read(path, ReadingSettings())


def test_subsets_and_splits_are_a_stratum(tmp_path):
    whole = json.loads(PREDICTIONS.read_text())
    rankings = whole["default"]["test"]
    first = min(rankings)
    rest = {query: row for query, row in rankings.items() if query != first}
    parted = {**whole, "default": {"test": rest}, "de": {"test": {first: rankings[first]}}}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(parted))
    one, several = (mteb.read(file, ReadingSettings(qrels=QRELS)).frame for file in (PREDICTIONS, path))
    assert several.drop("split").equals(one)
    split_of = dict(several.select("item", "split").iter_rows())
    assert split_of[first] == "de/test"
    assert {split for query, split in split_of.items() if query != first} == {"default/test"}


def test_what_is_missing_or_wrong_is_said(tmp_path):
    with pytest.raises(UsageError, match="--qrels FILE"):
        mteb.read(PREDICTIONS, ReadingSettings())
    path = tmp_path / "x.json"
    whole = json.loads(PREDICTIONS.read_text())
    for value, complaint in (
        ({**whole, "de": whole["default"]}, "query 'q1' is in 'default/test' and in 'de/test'"),
        ({"mteb_model_meta": {}}, "there are no predictions in this file"),
        ({"q1": {}}, "no scores by query"),
    ):
        with pytest.raises(InputError, match=complaint):
            mteb.read(
                written(path, value), ReadingSettings(qrels=QRELS if "mteb_model_meta" in value else None)
            )
    path.write_text('{"q1": {"AP": 1}')
    with pytest.raises(InputError, match="not JSON"):
        mteb.read(path, ReadingSettings())
    path.write_bytes(b'{"q1": {"AP": 1}, "\xff": {"AP": 1}}')
    with pytest.raises(InputError, match="not UTF-8"):
        mteb.read(path, ReadingSettings())
    with pytest.raises(InputError, match="no metric 'RR'"):
        mteb.read(BY_QUERY, ReadingSettings(metric="RR"))


def test_a_folder_of_two_models_is_refused_by_name(tmp_path):
    content = PREDICTIONS.read_text()
    written(tmp_path / "A_predictions.json", json.loads(content))
    (tmp_path / "B_predictions.json").write_text(content.replace("mteb/baseline-bm25s", "tiny/two"))
    with pytest.raises(InputError, match=r"of several models .*bm25s.* \(A_.* and tiny/two.* \(B_"):
        mteb.read(tmp_path / "A_predictions.json", ReadingSettings(qrels=QRELS))
