"""What a table becomes beyond `test_sixty_tables`: columns, notes, strata, summary rows, and refusals."""

import json
import random
import re

import polars as pl
import pytest

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import TellapartError
from tellapart.readers import read_scores
from tellapart.readers import table as plain_table
from tellapart.readers.settings import ReadingSettings, parse_columns
from tellapart.store import write_frame


@pytest.fixture
def write(write):
    return lambda content, name="f.csv": write(name, content)


def read(path, columns=None, **settings):
    columns = None if columns is None else parse_columns(columns)
    return plain_table.read(path, ReadingSettings(columns=columns, **settings))


def refusal(path, columns=None, **settings):
    """What is said of a file that is not read."""
    columns = None if columns is None else parse_columns(columns)
    with pytest.raises(TellapartError) as error:
        read_scores([path], ReadingSettings(columns=columns, **settings))
    return str(error.value)


NAMED = "model=system,item=qid,score=acc,missing=why,level,topic=topic"
ROWS = [
    {"system": "a", "qid": "01", "acc": 1.0, "level": 3, "topic": "x", "why": None},
    {"system": "a", "qid": "02", "acc": None, "level": 1, "topic": "y", "why": "parse"},
    {"system": "b", "qid": "01", "acc": 0.5, "level": 3, "topic": "x", "why": None},
]
LINES = [[*ROWS[0]], *([("" if v is None else str(v)) for v in row.values()] for row in ROWS)]


@pytest.mark.parametrize("kind", ["csv", "semicolons", "marked", "jsonl", "json", "parquet"])
def test_named_columns_of_every_kind_of_file_are_the_same(write, kind):
    comma = "".join(f"{','.join(line)}\n" for line in LINES)
    path = write(
        {
            "csv": comma,
            "semicolons": comma.replace(",", ";"),
            "marked": "\ufeff" + comma.replace("\n", "\r\n") + "\r\n",
            "jsonl": "\n\n".join(map(json.dumps, ROWS)),
            "json": ROWS,
        }.get(kind, "")
    )
    if kind == "parquet":
        pl.DataFrame(ROWS).write_parquet(path)
    scores = read(path, NAMED)
    assert scores.frame.columns == ["model", "item", "score", "missing", "level", "topic"]
    assert scores.frame.rows() == [
        ("a", "01", 1.0, None, "3", "x"),
        ("a", "02", None, "parse", "1", "y"),
        ("b", "01", 0.5, None, "3", "x"),
    ]
    assert (scores.notes, scores.limits) == ((), None)


@pytest.mark.parametrize(
    ("table", "models", "items"),
    [
        # An index that pandas wrote, with a column of items and without one.
        (",item,a,b\n0,x,1,0\n1,y,0,1\n", "ab", "xy"),
        (",a,b\n0,1,0\n1,0,1\n", "ab", "01"),
        # Numbers that describe items by their names are no models, and an id may be a number.
        ("id,n_tokens,label,Gesamt,a,b\n7,120,4,.5,1,0\n8,90,2,.5,0,1\n", "ab", "78"),
        ("a,b,length\n1,0,4\n0,1,5\n1,1,6\n", "ab", "123"),
        ("id,category,difficulty_score,diff,p_easy,a,b\nx,1,.2,1,.9,1,0\ny,0,.4,-1,.8,0,1\n", "ab", "xy"),
        ("nr,a,b\n1,1,0\n2,0,1\n3,0,0\n", "ab", "123"),
        ("item,a,b\nx,1,0,\ny,0,1,\n", "ab", "xy"),
        # The id numbers rows, so that no two models share one; the prompt names the items.
        ("id,system,prompt,score\n1,a,x,1\n2,a,y,0\n3,b,x,1\n4,b,y,0\n", "ab", "xy"),
        ("model_name,question_id,correct,topic\na,1,1,x\na,2,0,x\nb,1,1,x\nb,2,,x\n", "ab", "12"),
    ],
)
def test_models_and_items_of_files_that_people_have(write, table, models, items):
    frame = read(write(table)).frame
    assert list(dict.fromkeys(frame["model"])) == list(models)
    assert list(dict.fromkeys(frame["item"])) == list(items)


