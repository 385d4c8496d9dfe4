import polars as pl
import pytest

from tellapart.errors import InputError, UsageError
from tellapart.readers import read_scores, scores_of_frame
from tellapart.readers import table as plain_table
from tellapart.readers.settings import ReadingSettings, parse_columns, parse_models

WIDE = "question_id,category,atlas-7b,birch-7b\nq1,safety,1,0\nq2,math,,0.5\n"


@pytest.fixture
def write(tmp_path):
    def to(content, name="f.csv"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return to


def models(path, **choices):
    frame = plain_table.read(path, ReadingSettings(**choices)).frame
    return list(dict.fromkeys(frame["model"])), list(dict.fromkeys(frame["item"]))


def test_a_column_per_model_is_recognised_and_reported(write):
    scores = plain_table.read(write(WIDE), ReadingSettings())
    assert scores.frame.select("model", "item", "score", "missing", "category").rows() == [
        ("atlas-7b", "q1", 1.0, None, "safety"),
        ("birch-7b", "q1", 0.0, None, "safety"),
        ("atlas-7b", "q2", None, "unknown", "math"),
        ("birch-7b", "q2", 0.5, None, "math"),
    ]
    assert scores.notes == (
        "f.csv: read as one column per model: atlas-7b, birch-7b; 'question_id' names the items. To choose "
        "otherwise: --models atlas-7b,birch-7b --columns item=question_id.",
        "f.csv: 1 of 4 scores is blank without a cause, counted as missing (unknown).",
    )


def test_a_wide_table_is_the_table_of_its_long_form(write):
    long = "model,item,score,missing,category\natlas-7b,q1,1,,safety\nbirch-7b,q1,0,,safety\n"
    long += "atlas-7b,q2,,unknown,math\nbirch-7b,q2,0.5,,math\n"
    of_long = read_scores([write(long, "long.csv")]).table
    assert read_scores([write(WIDE)]).table.frame.equals(of_long.frame)
    frame = pl.DataFrame({"question_id": ["q1", "q2"], "category": ["safety", "math"]}).with_columns(
        pl.Series("atlas-7b", [1.0, float("nan")]), pl.Series("birch-7b", [0.0, 0.5])
    )
    scores = scores_of_frame(frame, ReadingSettings(), "scores")
    assert scores.frame.sort("model", "item")["score"].to_list() == of_long.frame["score"].to_list()


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # An index that pandas wrote, with a column of items and without one.
        (",item,a,b\n0,x,1,0\n1,y,0,1\n", (["a", "b"], ["x", "y"])),
        (",a,b\n0,1,0\n1,0,1\n", (["a", "b"], ["0", "1"])),
        ("Unnamed: 0,a,b\nx,1,0\ny,0,1\n", (["a", "b"], ["x", "y"])),
        # Numbers that describe items by their names are no models, and an id may be a number.
        ("id,n_tokens,label,a,b\n7,120,1,1,0\n8,90,0,0,1\n", (["a", "b"], ["7", "8"])),
        ("a,b,length\n1,0,4\n0,1,5\n1,1,6\n", (["a", "b"], ["1", "2", "3"])),
        ("nr,a,b\n1,1,0\n2,0,1\n3,0,0\n", (["a", "b"], ["1", "2", "3"])),
        # Separators at the end of lines, semicolons with decimal commas, quoted lines, words.
        ("item,a,b,\nx,1,0,\ny,0,1,\n", (["a", "b"], ["x", "y"])),
        ("item,a,b\nx,1,0,\ny,0,1,\n", (["a", "b"], ["x", "y"])),
        ("item;a;b\nx;0,5;1\ny;1;0,25\n", (["a", "b"], ["x", "y"])),
        ('\ufeffprompt,a,b\r\n"one,\r\ntwo",1,0\r\n"three",0,1\r\n', (["a", "b"], ["one,\r\ntwo", "three"])),
        ("test,a,b\nx,PASS,fail\ny,pass,pass\n", (["a", "b"], ["x", "y"])),
        ("test,a,b\nx,True,False\ny,False,True\n", (["a", "b"], ["x", "y"])),
    ],
)
def test_models_and_items_of_files_that_people_have(write, table, expected):
    assert models(write(table)) == expected


@pytest.mark.parametrize(
    "header", ["qid,run,a,b", "qid,run_id,a,b", "qid,seed,a,b", ",qid,Trial,a,b", "qid,attempt,note,a,b"]
)
def test_a_column_that_tells_answers_to_one_item_apart_numbers_the_replicates(write, header):
    rows = [("x", "1", "1", "0"), ("x", "2", "0", "0"), ("y", "1", "1", "1"), ("y", "2", "1", "0")]
    lines = [
        ",".join([*[str(i)] * header.startswith(","), *row[:2], *["t"] * ("note" in header), *row[2:]])
        for i, row in enumerate(rows)
    ]
    frame = read_scores([write("\n".join([header, *lines]))]).table.frame
    assert frame.filter(model="a").select("item", "replicate", "score").rows() == [
        ("x", 1, 1.0),
        ("x", 2, 0.0),
        ("y", 1, 1.0),
        ("y", 2, 1.0),
    ]


