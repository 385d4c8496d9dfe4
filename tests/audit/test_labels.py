"""Labels through the command line: files, refusals, what scripts get, sheets."""

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tellapart.errors import InputError
from tellapart.labelling.sheet import cell_text
from tellapart.readers import read_scores
from tellapart.readers.labels import answer_code
from tellapart.readers.settings import ReadingSettings


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Scores of a judge with texts, that favours ``alpha``; returns what people would say of each answer."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    rows = []
    for model in ("alpha", "beta"):
        human = rng.permutation(np.arange(600) < 330).astype(int)
        score = np.where(rng.random(600) < 0.1, 1 - human, human)
        if model == "alpha":
            score = np.where(rng.random(600) < 0.6, 1, score)
        for i in range(600):
            rows.append((model, f"q{i:03d}", f"What is {i}?", f"{model[0]}{i}", int(score[i]), int(human[i])))
    frame = pl.DataFrame(rows, ["model", "item", "question", "response", "score", "truth"], orient="row")
    frame.drop("truth").write_csv("scores.csv")
    labels = frame.select("model", "item", human="truth")
    some = [f"q{i:03d}" for i in rng.choice(600, 60, replace=False)]
    labels.filter(pl.col("item").is_in(some)).write_csv("h.csv")
    return labels


def test_scripts_get_corrected_pairs_and_the_judge_beside_them(files, tellapart):
    judged = json.loads(tellapart("audit", "scores.csv", "--json").out)
    found = json.loads(tellapart("audit", "scores.csv", "--human", "h.csv", "--json").out)
    assert judged["labels"] is None
    (before,), (after,) = (of["comparison"]["primary"]["pairs"] for of in (judged, found))
    assert (before["verdict"], after["verdict"], after["test"]) == ("a>b", "not_separated", "labels")
    labels = found["labels"]
    assert labels["n"] == 60
    low, high = labels["judge"]["alpha"]["interval"]
    assert 0 < low < labels["judge"]["alpha"]["bias"] < high
    assert 0.4 < labels["agreement"] < 1
    assert 0.5 < labels["width_ratio"] < 1
    assert labels["favours"] == ["alpha"]
    assert labels["judge_alone"]["primary"]["pairs"][0]["p"] == before["p"]
    assert found["pairs"][0]["why"][0]["cause"] == "too_few_labels"
    assert found["pairs"][0]["fix"][0]["action"] == "label_more"
    assert found["pairs"][0]["fix"][0]["cost_answers"] == 120
    # The means are corrected as well.
    means = {ranked["model"]: ranked["mean"] for ranked in found["ranking"]}
    assert means["alpha"] < pl.read_csv("scores.csv").filter(model="alpha")["score"].mean()


def test_where_less_is_better_labels_are_turned_like_scores(files, tmp_path):
    turned = ReadingSettings(human=tmp_path / "h.csv", lower_is_better=True)
    frame = read_scores([tmp_path / "scores.csv"], turned).table.frame
    assert set(frame["human"].drop_nulls()) == {0.0, -1.0}


def test_no_more_labels_are_advised_than_there_are_items_without(files, tellapart):
    files.filter(pl.col("item") < "q570").write_csv("most.csv")
    (pair,) = json.loads(tellapart("audit", "scores.csv", "--human", "most.csv", "--json").out)["pairs"]
    assert [fix["cost_answers"] for fix in pair["fix"] if fix["action"] == "label_more"] == [60]


def test_prices_that_cannot_be_are_refused(files, tellapart):
    for words, fault in (
        (("--human", "h.csv", "--price-item", 0.1), "--price-label is not given, expected a number from"),
        (("--price-item", 1, "--price-label", 2), "there are no labels. Give labels by people: --human FILE"),
    ):
        refused = tellapart("audit", "scores.csv", *words)
        assert (refused.code, fault in refused.err, refused.err.count("\n")) == (2, True, 1)


def test_compare_and_next_take_labels_too(files, tellapart):
    gate = ("compare", "scores.csv", "--baseline", "alpha", "--max-drop", 0.02)
    assert tellapart(*gate).code == 3
    corrected = tellapart(*gate, "--human", "h.csv")
    assert corrected.code == 4
    frame = pl.read_csv("scores.csv")
    order = np.random.default_rng(1).permutation(600).tolist()
    frame = frame.sort(pl.col("item").str.slice(1).cast(pl.Int64).replace_strict(dict(enumerate(order))))
    frame.write_csv("asked.csv")
    asking = ("next", "asked.csv", "--max-items", 600, "--json")
    without, found = (json.loads(tellapart(*asking, *more).out) for more in ((), ("--human", "h.csv")))
    assert (without["verdict"], found["verdict"]) == ("a>b", "not_separated")


