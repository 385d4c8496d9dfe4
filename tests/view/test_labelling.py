"""A sheet of answers is drawn, shown without models, filled one label at a time, and corrects the verdict."""

import json
import re
import shutil

import numpy as np
import polars as pl
import pytest

from tellapart.readers import read_scores
from tellapart.readers.labels import answer_code
from tellapart.readers.settings import ReadingSettings
from tellapart.view.folder import entries
from view.test_server import TOKEN, client_of, get

MODELS = ("okapi", "zebra")


def judged(folder, items=300, share=1):
    """Write scores, 0 or ``share``, of a judge that favours the okapi; returns what people say, by code."""
    rng = np.random.default_rng(2)
    rows = []
    for model in MODELS:
        human = rng.random(items) < 0.55
        score = np.where(rng.random(items) < (0.6 if model == "okapi" else 0), 1, human)
        rows += [
            (model, f"q{i:03d}", f"What is {i}?", f"=={model[0]}{i}", share * score[i], share * human[i])
            for i in range(items)
        ]
    frame = pl.DataFrame(rows, ["model", "item", "question", "response", "score", "truth"], orient="row")
    frame.drop("truth").write_csv(folder / "scores.csv")
    return {answer_code(row[0], row[1], 0): float(row[5]) for row in rows}


def post(client, path, **body):
    answer = client.post(f"/api/{path}", json=body, headers=TOKEN)
    return answer.status_code, answer.json()


@pytest.fixture
def truth(tmp_path):
    return judged(tmp_path)


@pytest.fixture
def client(tmp_path, truth):
    return client_of(tmp_path)


@pytest.fixture
def run(tmp_path, truth):
    return entries(tmp_path)[0].id


def test_a_verdict_is_corrected_by_the_labels_of_a_sheet_as_audit_corrects_it(
    client, run, truth, tmp_path, tellapart
):
    _, before = get(client, "compare", run=run)
    assert (before["labels"], before["headline"][:14]) == ({"sheet": None}, "Use okapi: it ")
    assert post(client, "sheet", runs=[run], budget=60) == (200, {"drawn": True})
    sheet = tmp_path / "scores.csv.labels.csv"
    tellapart("label", tmp_path / "scores.csv", "--budget", 60, "--out", tmp_path / "drawn.csv")
    assert sheet.read_bytes() == (tmp_path / "drawn.csv").read_bytes()
    (tmp_path / "drawn.csv").unlink()
    drawn = pl.read_csv(sheet, infer_schema=False)
    _, answer = get(client, "label", run=run)
    for left in range(120, 0, -1):
        assert (answer["answers"], answer["left"], answer["steps"]) == (120, left, [0, 1])
        assert not any(name in json.dumps(answer) for name in MODELS)
        assert re.fullmatch("==[oz][0-9]+", answer["texts"][1]["text"])
        _, answer = post(client, "label", runs=[run], code=answer["code"], human=truth[answer["code"]])
        if left == 110:
            _, early = get(client, "compare", run=run)
            assert early["labels"]["labelled"] == 11
            assert "expected 20 or more" in early["labels"]["problem"]
            assert early["comparison"] == before["comparison"]
    assert (answer["code"], answer["left"]) == (None, 0)
    assert pl.read_csv(sheet, infer_schema=False).drop("human").equals(drawn.drop("human"))
    _, after = get(client, "compare", run=run)
    found = json.loads(tellapart("audit", tmp_path / "scores.csv", "--human", sheet, "--json").out)
    assert after["comparison"] == found["comparison"]
    assert after["comparison"]["primary"]["pairs"][0]["test"] == "labels"
    (said,) = [sentence for sentence in after["sentences"] if sentence.startswith("People labelled 120")]
    assert said.endswith(f"Without the labels it would say: {before['headline']}.")
    audited = " ".join(tellapart("audit", tmp_path / "scores.csv", "--human", sheet).out.split())
    assert after["sentences"][0] == "Too few labels."
    assert all(sentence in audited for sentence in after["sentences"])
    # The sheet is no file of scores.
    assert [entry.path for entry in entries(tmp_path)] == ["scores.csv"]


def test_one_goes_back_skips_and_goes_on_where_one_stopped(client, run, tmp_path):
    post(client, "sheet", runs=[run], budget=20)
    _, first = get(client, "label", run=run)
    assert (first["place"], first["before"], first["human"]) == (1, None, None)
    _, second = get(client, "label", run=run, code=first["after"])
    _, third = post(client, "label", runs=[run], code=second["code"], human=1)
    assert (third["place"], third["before"]) == (3, second["code"])
    assert get(client, "label", run=run, code=second["code"])[1]["human"] == "1"
    # Started anew: what was skipped comes first.
    again = client_of(tmp_path)
    assert get(again, "label", run=run)[1]["code"] == first["code"]
    _, last = get(again, "label", run=run)
    while last["after"]:
        _, last = get(again, "label", run=run, code=last["after"])
    assert post(again, "label", runs=[run], code=last["code"], human=0)[1]["code"] == first["code"]
    rows = pl.read_csv(tmp_path / "scores.csv.labels.csv", infer_schema=False)
    assert rows["human"].to_list() == [None, "1", *[None] * 37, "0"]
    # A text stays in the sheet as a spreadsheet may open it.
    assert rows["answer"].str.starts_with("'==").all()


