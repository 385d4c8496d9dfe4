import json

import polars as pl
import pytest

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, UsageError
from tellapart.readers import read_scores
from tellapart.readers import table as plain_table
from tellapart.readers.settings import ReadingSettings, parse_columns
from tellapart.store import write_frame

ROWS = [
    {"system": "a", "qid": "01", "acc": 1.0, "level": 3, "topic": "x", "why": None},
    {"system": "a", "qid": "02", "acc": None, "level": 1, "topic": "y", "why": "parse"},
    {"system": "b", "qid": "01", "acc": 0.5, "level": 3, "topic": "x", "why": None},
]
NAMED = parse_columns("model=system,item=qid,score=acc,missing=why,level,topic=topic")
READ = [
    ("a", "01", 1.0, None, "3", "x"),
    ("a", "02", None, "parse", "1", "y"),
    ("b", "01", 0.5, None, "3", "x"),
]


def csv(separator=","):
    lines = [ROWS[0].keys(), *(["" if v is None else str(v) for v in row.values()] for row in ROWS)]
    return "".join(separator.join(line) + "\n" for line in lines)


def parquet(path):
    pl.DataFrame(ROWS).write_parquet(path)


def text(content):
    return lambda path: path.write_bytes(content.encode())


WRITERS = {
    "parquet": parquet,
    "csv": text(csv()),
    "csv with a mark, CRLF and blank lines": text("\ufeff" + csv().replace("\n", "\r\n") + "\r\n"),
    "tsv": text(csv("\t")),
    "semicolons": text(csv(";")),
    "jsonl": text("\n".join(map(json.dumps, ROWS))),
    "jsonl with a mark": text("\ufeff" + "\n\n".join(map(json.dumps, ROWS))),
    "json": text(json.dumps(ROWS, indent=1)),
}