@pytest.mark.parametrize("header", ["qid,run,a,b", ",qid,Trial,a,b", "qid,attempt,note,a,b"])
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
    long = [f"{m},{q},{s},1" for m in "ab" for q in "xy" for s in ("s9", "s8")]
    scores = read(write("\n".join(["model,qid,seed,acc", *long])))
    assert scores.frame["replicate"].to_list() == [1, 0] * 4
    assert "f.csv: 'seed' tells several answers to the same item apart: replicates." in scores.notes


def test_columns_that_sort_no_items_are_told(tmp_path):
    row = {"model": ["a", "b"], "item": ["1", "1"], "score": [1, 0], "topic": ["x", None], "half": ["u", "v"]}
    frame, path = pl.DataFrame({**row, "weight": [2, 3], "year": [1.5, None]}), tmp_path / "f"
    for writing in (frame.write_csv, frame.write_ndjson, frame.write_parquet):
        writing(path)
        assert read(path).notes == (
            "f: the columns of numbers 'weight', 'year' are left out; to group items by such a column, "
            "name it with --columns ….",
        )
    named = read(path, "model,item,score,weight")
    assert named.frame["weight"].to_list() == ["2", "3"]
    assert named.notes[0].startswith("f: the column of numbers 'year' is left out")
    # What this program wrote it knows.
    write_frame(path, frame, ScoreNotes(by="topic"))
    assert read(path).notes == ()


NESTED = [
    {"id": "1", "scores": {"Factuality": 0.5, "a.b": 1}, "results": [{"score": 1}, "n"], "x.y": "u"},
    {"id": "2", "scores": {"Factuality": None, "a.b": "-"}, "results": [{"score": 0}], "x.y": "v"},
]


@pytest.mark.parametrize("kind", ["lines", "list", "csv"])
def test_dots_lead_into_values(write, tmp_path, kind):
    path = write(NESTED if kind == "list" else "\n".join(map(json.dumps, NESTED)), "f")
    if kind == "csv":
        cells = [{k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()} for row in NESTED]
        pl.DataFrame(cells).write_csv(path)

    def of(score):
        return read(path, f"item=id,score={score},tag=x.y", model=("m",)).frame

    assert of("scores.Factuality").select("item", "score", "missing", "tag").rows() == [
        ("1", 0.5, None, "u"),
        ("2", None, "unknown", "v"),
    ]
    assert of("results.0.score")["score"].to_list() == [1.0, 0.0]
    assert of("scores.a.b")["score"].to_list() == [1.0, None]
    wrong = refusal(path, "item=id,score=scores.factuality", model=("m",))
    assert "no column 'scores.factuality' for 'score'. Did you mean 'scores.Factuality'" in wrong
    assert "results.0.score" in wrong


def test_nested_records_of_one_model_are_read_by_the_line_that_the_refusal_prints(write):
    rows = [{"doc": {"query": f"q{n}"}, "metric": {"em": n % 2, "f1": 0.5}} for n in range(4)]
    path = write(rows, "run.json")
    columns = re.search(r"--columns (\S+?)\.( |$)", refusal(path))[1]
    assert columns == "item=doc.query,score=metric.em"
    assert read(path, columns).frame.row(1)[:3] == ("run", "q1", 1.0)
    path = write("id,inputs.question,scores.em,scores.f1\na,x,1,.5\nb,y,0,.4\n")
    assert "--columns item=id,score=scores.em." in refusal(path)


def test_a_summary_above_the_rows_is_no_score_and_lists_of_errors_are_asked_about(write):
    failed = [{"id": f"q{n}", "model_name": "a", "valid": False, "error": ["wrong"]} for n in range(3)]
    path = write([{"accuracy": 0.5, "total_count": 6}, *failed], "run.json")
    columns = "model=model_name,item=id,score=valid"
    assert f"--columns {columns}." in refusal(path)
    asked = refusal(write(failed, "run.json"), columns)
    assert re.search(r"3 of 3 rows have a score, and 'error' .*\['wrong'\]", asked)


def test_a_number_that_stands_for_no_score_is_asked_about_whatever_the_limits(write):
    lines = [f"{m},q{n},{-1 if n == k else n % 2}\n" for k, m in ((3, "a"), (8, "b")) for n in range(20)]
    path = write("model,item,score\n" + "".join(lines))
    for limits in (None, (-1.0, 1.0)):
        asked = refusal(path, limits=limits)
        assert "2 of 40 scores are -1, and the others are from 0 to 1" in asked and ", row " in asked
    assert read_scores([path], ReadingSettings(missing="-1")).table.frame["score"].null_count() == 2
    every = read_scores([path], ReadingSettings(missing="none", limits=(-1.0, 1.0))).table.frame
    assert every["score"].min() == -1


