"""What items ask and what was answered, from runs and from real logs of other harnesses."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from tellapart.errors import InputError
from tellapart.readers import item_texts, read_scores
from tellapart.readers.settings import ReadingSettings
from tellapart.store import ItemText, RunPlan

FIXTURES = Path(__file__).parent / "fixtures"


def parts(paths, item, settings=None):
    """Name and text of the parts of an item, found as a page finds them."""
    models = read_scores(paths, settings).models
    return [(part.name, part.text) for part in item_texts(paths, settings, models)[item]]


def both(folder, ending):
    return [FIXTURES / folder / f"{name}.{ending}" for name in ("strong", "weak")]


def run_of(path, **texts):
    """A run of one model and item, with texts of the item."""
    with RunPlan("longcontext", {}, {}, seed=1, out=path).writing() as opened:
        opened.write_frame("scores.parquet", pl.DataFrame({"model": ["m"], "item": ["c/1"], "score": [1.0]}))
        row = {"model": ["m"], "item": ["q"], "case": ["c"], "step_id": ["1"], **texts}
        opened.write_frame("items.parquet", pl.DataFrame(row))
    return path


def test_a_run_with_questions_has_its_texts_by_item(tmp_path):
    run = run_of(tmp_path / "run", question=["Capital?"], response=["Paris"])
    for path in (run, run / "scores.parquet"):
        assert dict(item_texts([path])) == {
            "c/1": (ItemText("Question", "Capital?"), ItemText("Answer of m", "Paris"))
        }


@pytest.mark.parametrize(
    ("paths", "question", "strong", "weak"),
    [
        (both("deepeval", "json"), "Capital of France?", "strong", "weak"),
        (both("ragas", "csv"), "Capital of France?", "strong", "weak"),
        (both("langsmith", "csv"), "Capital of France?", "strong", "weak"),
        (both("braintrust", "jsonl"), "Capital of France?", "org/strong", "org/weak"),
    ],
    ids=lambda value: value[0].parent.name if isinstance(value, list) else "",
)
def test_texts_are_those_of_the_log_and_of_the_items_of_its_scores(paths, question, strong, weak):
    reading = read_scores(paths)
    texts = item_texts(paths, models=reading.models)
    items = set(reading.table.frame["item"])
    assert set(texts) == items
    (item,) = (item for item in items if texts[item][0].text == question)
    assert [(part.name, part.text) for part in texts[item]] == [
        ("Question", question),
        ("Expected answer", "Paris"),
        (f"Answer of {strong}", "Paris"),
        (f"Answer of {weak}", "Rome"),
    ]


def test_samples_of_the_lm_evaluation_harness_show_the_choice_and_the_filtered_text():
    paths = [FIXTURES / "lm_eval" / f"org__{name}" for name in ("strong", "weak")]
    assert parts(paths[1:], "facts_choice/2") == [
        ("Question", "7*8?"),
        ("Expected answer", "56"),
        ("Answer of org/weak", "54"),
    ]
    # The harness counts a choice as right just where the expected one is the likeliest.
    (samples,) = paths[1].glob("samples_facts_choice_*.jsonl")
    texts = item_texts([samples])
    for line in samples.read_text().splitlines():
        row = json.loads(line)
        _, right, answer = texts[f"facts_choice/{row['doc_id']}"]
        assert (answer.text == right.text) is (row["acc"] == 1.0)
    shown = dict(parts(paths, "facts_open/0"))
    assert (shown["Expected answer"], shown["Answer of org/strong"]) == ("4", "4")


def test_columns_of_a_table_are_texts_by_their_names(tmp_path):
    rows = "a,1,1,1+1,2,two\nb,1,0,1+1,2,six\n"
    csv = tmp_path / "t.csv"
    csv.write_text(f"model,item,score,Prompt,answer,Model output\n{rows}")
    expected = [("Question", "1+1"), ("Expected answer", "2"), ("Answer of a", "two"), ("Answer of b", "six")]
    assert parts([csv], "1") == expected
    frame = pl.read_csv(csv).rename({"Prompt": "question", "answer": "target"})
    frame.write_parquet(tmp_path / "t.parquet")
    assert parts([tmp_path / "t.parquet"], "1") == expected
    # Beside what was expected, an answer is the model's.
    frame.rename({"Model output": "answer"}).write_ndjson(tmp_path / "t.jsonl")
    assert parts([tmp_path / "t.jsonl"], "1") == expected
    # Two files of one model: their answers are told apart as their scores are.
    copy = tmp_path / "u.csv"
    copy.write_text(csv.read_text().replace("six", "four"))
    names = [name for name, _ in parts([csv, copy], "1")]
    assert names[2:] == ["Answer of a (t)", "Answer of b (t)", "Answer of a (u)", "Answer of b (u)"]
    # With a column for each model there are no answers, and what names the items is no text beside them.
    wide = tmp_path / "wide.csv"
    wide.write_text("question,reference,a,b\nWhat is 1+1?,2,1,0\nWhat is 1+2?,3,1,1\n")
    assert parts([wide], "What is 1+1?") == [("Expected answer", "2")]
    settings = ReadingSettings(columns={"model": "m", "item": "n", "score": "s"})
    named = tmp_path / "named.csv"
    named.write_text(csv.read_text().replace("model,item,score", "m,n,s", 1))
    assert parts([named], "1", settings) == expected


def test_a_log_that_has_changed_since_is_an_error_of_that_log(tmp_path):
    source = next((FIXTURES / "lm_eval" / "org__weak").glob("samples_facts_open_*.jsonl"))
    path = Path(shutil.copy(source, tmp_path / "log.jsonl"))
    texts = item_texts([path])
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(json.dumps({"spec": {}}) + "\n" + "".join(lines[1:]))
    with pytest.raises(InputError, match="log.jsonl:3"):
        texts["log/2"]