@pytest.mark.parametrize(
    ("limits", "scores", "steps"),
    [
        ((0.0, 1.0), (0.5, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ((1.0, 5.0), (1, 4), [1, 2, 3, 4, 5]),
        ((0.0, 100.0), (20, 70), [0, 20, 40, 60, 80, 100]),
        ((-np.inf, np.inf), (-3, 70), []),
    ],
)
def test_keys_are_the_scores_of_a_scale(tmp_path, limits, scores, steps):
    rows = [(model, f"q{i}", scores[i % 2]) for model in MODELS for i in range(30)]
    pl.DataFrame(rows, ["model", "item", "score"], orient="row", strict=False).write_csv(tmp_path / "s.csv")
    client, run = client_of(tmp_path, limits=limits), entries(tmp_path)[0].id
    assert post(client, "sheet", runs=[run], budget=20)[0] == 200
    _, answer = get(client, "label", run=run)
    assert (answer["steps"], answer["texts"]) == (steps, [])
    status, _ = post(client, "label", runs=[run], code=answer["code"], human=0.25 + scores[0])
    assert status == 200
    assert f',"{0.25 + scores[0]:g}",' in (tmp_path / "s.csv.labels.csv").read_text()


def test_labels_of_several_runs_are_beside_the_first_and_a_named_file_is_taken(tmp_path):
    (tmp_path / "runs").mkdir()
    truth = judged(tmp_path)
    whole = pl.read_csv(tmp_path / "scores.csv")
    for model in MODELS:
        whole.filter(model=model).write_csv(tmp_path / "runs" / f"{model}.csv")
    client = client_of(tmp_path / "runs")
    both = [entry.id for entry in entries(tmp_path / "runs")]
    assert post(client, "sheet", runs=both, budget=30) == (200, {"drawn": True})
    (sheet,) = (tmp_path / "runs").glob("okapi.csv.*.labels.csv")
    _, alone = get(client, "compare", run=both[:1])
    assert alone == {"only": "okapi", "labels": {"sheet": None}, "notes": []}
    pl.read_csv(sheet).with_columns(human=pl.col("code").replace_strict(truth)).write_csv(tmp_path / "h.csv")
    named = client_of(tmp_path / "runs", human=tmp_path / "h.csv")
    _, compared = get(named, "compare", run=both)
    assert compared["labels"] == {"sheet": "h.csv", "problem": None, "answers": 60, "labelled": 60}
    paths = [tmp_path / "runs" / f"{model}.csv" for model in MODELS]
    assert read_scores(paths, ReadingSettings(human=tmp_path / "h.csv")).table.frame["human"].count() == 60
    assert get(named, "label", run=both)[1]["left"] == 0
    assert "already" in post(named, "sheet", runs=both, budget=30)[1]["error"]


def test_what_is_no_label_of_a_sheet_is_refused_and_links_are_not_followed(client, run, tmp_path, tellapart):
    assert "no sheet yet" in get(client, "label", run=run)[1]["error"]
    assert "expected 20 or more" in post(client, "sheet", runs=[run], budget=3)[1]["error"]
    assert not (tmp_path / "scores.csv.labels.csv").exists()
    post(client, "sheet", runs=[run], budget=20)
    sheet = tmp_path / "scores.csv.labels.csv"
    before, code = sheet.read_bytes(), get(client, "label", run=run)[1]["code"]
    right = {"runs": [run], "code": code, "human": 1}
    wrong_labels = ({"human": 2}, {"human": "1"}, {"human": None})
    for wrong in (*wrong_labels, {"code": "x"}, {"runs": ["../x"]}, {"more": 1}):
        status, answer = post(client, "label", **right | wrong)
        assert status in (404, 422), wrong
        assert answer["error"]
    for path, body in (("label", right), ("sheet", {"runs": [run], "budget": 20})):
        for headers in ({}, TOKEN | {"Origin": "http://evil.example"}):
            assert client.post(f"/api/{path}", json=body, headers=headers).status_code in (401, 403)
    assert client.get(f"/api/label?run={run}").status_code == 401
    assert sheet.read_bytes() == before
    absent = tellapart("view", tmp_path, "--human", tmp_path / "h.csv")
    assert (absent.code, "h.csv: there is no such file" in absent.err) == (2, True)
    shutil.move(sheet, tmp_path / "elsewhere.txt")
    sheet.symlink_to(tmp_path / "elsewhere.txt")
    for status, answer in (get(client, "label", run=run), post(client, "label", **right)):
        assert (status, "links are not followed" in answer["error"]) == (422, True)
    assert (tmp_path / "elsewhere.txt").read_bytes() == before