def test_words_that_tell_replicates_apart_are_numbered_in_a_long_table_too(write):
    rows = [f"{m},{q},{s},1" for m in "ab" for q in "xy" for s in ("s9", "s8")]
    read = plain_table.read(write("\n".join(["model,qid,seed,acc", *rows])), ReadingSettings())
    assert read.frame["replicate"].to_list() == [1, 0] * 4
    assert "f.csv: 'seed' tells several answers to the same item apart: replicates." in read.notes


def test_decimal_commas_and_words_become_numbers(write):
    read = plain_table.read(write("item;a;b\nx;85,5 %;100%\ny;NA;0%\n"), ReadingSettings())
    assert read.frame["score"].to_list() == [0.855, 1.0, None, 0.0]
    assert "scores in percent are read as fractions, 85% as 0.85" in read.notes[1]
    read = plain_table.read(write("item;a;b\nx;0,5;1\ny;1;0,25\n"), ReadingSettings())
    assert read.frame["score"].to_list() == [0.5, 1.0, 1.0, 0.25]
    read = plain_table.read(write("test,a,b\nx,PASS,fail\ny,pass,NA\n"), ReadingSettings())
    assert read.frame["score"].to_list() == [1.0, 0.0, 1.0, None]
    assert "f.csv: the score 'pass' is read as 1, 'fail' as 0." in read.notes


@pytest.mark.parametrize(
    "table",
    [
        "item,exact_match,f1\nx,1,0.5\ny,0,0\n",
        "item,faithfulness,answer_relevancy\nx,1,0.5\ny,0,0\n",
        "item,n,gpt\nx,1,0.5\ny,0,0\n",
        "system,a,b\nx,1,0.5\ny,0,0\n",
    ],
)
def test_metrics_of_one_model_are_no_models(write, table):
    with pytest.raises(InputError, match="there is no column"):
        plain_table.read(write(table), ReadingSettings())


def test_numbers_on_different_scales_are_asked_about_with_an_option_that_works(write):
    path = write("id,sheep_seen,a,b\nx,31,1,0\ny,28,0,1\n")
    with pytest.raises(InputError, match=r"sheep_seen go up to 31.*--models a,b --columns item=id"):
        plain_table.read(path, ReadingSettings())
    assert models(path, models=("a", "b"), columns={"item": "id"}) == (["a", "b"], ["x", "y"])


def test_the_option_settles_it(write):
    path = write('key,exact_match,"gpt,rag",f1\nx,1,0,1\ny,0,1,1\n')
    assert models(path, models=parse_models("gpt,rag,f1")) == (["gpt,rag", "f1"], ["x", "y"])
    assert models(path, models=("f1",)) == (["f1"], ["x", "y"])
    with pytest.raises(InputError, match="no column 'kez' for 'item'. Did you mean 'key'"):
        plain_table.read(path, ReadingSettings(models=("f1",), columns={"item": "kez"}))
    with pytest.raises(InputError, match="no column 'f2' for --models f2,gpt,rag. Did you mean 'f1'"):
        plain_table.read(path, ReadingSettings(models=("f2", "gpt", "rag")))
    with pytest.raises(UsageError, match="--model m does not go with --models f1"):
        plain_table.read(path, ReadingSettings(models=("f1",), model=("m",)))


def test_other_columns_can_be_named_beside_it(write):
    path = write("id,source,year,a,b\nx,s,2001,1,0\ny,s,2002,0,1\n")
    columns = parse_columns("cluster=source,year")
    frame = plain_table.read(path, ReadingSettings(columns={"item": "id", **columns})).frame
    assert frame.select("cluster", "year").rows() == [("s", "2001")] * 2 + [("s", "2002")] * 2


def test_faults_name_the_row_of_the_file(write):
    with pytest.raises(InputError, match=r"f.csv, row 2: model 'b', item 'y', score inf"):
        read_scores([write("item,a,b\nx,1,0\ny,1,inf\n")])
    with pytest.raises(InputError, match=r"f.csv, row 2: 'b' is 'bad', expected a number, or nothing"):
        read_scores([write("item,a,b\nx,1,0\ny,1,bad\n")], ReadingSettings(models=("a", "b")))


@pytest.mark.parametrize(
    ("header", "rows", "doubt"),
    [
        (
            "id,gpt_acc,gpt_f1,claude_acc,claude_f1",
            "q1,1,.5,0,.2\nq2,0,.1,1,.9",
            "several metrics of each model",
        ),
        ("id,gpt,claude,multilingual", "q1,1,0,True\nq2,0,1,False", "multilingual are right or wrong"),
        ("name,MMLU,GSM8K", "gpt,.8,.9\nllama,.7,.6", "whether 'name' names items or models"),
        ("id,gpt,claude", "q1,1,0\nq1,0,1\nq2,1,1", "2 of 3 rows share their 'id'"),
    ],
)
def test_what_may_be_something_else_is_asked_about(write, header, rows, doubt):
    with pytest.raises(InputError, match=f"{doubt}.*(--models|--columns) "):
        plain_table.read(write(f"{header}\n{rows}\n"), ReadingSettings())
