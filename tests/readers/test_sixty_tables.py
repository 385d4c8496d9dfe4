"""Tables as people make them: right at the first try, or by what the first refusal says, as it is."""

import json
import re
import sqlite3
from pathlib import Path

import polars as pl
import pytest

import tellapart as ta

FIXTURES = Path(__file__).parent / "fixtures" / "workbook"
N = 12
GPT = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
LLAMA = [0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0]
IDS = [f"q{n}" for n in range(N)]
TOPICS = ["math", "law"] * 6
TRUTH = {("gpt", item): float(s) for item, s in zip(IDS, GPT, strict=True)}
TRUTH |= {("llama", item): float(s) for item, s in zip(IDS, LLAMA, strict=True)}
GRADED = {key: score * 0.7 + 0.101 for key, score in TRUTH.items()}


def wide(one="1", zero="0", sep=",", header="id{s}topic{s}gpt{s}llama", foot="", changed=None):
    """Text of a table with one column a model, right and wrong written as given."""
    cells = {1: one, 0: zero}
    rows = [[i, topic, cells[a], cells[b]] for i, topic, a, b in zip(IDS, TOPICS, GPT, LLAMA, strict=True)]
    for (row, column), cell in (changed or {}).items():
        rows[row][column] = cell
    lines = [header.format(s=sep), *(sep.join(row) for row in rows)]
    return "\n".join([*lines, *([foot.replace(",", sep)] if foot else [])]) + "\n"


def long(names=("model", "id", "score"), further=lambda model, n: (), header=()):
    rows = [
        [model, item, str(score), *further(model, n)]
        for model, scores in (("gpt", GPT), ("llama", LLAMA))
        for n, (item, score) in enumerate(zip(IDS, scores, strict=True))
    ]
    return "\n".join([",".join([*names, *header]), *(",".join(row) for row in rows)]) + "\n"


def graded(write, sep=";"):
    rows = [sep.join([item, write(GRADED["gpt", item]), write(GRADED["llama", item])]) for item in IDS]
    return "\n".join([sep.join(["id", "gpt", "llama"]), *rows]) + "\n"


TEXTS = {
    "commas": wide(),
    "tabs": wide(sep="\t"),
    "semicolons": wide(sep=";"),
    "a line that names the separator": "sep=;\n" + wide(sep=";"),
    "CRLF": wide().replace("\n", "\r\n"),
    "byte order marks": "\ufeff\ufeff" + wide(),
    "separators at the end": wide().replace("\n", ",\n"),
    "quoted": re.sub(r"[^,\n]+", lambda cell: f'"{cell[0]}"', wide()),
    "spaces": wide().replace(",", ", "),
    "1.0": wide("1.0", "0.0"),
    "percent": wide("100%", "0%"),
    "percent with a space": wide("100 %", "0 %"),
    "TRUE": wide("TRUE", "FALSE"),
    "PASS": wide("PASS", "FAIL"),
    "Correct": wide("Correct", "Incorrect"),
    "correct and wrong": wide("correct", "wrong"),
    "right": wide("Right", "Wrong"),
    "yes": wide("yes", "no"),
    "Y": wide("Y", "N"),
    "ticks": wide("✓", "✗"),
    "emoji": wide("✅", "❌"),
    "resolved": wide("resolved", "unresolved"),
    "OK and ERROR": wide("OK", "ERROR"),
    "OK and KO": wide("OK", "KO"),
    "1 and x": wide("1", "x"),
    "OK and KO as grades": long(("model", "id", "grade")).replace(",1\n", ",OK\n").replace(",0\n", ",KO\n"),
    "Total": wide(foot="Total,,8,4"),
    "Average": wide(foot="Average,,0.667,0.333"),
    "Gesamt": wide(foot="Gesamt,,0.67,0.33"),
    "Promedio": wide(foot="Promedio,,0.67,0.33"),
    "合計": wide(foot="合計,,8,4"),
    "Moyenne": wide(foot="Moyenne,,0.667,0.333"),
    "Итого": wide(foot="Итого,,8,4"),
    "a foot without a label": wide(foot=",,0.667,0.333"),
    "index of rows": wide(header="id{s}topic{s}gpt{s}llama").replace("\n", "\n0,", 12)
    .replace("id,", ",id,", 1),
    "items as questions": wide(header="question{s}topic{s}gpt{s}llama"),
    "items without a name": wide(header="{s}topic{s}gpt{s}llama"),
    "long": long(),
    "long with other names": long(("system", "question_id", "correct")),
    "long in percent": long().replace(",1\n", ",100%\n").replace(",0\n", ",0%\n"),
    "long with prices": long(header=("price", "latency_ms"), further=lambda m, n: ("0.01", str(n))),
    "long with answers": long(header=("response",), further=lambda m, n: (f"{m} says {n}",)),
    "long with two metrics": long(header=("metric",), further=lambda m, n: ("em",))
    + "".join(f"{m},{i},0.5,f1\n" for m in ("gpt", "llama") for i in IDS),
    "scores called wer": long(("model", "id", "wer")),
    "scores called reward": long(("model", "id", "reward")),
    "a metric beside models": wide(header="id{s}topic{s}gpt{s}llama{s}bleu").replace("\nq", ",0.3\nq")
    .replace("bleu,0.3", "bleu").rstrip("\n") + ",0.3\n",
    "prices beside models": re.sub(r"(?m)$", ",0.03", wide().rstrip("\n"))
    .replace("llama,0.03", "llama,price"),
    "sure beside models": re.sub(r"(?m)$", ",0.9", wide().rstrip("\n"))
    .replace("llama,0.9", "llama,confidence"),
    "counts beside models": "\n".join(
        f"{line},{number + 20}" if number else f"{line},sheep"
        for number, line in enumerate(wide().rstrip("\n").split("\n"))
    ),
    "models that are numbers": wide(header="id{s}topic{s}1{s}2"),
    "two columns of each model": "id,gpt_acc,gpt_f1,llama_acc,llama_f1\n"
    + "".join(f"{i},{a},0.5,{b},0.25\n" for i, a, b in zip(IDS, GPT, LLAMA, strict=True)),
}  # fmt: skip
"""By what is peculiar about it, a file of the scores `TRUTH`; models may have other names."""