@pytest.fixture
def write(tmp_path):
    def to(content, name="f"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_named_columns_of_every_kind_of_file_are_the_same(tmp_path, writer):
    writer(tmp_path / "f")
    assert plain_table.recognises(tmp_path / "f")
    found = plain_table.read(tmp_path / "f", ReadingSettings(columns=NAMED))
    assert found.frame.columns == ["model", "item", "score", "missing", "level", "topic"]
    assert found.frame.rows() == READ
    assert (found.notes, found.limits) == ((), None)


@pytest.mark.parametrize(
    "content",
    [
        "model,item,score,margin,tier\na,1,1,0.5,x\na,2,0,,y\n",
        '{"model":"a","item":1,"score":1,"margin":0.5,"tier":"x"}\n{"model":"a","item":2,"score":0,"tier":"y"}\n',
    ],
)
def test_standard_names_are_taken_with_columns_of_text_as_strata(write, content):
    frame = plain_table.read(write(content), ReadingSettings()).frame
    assert frame.cast({"item": pl.String}).select("model", "item", "score", "tier").rows() == [
        ("a", "1", 1.0, "x"),
        ("a", "2", 0.0, "y"),
    ]
    assert frame.schema.get("margin", pl.Float64) == pl.Float64


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_that_sort_no_items_are_told(tmp_path, kind):
    rows = {
        "model": ["a", "b"],
        "item": ["1", "1"],
        "score": [1, 0],
        "topic": ["x", None],
        "half": ["u", "v"],
    }
    frame, path = pl.DataFrame({**rows, "weight": [2, 3], "year": [1.5, None]}), tmp_path / "f"
    write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    write[kind](path)
    assert plain_table.read(path, ReadingSettings()).notes == (
        "f: the column 'topic' holds 'x' or nothing, so items are not grouped by it.",
        "f: the columns 'weight', 'year' are of numbers and left out; to group items by such a column, "
        "name it with --columns ….",
    )
    named = plain_table.read(path, ReadingSettings(columns=parse_columns("model,item,score,weight")))
    assert named.frame["weight"].to_list() == ["2", "3"]
    assert named.notes[1].startswith("f: the column 'year' is of numbers and left out")
    if kind == "parquet":
        # What this program wrote it knows.
        write_frame(path, frame, ScoreNotes(by="topic"))
        assert plain_table.read(path, ReadingSettings()).notes == ()


def test_percent_signs_at_every_number_or_none(write):
    read = plain_table.read(write("model,item,score\na,x,85%\na,y, 5 % \na,z,\n"), ReadingSettings())
    assert read.frame["score"].to_list() == [0.85, 0.05, None]
    assert read.notes[0] == "f: scores in percent are read as fractions, 85% as 0.85."
    with pytest.raises(InputError, match="row 2: 'score' is '85%'"):
        read_scores([write("model,item,score\na,x,0.5\na,y,85%\n")])


def test_empty_cells_are_null(write):
    frame = plain_table.read(write('model,item,score,missing,cluster\na,1,,"",""\n'), ReadingSettings()).frame
    assert frame.rows() == [("a", "1", None, "unknown", None)]


@pytest.mark.parametrize("blank", ["", " ", "NA", "n/a", "NaN", "null", "None", "-", "—"])
def test_a_blank_score_is_missing_for_an_unknown_cause(write, blank):
    scores = plain_table.read(write(f"model,item,score\na,1,{blank}\na,2,1\n"), ReadingSettings())
    assert scores.frame.rows() == [("a", "1", None, "unknown"), ("a", "2", 1.0, None)]
    assert scores.notes == ("f: 1 of 2 scores is blank without a cause, counted as missing (unknown).",)


def test_a_stated_cause_of_a_blank_score_stays(write):
    frame = plain_table.read(
        write("model,item,score,missing\na,1,NA,parse\na,2,,\n"), ReadingSettings()
    ).frame
    assert frame["missing"].to_list() == ["parse", "unknown"]


def test_one_models_scores(write):
    path = write("item,score\n1,1\n")
    assert plain_table.read(path, ReadingSettings(model=("m",))).frame.rows() == [("m", "1", 1.0)]
    after_file = plain_table.read(path, ReadingSettings())
    assert after_file.frame["model"].to_list() == ["f"]
    assert after_file.notes == ("f: no column names models; the model is 'f' (--model …).",)
    found = plain_table.read(write("model,item,score\na,1,1\n"), ReadingSettings(model=("m",)))
    assert found.frame["model"].to_list() == ["a"]
    assert found.notes == ("f: it names its models itself, so --model m is not used.",)


@pytest.mark.parametrize(
    ("header", "row", "example"),
    [
        ("who,what,points", "a,b,1\na,c,0", "model=who,item=what,score=points"),
        ("points,what,who", "1,b,a\n0,c,a", "model=who,item=what,score=points"),
        ("model,qid,acc,f1", "a,x,1,0.5\na,y,0,0", "model,item=qid,score=acc, or score=f1."),
    ],
)
def test_unknown_columns_give_an_example_to_type(write, header, row, example):
    with pytest.raises(InputError) as caught:
        plain_table.read(write(f"{header}\n{row}\n"), ReadingSettings())
    assert f"there are: {header.replace(',', ', ')}. " in str(caught.value)
    assert f"--columns {example}" in str(caught.value)


@pytest.mark.parametrize(
    ("table", "option", "unclear"),
    [
        # Numbers outside [0, 1] are no scores, and three columns of text leave open which is which.
        ("who,what,n_tokens\na,b,12\n", "model=who,item=what,score=…", "'score'"),
        ("who,what,event\na,b,7\n", "model=who,item=what,score=…", "'score'"),
        ("x,y,z,acc\na,b,c,1\n", "model=…,item=…,score=acc", "'model' and 'item'"),
    ],
)
def test_no_column_is_proposed_by_exclusion(write, table, option, unclear):
    with pytest.raises(InputError) as caught:
        plain_table.read(write(table), ReadingSettings())
    assert f"--columns {option}; it is unclear which is {unclear}" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (
            "model_name,question_id,correct,topic\na,1,1,x\na,2,0,x\nb,1,1,x\nb,2,,x\n",
            "'model_name' names the models, 'question_id' names the items, 'correct' holds the scores. To "
            "choose otherwise: --columns model=model_name,item=question_id,score=correct.",
        ),
        # The id numbers rows, so that no two models share one; the prompt names the items.
        (
            "id,system,prompt,score\n1,a,p,1\n2,a,q,0\n3,b,p,1\n4,b,q,0\n",
            "'system' names the models, 'prompt' names the items. To choose otherwise: --columns "
            "model=system,item=prompt.",
        ),
    ],
)
def test_usual_names_need_no_option(write, content, note):
    read = plain_table.read(write(content), ReadingSettings())
    assert read.notes[0] == f"f: {note}"
    assert read.frame["model"].to_list() == ["a", "a", "b", "b"]
    assert read.frame["item"].n_unique() == 2