def test_a_sheet_hides_models_and_filled_it_is_labels(files, tellapart):
    drawn = tellapart("label", "scores.csv", "--budget", 60, "--seed", 1, "--out", "sheet.csv")
    assert drawn.code == 0
    assert "Wrote sheet.csv: 120 answers to 60 of 600 items." in drawn.out
    assert "--human sheet.csv" in drawn.out
    assert "60 labelled items: differences within ±" in drawn.out
    sheet = pl.read_csv("sheet.csv")
    assert sheet.columns == ["code", "item", "question", "answer", "human", "label_probability"]
    assert sheet["item"].n_unique() == 60
    assert sheet["human"].null_count() == 120
    assert sheet["label_probability"].unique().to_list() == [0.1]
    assert "alpha" not in Path("sheet.csv").read_text(encoding="utf-8")
    # Orders are mixed: neither items nor models stand together.
    assert sheet["item"].to_list() != sorted(sheet["item"])
    assert {text[0] for text in sheet["answer"][:20]} == {"a", "b"}
    truth = files.with_columns(
        code=pl.Series([answer_code(model, item, 0) for model, item, _ in files.iter_rows()])
    )
    filled = sheet.drop("human").join(truth.select("code", "human"), on="code")
    assert filled.height == 120
    filled.write_csv("sheet.csv")
    labels = json.loads(tellapart("audit", "scores.csv", "--human", "sheet.csv", "--json").out)["labels"]
    assert (labels["n"], labels["favours"]) == (60, ["alpha"])
    # A larger draw goes on from it, with what is labelled.
    more = ("label", "scores.csv", "--human", "sheet.csv", "--budget", 120, "--seed", 1, "--out", "more.csv")
    again = tellapart(*more)
    assert "120 labelled items: differences within ±" in again.out
    larger = pl.read_csv("more.csv")
    assert larger["human"].count() == 120
    assert set(sheet["code"]) < set(larger["code"])
    # Labels are never written over by a sheet that does not take them over.
    over = tellapart("label", "scores.csv", "--budget", 60, "--out", "sheet.csv")
    assert (over.code, pl.read_csv("sheet.csv").height) == (2, 120)
    assert "this file has 120 labels" in over.err and "--human sheet.csv" in over.err