GRADES = {
    "decimal commas": graded(lambda s: f"{s:.3f}".replace(".", ",")),
    "decimal commas with tabs": graded(lambda s: f"{s:.3f}".replace(".", ","), "\t"),
    "percent with commas": graded(lambda s: f"{100 * s:.1f}%".replace(".", ",")),
    "points": graded(lambda s: f"{s:.3f}", ","),
    "exponents": graded(lambda s: f"{s:.3e}", ","),
}


def read(scores, right=None):
    """Read as somebody does who follows the first refusal to the letter; how many tries it takes.

    Of two words ``right`` is the one that somebody takes who knows which it is.
    """
    try:
        return ta.read_scores(scores), 1
    except ta.TellapartError as error:
        given = {}
        for key, value in re.findall(r"(\w+)=(\[[^]]*\]|\{[^}]*\}|\([^)]*\)|'[^']*'|True|False)", str(error)):
            if key != "right" or right in (None, eval(value)):  # noqa: S307
                given.setdefault(key, eval(value))  # noqa: S307
        assert given, str(error)
        return ta.read_scores(scores, **given), 2


def scores_of(reading):
    frame = reading.table.frame
    models = frame["model"].unique(maintain_order=True).sort().to_list()
    names = dict(zip(models, ("gpt", "llama"), strict=True))
    return {(names[m], item): score for m, item, score in frame.select("model", "item", "score").iter_rows()}


ASKED = {
    "OK and ERROR", "OK and KO", "OK and KO as grades", "1 and x", "long with two metrics",
    "scores called wer",
    "a metric beside models", "models that are numbers", "two columns of each model",
}  # fmt: skip
"""Of which nobody can know what is meant."""


@pytest.mark.parametrize("name", TEXTS)
def test_files_of_text(tmp_path, name):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    reading, tries = read(path, right="OK" if name.startswith("OK") else None)
    found = scores_of(reading)
    if name == "scores called wer":
        found = {key: abs(score) for key, score in found.items()}
    assert found == TRUTH
    assert tries == 1 + (name in ASKED)


@pytest.mark.parametrize("name", GRADES)
def test_files_of_grades(tmp_path, name):
    path = tmp_path / "t.csv"
    path.write_text(GRADES[name], encoding="utf-8")
    reading, tries = read(path)
    assert scores_of(reading) == pytest.approx(GRADED, abs=0.0006)
    assert tries == 1


FRAME = pl.DataFrame({"id": IDS, "topic": TOPICS, "gpt": GPT, "llama": LLAMA})
LONG = FRAME.unpivot(index=["id", "topic"], variable_name="model", value_name="score")


def sqlite(folder):
    with sqlite3.connect(folder / "t.db") as database:
        database.execute("CREATE TABLE runs (model TEXT, id TEXT, score REAL)")
        database.executemany("INSERT INTO runs VALUES (?, ?, ?)", LONG.select("model", "id", "score").rows())
        database.execute("CREATE TABLE notes (text TEXT)")
    return f"{folder / 't.db'}::runs"