@pytest.mark.parametrize(
    "content",
    [
        "system,method,qid,acc\na,x,1,1\nb,y,1,0\n",
        "system,qid,acc,f1\na,1,1,1\nb,1,0,1\n",
        "system,qid,acc\na,1,1\na,1,0\nb,1,0\n",
        "system,id,acc\na,1,1\na,2,0\nb,3,0\n",
    ],
    ids=["two names for models", "two scores", "answers that repeat", "ids of rows"],
)
def test_names_that_leave_a_doubt_are_asked_about(write, content):
    with pytest.raises(InputError, match="there is no column .*--columns"):
        plain_table.read(write(content), ReadingSettings())


def test_columns_name_each_of_ours_once():
    assert parse_columns(" model = a=b , tier") == {"model": "a=b", "tier": "tier"}
    with pytest.raises(UsageError, match="names 'item' twice: 'a' and 'b'"):
        parse_columns("item=a,item=b")


def test_columns_that_are_not_named_are_strata_as_without_the_option(write):
    table = "model_name,question_id,category,correct,why,n_words\na,1,x,1,,5\na,2,y,,parse,7\nb,1,x,0,,5\n"
    columns = parse_columns("model=model_name,item=question_id,score=correct,missing=why")
    scores = plain_table.read(write(table), ReadingSettings(columns=columns))
    assert scores.frame.columns == ["model", "item", "score", "missing", "category"]
    assert scores.frame["category"].to_list() == ["x", "y", "x"]
    assert scores.notes == (
        "f: the column 'n_words' is of numbers and left out; to group items by such a column, name it "
        "with --columns ….",
    )
    frame = read_scores([write(table)], ReadingSettings(columns=columns)).table
    assert frame.strata == ["category"]


@pytest.mark.parametrize(
    "rows",
    [
        [
            {"id": "1", "scores": {"Factuality": 0.5, "a.b": 1}, "results": [{"score": 1}], "x.y": "u"},
            {"id": "2", "scores": {"Factuality": None}, "results": [{"score": 0}], "x.y": "v"},
        ],
        # Types that differ from row to row.
        [
            {"id": "1", "scores": {"Factuality": 0.5, "a.b": 1}, "results": [{"score": 1}, "n"], "x.y": "u"},
            {"id": "2", "scores": {"Factuality": None, "a.b": "-"}, "results": [{"score": 0}], "x.y": "v"},
        ],
    ],
)
@pytest.mark.parametrize("kind", ["lines", "list", "csv"])
def test_dots_lead_into_values(tmp_path, rows, kind):
    path = tmp_path / "f"
    if kind == "csv":
        cells = [{k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()} for row in rows]
        pl.DataFrame(cells).write_csv(path)
    else:
        path.write_text(json.dumps(rows) if kind == "list" else "\n".join(map(json.dumps, rows)))

    def read(score):
        columns = parse_columns(f"item=id,score={score},tag=x.y")
        return plain_table.read(path, ReadingSettings(columns=columns, model=("m",))).frame

    assert read("scores.Factuality").select("item", "score", "missing", "tag").rows() == [
        ("1", 0.5, None, "u"),
        ("2", None, "unknown", "v"),
    ]
    assert read("results.0.score")["score"].to_list() == [1.0, 0.0]
    assert read("scores.a.b")["score"].to_list() == [1.0, None]
    with pytest.raises(
        InputError,
        match="no column 'scores.factuality' for 'score'. Did you mean 'scores.Factuality'.*results.0.score",
    ):
        read("scores.factuality")
