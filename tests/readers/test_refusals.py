import json
import shutil
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.readers import read_scores
from tellapart.readers.retrieval import read_qrels
from tellapart.readers.settings import ReadingSettings

FIXTURES = Path(__file__).parent / "fixtures"
QRELS = FIXTURES / "trec" / "qrels.txt"
HELM = "helm/strong/per_instance_stats.json"
LM_EVAL = "lm_eval/org__strong/samples_facts_open_2026-11-21T17-23-16.658262.jsonl"
MTEB, BY_QUERY = "mteb/bm25/TinyRetrieval_predictions.json", "mteb/bm25/by_query.json"
INSPECT, PROMPTFOO = "inspect/middle.json", "promptfoo/repeats.json"


def changed(tmp_path, name, change):
    """A copy of a fixture, with what is beside it, after ``change`` of its document, or of its first line."""
    folder = tmp_path / "logs"
    shutil.copytree((FIXTURES / name).parent, folder)
    path = folder / Path(name).name
    first, *others = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    document = json.loads(first)
    change(document)
    path.write_text("\n".join([json.dumps(document), *others]) + "\n")
    return path


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (HELM, lambda log: log[0].update(train_trial_index=[1]), "'train_trial_index' of 'id0': found [1]"),
        (HELM, lambda log: log[0].update(train_trial_index=2**63), "found 9223372036854775808,"),
        (LM_EVAL, lambda row: row.update(metrics=[{}]), ":1: 'metrics': found [{}], expected a list"),
        (LM_EVAL, lambda row: row.update(metrics=1), ":1: 'metrics': found 1, expected a list of texts"),
        (MTEB, lambda log: log.update(mteb_model_meta=1), "'mteb_model_meta': found 1, expected an object"),
        (
            MTEB,
            lambda log: log["default"]["test"]["q1"].update(d1=None),
            "the score of document 'd1' for query 'q1' is null, expected a finite number",
        ),
        (INSPECT, lambda log: log.update(version=3), "only version 2 can be read. Convert it with"),
        (PROMPTFOO, lambda log: log["results"].update(version=5), "is 5; expected one of 2, 3. Export them"),
        (BY_QUERY, lambda log: log["q1"].update(AP="high"), "got 'high' under 'q1', 'AP'"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_its_name(tmp_path, name, change, message):
    path = changed(tmp_path, name, change)
    with pytest.raises(InputError) as error:
        read_scores([path], ReadingSettings(qrels=QRELS if "mteb/" in name else None))
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


@pytest.mark.parametrize("grade", ["1000001", "-1000001"])
def test_a_relevance_that_trec_eval_cannot_hold_is_refused_with_its_line(tmp_path, grade):
    path = tmp_path / "qrels.txt"
    path.write_text(f"q1 0 d1 1\nq1 0 d2 {grade}\n")
    with pytest.raises(InputError, match=f"qrels.txt:2: the relevance of document 'd2' is {grade}, expected"):
        read_qrels(path)


@pytest.mark.parametrize("name", [HELM, "braintrust/strong.jsonl"])
def test_a_file_that_was_cut_off_is_named(tmp_path, name):
    path = tmp_path / Path(name).name
    path.write_bytes((FIXTURES / name).read_bytes()[:-20])
    with pytest.raises(InputError, match=f"{path.name}:[0-9]+:[0-9]+: this is not JSON"):
        read_scores([path])


@pytest.mark.parametrize(
    ("name", "start", "complaint"),
    [
        ("s.xlsx", b"PK\x03\x04", "cannot read this workbook: .*"),
        ("s.csv", "model,item".encode("utf-16"), "is UTF-16, expected scores. Save it as UTF-8"),
        ("s.db", b"SQLite format 3\0", "cannot read this database: "),
        ("s.csv.gz", b"\x1f\x8b\x08", "is compressed with gzip, expected scores. Unpack it"),
    ],
)
def test_common_files_that_hold_no_table_are_named(tmp_path, name, start, complaint):
    (tmp_path / name).write_bytes(start)
    with pytest.raises(InputError, match=complaint):
        read_scores([tmp_path / name])
