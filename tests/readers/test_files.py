import io
import math
from pathlib import Path

import polars as pl
import pytest

from tellapart.errors import InputError, UsageError
from tellapart.readers import read_scores
from tellapart.readers.settings import ReadingSettings, parse_limits
from tellapart.store import RunPlan

TREC = Path(__file__).parent / "fixtures" / "trec"
HEADER = "model,item,score"


@pytest.fixture
def write(tmp_path):
    def to(name, *lines, header=HEADER):
        path = tmp_path / name
        path.write_text("\n".join([header, *lines]) + "\n")
        return path

    return to


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "run"
    with RunPlan("contrastive", {}, {}, seed=1, out=path).writing() as opened:
        frame = pl.DataFrame({"model": ["r", "r"], "item": ["1", "2"], "score": [1.0, 0.0], "rank": [1, 2]})
        opened.write_frame("scores.parquet", frame)
    return path


def test_files_of_different_forms_are_one_table(write, run):
    found = read_scores(
        [run, write("s.csv", "a,1,1"), TREC / "bm25.run"], ReadingSettings(qrels=TREC / "qrels.txt")
    )
    assert found.table.models == ["a", "bm25s", "r"]
    assert found.table.frame.height == 2 + 1 + 6
    assert list(found.forms.values()) == ["run directory", "table", "TREC or MS MARCO run"]
    assert found.notes[:1] == ("bm25.run: the scores are nDCG@10.",)


def test_the_same_model_in_two_files_is_two_things_to_compare(write):
    one, two = write("1.csv", "a,1,1", "b,1,0"), write("2.csv", "a,2,1", "b,1,0", "b,2,1")
    both = read_scores([one, two])
    # Of a, no item is in both files: they are parts of one run.
    assert both.table.models == ["a", "b (1)", "b (2)"]
    (note,) = both.notes
    assert "scores of 'b' on the same items" in note
    assert "--replicates" in note
    (deep := write("x.csv").parent / "run" / "1.csv").parent.mkdir()
    deep.write_text(one.read_text())
    assert read_scores([one, deep]).table.models[1] == f"a ({one.parent.name}/1)"


def test_the_models_of_each_path_that_was_given(write):
    one, two = write("1.csv", "a,1,1", "b,1,0"), write("2.csv", "a,2,1", "b,1,0", "b,2,1")
    both = read_scores([one, two])
    assert both.sources == {str(one): ("a", "b (1)"), str(two): ("a", "b (2)")}
    apart = read_scores([one, two], apart=True)
    assert apart.sources == {str(one): ("a (1)", "b (1)"), str(two): ("a (2)", "b (2)")}
    assert apart.table.models == ["a (1)", "a (2)", "b (1)", "b (2)"]


def test_files_may_repeat_each_other(write):
    one, two = write("1.csv", "a,1,1", "b,1,0"), write("2.csv", "a,2,1", "b,1,0", "b,2,1")
    frame = read_scores([one, two], ReadingSettings(replicates=True)).table.frame
    rows = frame.select("model", "item", "replicate").rows()
    assert rows == [("a", "1", 0), ("a", "2", 0), ("b", "1", 0), ("b", "1", 1), ("b", "2", 1)]
    three = write("3.csv", "a,1,1,1", "b,1,0,1", header=f"{HEADER},replicate")
    assert read_scores([one, three]).table.models == ["a", "b"]


@pytest.mark.parametrize(("score", "limits"), [("37.5", "0,100"), ("-0.5", "-1,1"), ("101", "-inf,inf")])
def test_scores_outside_the_usual_limits_ask_for_theirs(write, score, limits):
    path = write("s.csv", "a,1,1", f"b,1,{score}")
    told = rf"s.csv, row 2: the score {score} is outside \[0, 1\].*--limits[ =]{limits}"
    with pytest.raises(InputError, match=told):
        read_scores([path])
    settings = ReadingSettings(limits=parse_limits(limits))
    assert read_scores([path], settings).table.limits == parse_limits(limits)
    with pytest.raises(InputError, match=r"outside \[0, 2\]"):
        read_scores([path], ReadingSettings(limits=(0, 2)))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_standard_input_is_known_by_its_content(monkeypatch, kind):
    buffer = io.BytesIO()
    getattr(pl.DataFrame({"model": ["a"], "item": ["1"], "score": [0.5]}), f"write_{kind}")(buffer)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(buffer.getvalue())))
    found = read_scores([Path("-")])
    assert found.table.frame.select("model", "item", "score").rows() == [("a", "1", 0.5)]
    assert found.forms == {"standard input": "table"}


def test_a_choice_that_one_of_the_files_uses_is_no_mistake(write, run):
    one, two = write("1.csv", "1,1", header="item,score"), write("2.csv", "b,1,1")
    assert read_scores([run, two, one], ReadingSettings(model=("m",))).table.models == ["b", "m", "r"]
    with pytest.raises(UsageError, match=r"--model does not apply to .*run is read as run directory"):
        read_scores([run], ReadingSettings(model=("m",)))
    with pytest.raises(UsageError, match="--columns does not apply to .*as run directory. It is for: table"):
        read_scores([run], ReadingSettings(columns={"model": "m"}))
    with pytest.raises(UsageError, match="2.csv is read as table, and 1 more"):
        read_scores([two, run], ReadingSettings(trec_eval=True))


ERRORS = "model,item,wer\na,x,0.5\na,y,0\nb,x,2\nb,y,1\n"


def test_lower_is_better_negates_scores_and_limits(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(ERRORS)
    columns = {"model": "model", "item": "item", "score": "wer"}
    read = read_scores([path], ReadingSettings(columns=columns, limits=(0, 5), lower_is_better=True))
    assert read.table.limits == (-5, 0)
    assert read.table.frame["score"].to_list() == [-0.5, 0.0, -2.0, -1.0]
    assert not any(math.copysign(1, score) < 0 for score in read.table.frame["score"] if not score)
    assert read.notes[0].startswith("Lower is better, so scores are negated")
    with pytest.raises(UsageError, match="called 'wer', .*--lower-is-better; if more is: --higher-is-better"):
        read_scores([path], ReadingSettings(columns=columns, limits=(0, 5)))
    # The names of models say so too.
    wide = tmp_path / "wide.csv"
    wide.write_text("item,gpt_wer,llama_wer\nx,.5,.2\ny,.1,.3\n")
    with pytest.raises(UsageError, match="called 'gpt_wer', of which usually less is better"):
        read_scores([wide])
    named = tmp_path / "named.csv"
    named.write_text("model,item,metric,score\na,x,wer,.5\nb,x,wer,.2\na,x,f1,.3\nb,x,f1,.4\n")
    with pytest.raises(UsageError, match="called 'wer', of which usually less is better"):
        read_scores([named], ReadingSettings(metric="wer"))
    as_they_are = ReadingSettings(columns=columns, limits=(0, 5), lower_is_better=False)
    assert read_scores([path], as_they_are).table.frame["score"].to_list() == [0.5, 0.0, 2.0, 1.0]
    with pytest.raises(InputError, match=r"the score 2 is outside \[0, 1\]"):
        read_scores([path], ReadingSettings(columns=columns, lower_is_better=True))