SCORES = "question,gpt,llama\na,1,0\nb,0,0\nc,1,1\nd,1,1\n"


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        # Rounded to one digit, it is no mean of the others, but no score of 0 or 1 either.
        ("mean,.8,.5\n", "a row that sums the others up is left out: 'mean'."),
        (",0.75,0.5\n", "a row that sums the others up is left out: one without a name."),
        ("grand total,3,2\nAvg,.75,.5\n", "rows that sum others up are left out: 'avg', 'grand total'."),
    ],
)
def test_what_can_be_nothing_but_a_summary_is_left_out(write, rows, note):
    scores = read(write(SCORES + rows))
    assert scores.frame["item"].unique().sort().to_list() == ["a", "b", "c", "d"]
    assert scores.notes[-1] == f"f.csv: {note}"
    scores = read(write("model,item,score\nm,a,2.5\nm,b,3\nm,c,1\nm,total,6.5\n"))
    assert scores.frame["item"].to_list() == ["a", "b", "c"]


def test_an_item_that_is_called_so_stays(write):
    draw = random.Random(1)
    texts = ["list rivers of", "what is the total area of", "explain the mean tide of", "score the plan of"]
    lines = [f"m,{texts[n % 4]} Town{n:03},{draw.random():.6f}\n" for n in range(800)]
    for text in (
        SCORES + "mean,1,0\n",
        SCORES + "all,1,1\n",
        # Of several words, one of which sums up.
        SCORES + "math avg,.5,.5\n",
        # Without a label, but not at the foot.
        "question,gpt,llama\na,1,0\n,.75,.5\nb,0,0\nc,1,1\nd,1,1\n",
        # Of questions that all are right, one is about the mean.
        "question,gpt,llama\nmean,1,1\nmode,1,1\nmedian,1,1\n",
        "question,gpt,llama\na,2.5,1\nb,3,2\nmean of two,1.5,3\n",
        "model,question,score\n" + "".join(lines),
    ):
        scores = read(write(text))
        assert scores.frame["item"].n_unique() == text.count("\n") - 1
        assert not any("left out" in note for note in scores.notes)


def test_a_column_of_winners_is_no_stratum_until_it_is_named(write):
    table = "item,topic,a,b\nq1,x,1,0\nq2,y,0,1\nq3,x,1,1\n"
    path = write(
        table.replace("topic", "topic,won")
        .replace("x,1,0", "x,A,1,0")
        .replace("y,", "y,B,")
        .replace("x,1,1", "x,both,1,1")
    )
    scores = read(path)
    assert "topic" in scores.frame.columns and "won" not in scores.frame.columns
    assert scores.notes[-1] == (
        "f.csv: items are not grouped by 'won', because its values name models. To group them by it: "
        "--columns won."
    )
    assert "won" in read(path, "won").frame.columns