@pytest.mark.parametrize("answer", ["=2+5", "x;=2+5;y", "x\t=2+5", '";@A1', "'=2;'-3", "one; -2 'a', \"b\""])
def test_no_answer_is_a_formula_wherever_a_program_splits_a_sheet(files, tellapart, answer):
    frame = pl.read_csv("scores.csv").with_columns(response=pl.lit(answer))
    frame.filter(pl.col("item") < "q060").write_csv("scores.csv")
    assert tellapart("label", "scores.csv", "--budget", 60, "--out", "sheet.csv").code == 0
    lines = Path("sheet.csv").read_text(encoding="utf-8").splitlines()
    for separator in ",;\t":
        cells = [cell for row in csv.reader(lines, delimiter=separator) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert {cell_text(cell) for cell in pl.read_csv("sheet.csv")["answer"]} == {answer}


def first(n, **given):
    return lambda frame: frame.with_columns(
        **{k: pl.when(pl.int_range(pl.len()) < n).then(v).otherwise(k) for k, v in given.items()}
    )


REFUSED = {
    "outside the scale": (first(3, human=5), "probability 0.1 has a label in 'human' outside [0, 1]; 3 rows"),
    "no such model": (
        lambda frame: frame.with_columns(pl.col("model").str.replace("alpha", "alpa")),
        "; 60 labels in all have this fault. Did you mean 'alpha'?",
    ),
    "doubled": (lambda frame: pl.concat([frame, frame[:1]]), "is labelled 2 times. Keep one label of each"),
    "contradicting": (
        lambda frame: pl.concat([frame, frame[:1].with_columns(human=1 - pl.col("human"))]),
        "is labelled 2 times, as 0 and 1. Keep one label of each",
    ),
    "one model": (lambda frame: frame.filter(model="alpha"), "all 60 labels are of the model 'alpha'"),
    "too few": (
        lambda frame: frame.filter(pl.col("item").is_in(frame["item"][:12].implode())),
        "only 12 items have labels of two models, expected 20 or more. Label 8 more.",
    ),
    "words": (first(1, human=pl.lit("TRUE")), "bad.csv, row 1: 'human' is 'TRUE', expected a number"),
    "blank": (lambda frame: frame.with_columns(human=pl.lit("")), "no answer has a label. Fill its column"),
    "no column": (lambda frame: frame.rename({"human": "h"}), "there is no column 'human'"),
    "no chance": (first(2, label_probability=0), "probability' that is not above 0 and up to 1; 2 rows"),
    "above 1": (first(1, label_probability=1.5), "'label_probability' that is not above 0 and up to 1"),
    "several chances": (
        first(1, label_probability=0.2),
        "has several values of 'label_probability'. This is the chance of the item",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_labels_that_cannot_be_are_refused_in_a_line(case, files, tellapart):
    change, words = REFUSED[case]
    labels = pl.read_csv("h.csv").with_columns(label_probability=pl.lit(0.1))
    change(labels).write_csv("bad.csv")
    refused = tellapart("audit", "scores.csv", "--human", "bad.csv")
    assert (refused.code, refused.out) == (2, "")
    assert words in refused.err
    assert refused.err.count("\n") == 1


def test_labels_in_another_encoding_are_refused_and_not_written_over(files, tellapart):
    Path("h.csv").write_text(Path("h.csv").read_text(), encoding="utf-16")
    before = Path("h.csv").read_bytes()
    pl.read_csv("h.csv", encoding="utf-16").with_columns(pl.concat_list("human")).write_parquet("h.parquet")
    refused = tellapart("audit", "scores.csv", "--human", "h.parquet")
    assert (refused.code, "the column 'human' holds neither texts nor numbers" in refused.err) == (2, True)
    refused = tellapart("audit", "scores.csv", "--human", "h.csv")
    assert (refused.code, "h.csv: is UTF-16, expected UTF-8. Save it as UTF-8" in refused.err) == (2, True)
    refused = tellapart("label", "scores.csv", "--budget", 60, "--out", "h.csv")
    assert (refused.code, "h.csv: there is a file of this name, which is no sheet" in refused.err) == (2, 1)
    assert Path("h.csv").read_bytes() == before


def test_labels_of_several_answers_say_which_one(tmp_path):
    rows = [(m, f"q{i}", r, 1) for m in "ab" for i in range(25) for r in range(2)]
    scores = pl.DataFrame(rows, ["model", "item", "replicate", "score"], orient="row")
    scores.write_csv(tmp_path / "s.csv")
    of_first = scores.filter(replicate=0).select("model", "item", human=pl.lit(0))
    of_first.write_csv(tmp_path / "h.csv")
    settings = ReadingSettings(human=tmp_path / "h.csv")
    with pytest.raises(InputError, match="Say in 'replicate' which answer was labelled"):
        read_scores([tmp_path / "s.csv"], settings)
    of_first.with_columns(replicate=pl.lit(1)).write_csv(tmp_path / "h.csv")
    frame = read_scores([tmp_path / "s.csv"], settings).table.frame
    assert frame.filter(pl.col("human").is_not_null())["replicate"].unique().to_list() == [1]


def test_labels_may_be_a_column_of_the_scores(files, tellapart):
    scores, labels = pl.read_csv("scores.csv"), pl.read_csv("h.csv")
    scores.join(labels, on=["model", "item"], how="left").write_csv("both.csv")
    beside, within = (
        json.loads(tellapart("audit", *words, "--json").out)["labels"]
        for words in (("scores.csv", "--human", "h.csv"), ("both.csv",))
    )
    assert within == beside


EVERYDAY = Path(__file__).parents[1] / "longcontext" / "grading" / "everyday"
VALUES = {"CORRECT": 1.0, "PARTIAL": 0.5, "WRONG": 0.0}


def test_everyday_answers_that_people_labelled_undo_what_a_biased_judge_says(
    tellapart, tmp_path, monkeypatch
):
    """Every second answer to a question is one assistant's; the judge lifts a third of the first one's."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = []
    for path in sorted(EVERYDAY.glob("*/*.answers.jsonl")):
        answers = [row for row in pl.read_ndjson(path).to_dicts() if row["category"] in VALUES]
        for k, (first, second) in enumerate(zip(answers[::2], answers[1::2], strict=False)):
            if rng.random() < 0.5:
                first, second = second, first
            for model, answer in (("candid", first), ("wordy", second)):
                item = f"{path.parent.name}/{path.stem}/{k}"
                rows.append((model, item, answer["response"], VALUES[answer["category"]]))
    truth = pl.DataFrame(rows, ["model", "item", "response", "human"], orient="row")
    lifted = (pl.col("model") == "wordy") & pl.Series(rng.random(truth.height) < 1 / 3)
    slips = pl.Series(rng.random(truth.height) < 0.05)
    judged = pl.when(lifted).then(1.0).when(slips).then(1 - pl.col("human")).otherwise("human")
    truth.select("model", "item", "response", score=judged).write_csv("scores.csv")
    assert tellapart("label", "scores.csv", "--budget", 60, "--out", "sheet.csv").code == 0
    codes = pl.Series("code", [answer_code(model, item, 0) for model, item, *_ in rows])
    sheet = pl.read_csv("sheet.csv").drop("human")
    sheet.join(truth.with_columns(codes).select("code", "human"), on="code").write_csv("sheet.csv")
    judge = json.loads(tellapart("audit", "scores.csv", "--json").out)
    people = json.loads(tellapart("audit", "scores.csv", "--human", "sheet.csv", "--json").out)
    (before,), (after,) = (of["comparison"]["primary"]["pairs"] for of in (judge, people))
    by_model = truth.group_by("model").agg(pl.col("human").mean()).sort("model")["human"]
    assert before["n"] > 600
    assert before["verdict"] == "b>a"
    assert after["verdict"] == "not_separated"
    assert after["interval"][0] < by_model[0] - by_model[1] < after["interval"][1]
    bias = people["labels"]["judge"]["wordy"]
    scored = pl.read_csv("scores.csv").group_by("model").agg(pl.col("score").mean()).sort("model")["score"]
    assert bias["interval"][0] < scored[1] - by_model[1] < bias["interval"][1]