def duckdb(folder):
    database = pytest.importorskip("duckdb").connect(str(folder / "t.duckdb"))
    database.execute("CREATE TABLE runs (model TEXT, id TEXT, score DOUBLE)")
    database.executemany("INSERT INTO runs VALUES (?, ?, ?)", LONG.select("model", "id", "score").rows())
    database.close()
    return folder / "t.duckdb"


def json_of(value):
    def write(folder):
        (folder / "t.json").write_text(json.dumps(value))
        return folder / "t.json"

    return write


def filed(name, write):
    def to(folder):
        write(folder / name)
        return folder / name

    return to


def two_files(folder):
    for model in ("gpt", "llama"):
        FRAME.select("id", passed=pl.col(model)).write_csv(folder / f"{model}.csv")
    return [folder / "gpt.csv", folder / "llama.csv"]


def pandas(make):
    def frame(folder):
        data = pytest.importorskip("pandas").DataFrame(LONG.to_dict(as_series=False))
        return make(data)

    return frame


OTHERS = {
    "SQLite": sqlite,
    "DuckDB": duckdb,
    "Parquet": filed("t.parquet", FRAME.write_parquet),
    "JSON Lines": filed("t.jsonl", FRAME.write_ndjson),
    "JSON records": json_of(FRAME.to_dicts()),
    "JSON columns": json_of(FRAME.to_dict(as_series=False)),
    "JSON by model": json_of({m: dict(zip(IDS, FRAME[m].to_list(), strict=True)) for m in ("gpt", "llama")}),
    "two files without models": two_files,
    "Polars": lambda folder: FRAME,
    "lazy Polars": lambda folder: LONG.lazy(),
    "Arrow": lambda folder: pytest.importorskip("pyarrow").table(LONG.to_dict(as_series=False)),
    "records": lambda folder: LONG.to_dicts(),
    "columns": lambda folder: LONG.to_dict(as_series=False),
    "pandas": pandas(lambda data: data),
    "pandas, filtered": pandas(lambda data: data[data.topic != "none"].sample(frac=1, random_state=1)),
    "pandas, wide by pivot": pandas(lambda data: data.pivot(index="id", columns="model", values="score")),
    "pandas, index of text": pandas(lambda data: data.set_index("id").rename_axis(None)),
    "pandas, named index": pandas(lambda data: data.set_index("id")),
    "pandas, two levels": pandas(lambda data: data.set_index(["model", "id"])),
    "pandas, unstacked": pandas(lambda data: data.set_index(["id", "model"])["score"].unstack()),
    "pandas, groups": pandas(lambda data: data.groupby("model", group_keys=False).head(100)),
    "pandas, dates": pandas(
        lambda data: data.set_index(pytest.importorskip("pandas").date_range("2026-01-01", periods=2 * N))
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_and_frames(tmp_path, name):
    reading, tries = read(OTHERS[name](tmp_path))
    assert scores_of(reading) == TRUTH
    assert tries == 1


def test_workbooks():
    pytest.importorskip("fastexcel")
    reading, tries = read(FIXTURES / "scores.xlsx")
    assert (scores_of(reading), tries) == (TRUTH, 1)
    with pytest.raises(ta.TellapartError, match="'Results' and no names of the other columns"):
        ta.read_scores(FIXTURES / "title.xlsx")


@pytest.mark.parametrize("cell", ["", "NA", "#N/A", "#DIV/0!", "ERROR: rate limit", "Timeout", "–"])
def test_a_cell_without_a_score_is_missing(tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_text(wide(changed={(0, 2): cell}), encoding="utf-8")
    found = scores_of(read(path)[0])
    assert found == {**TRUTH, ("gpt", "q0"): None}


WORDS = ["good", "ok", "bad", "ok"] * 3
REFUSED = {
    "a cell that is none": (wide(changed={(3, 2): "ok-ish"}), "row 4: 'gpt' is 'ok-ish'"),
    "points of points": (wide("4/5", "1/5"), "'gpt' holds '1/5' and '4/5', and which of them is right"),
    "latin-1": (wide("✓", "✗").replace("✓", "richtig").replace("✗", "fälsch"), "UTF-8"),
    "means with spreads": (
        "model,MMLU,GSM8K\ngpt,71.2 +/- 1.3,80.1 ± 0.9\nllama,60.0,52.5 ± 2.0\n",
        "'MMLU' holds means with their spread, such as '71.2 .*/- 1.3', not scores of items",
    ),
    "a title without separators": ("Results of May\n" + wide(), "'Results of May', names no columns"),
    "lists": (
        "".join(f'{{"id": "{i}", "gpt": [{a}, 1], "llama": [{a}]}}\n' for i, a in zip(IDS, GPT, strict=True)),
        r"'gpt' holds lists of numbers, such as \[1, 1\], and not one score .* models=.'gpt.0', '…'.",
    ),
    "objects": (
        "".join(
            f'{{"id": "{i}", "a": {{"s": {a}}}, "b": {{"s": 0}}}}\n' for i, a in zip(IDS, GPT, strict=True)
        ),
        "If each model has a column of its own, name these: models=.'a.s', 'b.s'.",
    ),
    "words of three kinds": (
        "model,id,score\n" + "".join(f"gpt,{i},{w}\n" for i, w in zip(IDS, WORDS, strict=True)),
        "'score' holds 'bad', 'good', 'ok', and what each is worth is not known. Write a number for each",
    ),
    "words of three kinds by model": (
        "id,gpt,llama\n" + "".join(f"{i},{w},{w}\n" for i, w in zip(IDS, WORDS, strict=True)),
        "'gpt' holds 'bad', 'good', 'ok', and what each is worth is not known",
    ),
    "two rows of names": (
        wide().replace("\n", "\n,,accuracy,accuracy\n", 1),
        "row 1: 'gpt' is 'accuracy', .* If this row is a second one of names or units, delete it",
    ),
    "a title": (
        "Results of May,,,\n" + wide(),
        "the first row has 'Results of May' and no names of the other columns, so it may be a title",
    ),
    "rows without a model": ("model,item,score\n,q0,1\ngpt,q0,1\nllama,q0,0\n", "1 of 3 rows have no model"),
    "answers of one model": ("id,gpt_run_1,gpt_run_2\nq0,1,0\nq1,0,0\nq2,1,1\n", "several answers of gpt to"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_of_scores_is_refused_for_the_cause_that_comes_first(tmp_path, name):
    text, message = REFUSED[name]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("latin-1" if name == "latin-1" else "utf-8"))
    with pytest.raises(ta.TellapartError, match=message):
        ta.read_scores(path)


def failed_calls(column, bad, score="0"):
    """Every fourth call of gpt failed, and its score was written as given."""
    text = long(header=(column,), further=lambda m, n: (bad if m == "gpt" and n % 4 == 0 else "",))
    return re.sub(f"[01],{bad}", f"{score},{bad}", text)


@pytest.mark.parametrize(
    ("column", "bad", "cause"),
    [("error", "429 rate limit", "provider"), ("error_message", "APITimeoutError: timed out", "timeout")],
)
def test_a_score_of_a_failed_call_is_asked_about_and_a_blank_one_is_missing_for_its_cause(
    tmp_path, column, bad, cause
):
    path = tmp_path / "t.csv"
    missing = {("gpt", item): None for item in IDS[::4]}
    path.write_text(failed_calls(column, bad))
    reading, tries = read(path)
    assert (scores_of(reading), tries) == ({**TRUTH, **missing}, 2)
    path.write_text(failed_calls(column, bad, score=""))
    reading, tries = read(path)
    assert (scores_of(reading), tries) == ({**TRUTH, **missing}, 1)
    assert reading.table.frame["missing"].drop_nulls().unique().to_list() == [cause]


def test_a_column_that_tells_repeated_rows_apart_is_named(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{m},{i},{s},2026-01-0{d}" for m in ("gpt", "llama") for i in IDS for d, s in ((1, 1), (2, 0))]
    path.write_text("\n".join(["model,item,score,asked_on", *rows]))
    reading, tries = read(path)
    assert tries == 2
    assert reading.table.frame["replicate"].unique().sort().to_list() == [0, 1]


def test_columns_of_answers_are_no_models_until_they_are_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,run1,run2,run3\n" + "".join(f"q{n},{s},{s},0\n" for n, s in enumerate(GPT)))
    with pytest.raises(ta.TellapartError, match="run1, run2, run3 look like several answers to each item"):
        ta.read_scores(path)
    assert read(path)[0].table.models == ["run1", "run2", "run3"]


def test_models_inside_of_objects_are_named_by_their_path(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [{"id": i, "scores": {"gpt": a, "llama": b}} for i, a, b in zip(IDS, GPT, LLAMA, strict=True)]
    pl.DataFrame(rows).write_ndjson(path)
    assert scores_of(ta.read_scores(path, models=["scores.gpt", "scores.llama"])) == TRUTH