REFUSED = [
    # Columns that have no usual names, with an example to type; none by exclusion.
    ("who,what,points\na,b,1\na,c,0\n", {}, "are: who, what, points. .*model=who,item=what,score=points"),
    ("model,qid,acc,f1\na,x,1,0.5\na,y,0,0\n", {}, "--columns model,item=qid,score=acc."),
    ("who,what,n_tokens\na,b,12\n", {}, "model=who,item=what,score=…; it is unclear which is 'score'"),
    ("x,y,z,acc\na,b,c,1\n", {}, "model=…,item=…,score=acc; it is unclear which is 'model' and 'item'"),
    ("id,price_per_example,time_taken\nq0,0.5,0.1\nq1,0.25,0.2\n", {}, "there is no column"),
    # Two names for models, two scores, answers that repeat, ids of rows.
    ("system,method,qid,acc\na,x,1,1\nb,y,1,0\n", {}, "there is no column .*--columns"),
    ("system,qid,acc,f1\na,1,1,1\nb,1,0,1\n", {}, "there is no column .*--columns"),
    ("system,qid,acc\na,1,1\na,1,0\nb,1,0\n", {}, "there is no column .*--columns"),
    ("system,id,acc\na,1,1\na,2,0\nb,3,0\n", {}, "there is no column .*--columns"),
    # Metrics and facts are no models.
    ("item,faithfulness,answer_relevancy\nx,1,0.5\ny,0,0\n", {}, "there is no column"),
    ("item,n,gpt\nx,1,0.5\ny,0,0\n", {}, "there is no column"),
    ("id,gpt,llama,bleu\nq0,1,0,.5\nq1,0,0,.2\n", {}, "bleu may be a metric.*--models gpt,llama"),
    ("id,a_acc,a_f1,b_acc,b_f1\nq1,1,.5,0,.2\nq2,0,.1,1,.9\n", {}, "several metrics of each model.*--models"),
    ("id,gpt,claude,multilingual\nq1,1,0,True\nq2,0,1,False\n", {}, "al may be no model.*gpt,claude --col"),
    ("name,MMLU,GSM8K\ngpt,.8,.9\nllama,.7,.6\n", {}, "each row is a model here .'name'.*--models"),
    ("id,sheep_seen,a,b\nx,31,1,0\ny,28,0,1\n", {}, "seen may be no model.*--models a,b --columns item=id"),
    ("id,gpt,claude\nq1,1,0\nq1,0,1\nq2,1,1\n", {}, "2 of 3 rows share their 'id'.*--columns"),
    # Options that do not fit.
    ("key,f1\nx,1\n", {"models": ("f1",), "columns": "item=kez"}, "no column 'kez' .* mean 'key'"),
    ("key,f1\nx,1\n", {"models": ("f2",)}, "no column 'f2' for --models f2. Did you mean 'f1'"),
    ("key,f1\nx,1\n", {"models": ("f1",), "model": ("m",)}, "--model m does not go with --models f1"),
    # Cells.
    ("item,a,b\nx,1,0\ny,1,inf\n", {}, "f.csv, row 2: model 'b', item 'y', score inf"),
    ("item,a,b\nx,1,0\ny,1,bad\n", {"models": ("a", "b")}, "f.csv, row 2: 'b' is 'bad', expected a number"),
    ("model,item,score\na,x,0.5\na,y,85%\n", {}, "row 2: 'score' is '85%'"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "options", "message"), REFUSED)
def test_what_leaves_a_doubt_is_refused_with_the_way_out(write, table, options, message):
    assert re.search(message, refusal(write(table), **options))


RIGHT, WEAK = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0], [0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0]
GRADED = [[round((37 * n + 11 * m) % 91 / 3 + 40, 2) for n in range(12)] for m in range(2)]


def table(names, *columns):
    """A CSV with a question in each row."""
    rows = [f"what is {n}?,{','.join(map(str, row))}" for n, row in enumerate(zip(*columns, strict=True))]
    return "\n".join([f"question,{names}", *rows]) + "\n"


@pytest.mark.parametrize(
    ("names", "words"),
    [("label", "01"), ("answer", ("no", "yes")), ("y_true", ("False", "True")), ("mood", "01"), ("GT", "01")],
)
def test_columns_with_the_values_of_a_key_are_scored_by_what_the_refusal_prints(write, names, words):
    key = [n % 2 for n in range(12)]
    cells = [[words[of[n] == key[n]] for n in range(12)] for of in (RIGHT, WEAK)]
    text = table(f"{names},gpt-4o,llama-3", [words[k] for k in key], *cells)
    asked = refusal(write(text))
    assert "--models gpt-4o,llama-3 --columns item=question" in asked
    code = re.search(r"in Polars: (frame.*)\. Otherwise", asked)[1]
    frame = eval(code, {"pl": pl, "frame": pl.read_csv(write(text))})  # noqa: S307
    agrees = [[float(words[k] == cell) for k, cell in zip(key, of, strict=True)] for of in cells]
    expected = [score for row in zip(*agrees, strict=True) for score in row]
    assert read(write(frame.write_csv())).frame["score"].to_list() == expected


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("question,expected,actual,verdict\na,yes,no,FAIL\nb,no,no,PASS\n", "item=question,score=verdict"),
        ("question,answer,response,judge\na,yes,no,wrong\nb,no,no,correct\n", "item=question,score=judge"),
        ("question,response,clarity,depth\na,x,1,0\nb,y,0,1\n", "unclear which is 'model' and 'score'"),
        ("model,id,gold,result\nm,1,0,1\nm,2,1,0\nn,1,0,0\nn,2,1,1\n", "'result' may be answers"),
    ],
)
def test_grades_and_answers_of_one_model_are_no_models(write, table, message):
    assert message in refusal(write(table))


@pytest.mark.parametrize(
    ("names", "columns", "models"),
    [
        ("hops,gpt-4o,llama-3", [[n % 4 for n in range(12)], *GRADED], "gpt-4o,llama-3"),
        ("multi_hop,gpt-4o,llama-3", [WEAK, RIGHT, WEAK], "gpt-4o,llama-3"),
        ("gpt-4o,llama-3,Preis", [*GRADED, [n * 0.7 + 10 for n in range(12)]], "gpt-4o,llama-3"),
        ("prompt_1,prompt_2,views", [*GRADED, [n * n % 7 for n in range(12)]], "prompt_1,prompt_2"),
        ("foo,bar,sum_of_it", [*GRADED, [a + b for a, b in zip(*GRADED, strict=True)]], "foo,bar"),
        ("foo,bar,views", [*GRADED, [n * n % 7 for n in range(12)]], "foo,bar"),
    ],
)
def test_a_column_unlike_the_models_is_asked_about(write, names, columns, models):
    every = ",".join([*models.split(","), *({*names.split(",")} - {*models.split(",")})])
    asked = refusal(write(table(names, *columns)), limits=(-200, 200))
    assert f"ame them: --models {models} --columns item=question; or, if all are: --models " in asked
    assert sorted(re.findall(r"--models (\S+) ", asked)[1].split(",")) == sorted(every.split(","))


@pytest.mark.parametrize(
    "models",
    ["bm25,lsa,minilm", "A,B", "baseline,candidate", "model_1,model_2", "ours,theirs", "old,new", "o1,o2"],
)
def test_tables_whose_columns_look_alike_are_read(write, models):
    rows = [RIGHT, WEAK, WEAK[::-1], RIGHT[::-1]][: models.count(",") + 1]
    numbered = table(f"{models},S/N,Price ($)", *rows, range(1, 13), [0.5] * 12)
    assert read(write(numbered)).frame["model"].unique().sort().to_list() == sorted(models.split(","))


@pytest.mark.parametrize("head", ["LLM", "column_0", "Agent", "模型", "model"])
@pytest.mark.parametrize("columns", [["Q1", "Q2", "Q3"], ["MMLU", "GSM8K"]])
def test_a_row_a_model_is_refused_whatever_its_column_is_called(write, head, columns):
    lines = [f"{model}{',1,0,1'[: 2 * len(columns)]}" for model in ("gpt-4o", "llama-3", "qwen")]
    assert f"each row is a model here ({head!r}), and {', '.join(columns)} are items or tasks" in refusal(
        write("\n".join([",".join([head.replace("column_0", ""), *columns]), *lines]))
    )


TOTALS = [("Summary", [RIGHT, WEAK], "mean"), ("TOTAL CORRECT", [RIGHT, WEAK], "sum"), ("N", GRADED, "count")]


@pytest.mark.parametrize(("label", "columns", "way"), [*TOTALS, ("13", GRADED, "mean"), ("%", [WEAK], "pct")])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_first_or_last_row_that_sums_all_others_up_is_no_item(write, label, columns, way, is_first):
    ways = {"mean": sum, "sum": sum, "count": len, "pct": lambda of: 100 * sum(of)}
    sums = [round(ways[way](of) / (12 if way in ("mean", "pct") else 1), 3) for of in columns]
    header, *rows = table("gpt-4o,llama-3" if len(columns) == 2 else "score", *columns).splitlines()
    total = f"{label},{','.join(map(str, sums))}"
    scores = read(write("\n".join([header, *([total] * is_first), *rows, *([total] * (not is_first))])))
    assert scores.frame["item"].n_unique() == 12
    assert f"a row that sums the others up is left out: {label.lower()!r}." in scores.notes[-1]


@pytest.mark.parametrize("last", ["Summary,1,1,1", "q41,0.5,0.6,0", "q41,1,0,1", "the whole,0.667,0.417,0.9"])
def test_a_last_row_that_an_item_can_be_stays(write, last):
    rows = table("a,b,c", [1] * 12, WEAK, RIGHT)
    assert read(write(rows + last + "\n")).frame["item"].n_unique() == 13
