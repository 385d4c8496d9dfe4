import json
import os
import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import polars as pl
import pytest

from support.recorded import change_record
from tellapart.core.comparison import compare, to_json
from tellapart.errors import InputError
from tellapart.readers.settings import ReadingSettings
from tellapart.store import RunDirectory
from tellapart.store.database import RunDatabase
from tellapart.view.details import Details
from tellapart.view.folder import entries
from tellapart.view.history import check_size

pytest.importorskip("starlette")

READING = Path(__file__).parents[1] / "readers/fixtures"
INSPECT = READING / "inspect"
HOST = "http://127.0.0.1:8000"
TOKEN = {"X-Tellapart-Token": "token-of-a-test"}
PATHS = ("runs", "compare", "plan", "items", "item", "notes", "modes", "history", "exclude")


@pytest.fixture
def folder(stored, tmp_path):
    shutil.copytree(stored / "longcontext/runs", tmp_path / "folder")
    shutil.copytree(stored / "contrastive/runs/matchers", tmp_path / "folder/matchers")
    return tmp_path / "folder"


def client_of(folder, **reading):
    from starlette.testclient import TestClient

    from tellapart.view.server import application

    settings = ReadingSettings(**reading)
    return TestClient(application(folder, "token-of-a-test", 8000, settings), base_url=HOST)


@pytest.fixture
def client(folder):
    return client_of(folder)


@pytest.fixture
def run(folder):
    """Ids by path."""
    return {entry.path: entry.id for entry in entries(folder)}


def get(client, path, **parameters):
    answer = client.get(f"/api/{path}", params=parameters, headers=TOKEN)
    return answer.status_code, answer.json()


def kept(file):
    """What the notes beside a run say of items, by item."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {one["item"]: {"label": one["label"], "text": one["text"]} for one in lines if not one["model"]}


def note(client, run, item, label="broken", text="", model="", **headers):
    body = {"runs": [run], "item": item, "label": label, "text": text, "model": model}
    return client.post("/api/notes", json=body, headers=TOKEN | headers)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_said_without_the_token(client, run, path):
    where = f"/api/{path}?run={run['graded']}"
    for headers in ({}, {"X-Tellapart-Token": "token"}, {"X-Tellapart-Token": ""}):
        answer = client.get(where, headers=headers)
        assert (answer.status_code, list(answer.json())) == (401, ["error"])
    assert client.get(f"{where}&token=token-of-a-tes").status_code == 401
    readable = client.get("/?token=of-yesterday")
    assert readable.status_code == 401 and "Open the address that <code>tellapart view" in readable.text
    assert "default-src 'none'" in readable.headers["content-security-policy"]
    assert client.get("/?token=token-of-a-test").status_code == 200


def test_a_page_of_another_origin_and_a_name_that_leads_here_are_refused(client, run):
    where = f"/api/items?run={run['graded']}"
    assert client.get(where, headers=TOKEN | {"Host": "evil.example:8000"}).status_code == 403
    assert client.get(where, headers=TOKEN | {"Host": "127.0.0.1:8001"}).status_code == 403
    assert client.get(where, headers=TOKEN | {"Origin": "http://evil.example"}).status_code == 403
    assert client.get(where, headers=TOKEN | {"Origin": "null"}).status_code == 403
    answer = client.get(where, headers=TOKEN | {"Origin": HOST})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy


def test_a_comparison_is_that_of_every_other_command(client, folder, run):
    status, answer = get(client, "compare", run=run["graded"])
    assert status == 200
    assert answer["comparison"] == json.loads(
        json.dumps(to_json(compare(RunDirectory.open(folder / "graded").scores())))
    )
    assert " cannot be told apart yet" in answer["headline"]
    for stratum in answer["strata"]:
        assert [cell["n"] for cell in stratum["cells"]] == [stratum["items"]] * 2
    pair = answer["comparison"]["primary"]["pairs"][0]
    status, plan = get(client, "plan", run=run["graded"], a=pair["a"], b=pair["b"], gap="0.2")
    assert (status, plan["n"]) == (200, 12)
    assert plan["items"] > 12
    assert get(client, "plan", run=run["graded"], a=pair["a"], b=pair["b"])[0] == 404
    assert get(client, "plan", run=run["graded"], a=pair["a"], b="oak", gap="0.2")[0] == 404


def test_a_cell_leads_to_items_and_an_item_to_texts_answers_and_calls(client, run):
    status, found = get(
        client, "items", run=run["graded"], a="offline/guesses-16k", b="offline/recalls", outcome="differ"
    )
    assert (status, found["total"], found["counts"]["b"]) == (200, 4, 4)
    item = found["items"][0]["item"]
    _, shown = get(client, "item", run=run["graded"], item=item)
    assert [text["name"] for text in shown["texts"]] == ["Question", "Expected answer"]
    answers = {one["model"]: one["answers"][0] for one in shown["models"]}
    assert answers["offline/recalls"]["answer"] != answers["offline/guesses-16k"]["answer"]
    assert answers["offline/guesses-16k"]["facts"]["reason"]
    _, judged = get(client, "item", run=run["judged"], item="1K-01/V1-1")
    assert judged["calls"]
    assert all("V1-1#" in call["question"] for call in judged["calls"])
    # The answer of a model that picks code is the code that it put first.
    _, picked = get(client, "items", run=run["matchers"], a="bm25", b="offline/overlap", outcome="a")
    _, code = get(client, "item", run=run["matchers"], item=picked["items"][0]["item"])
    right, wrong = (one["answers"][0]["answer"] for one in code["models"])
    assert right == code["texts"][1]["text"] != wrong
    assert "def " in wrong


def test_what_calls_cost_and_how_long_they_take_stands_beside_the_score(client, folder, run):
    with RunDatabase(folder / "matchers/run.db") as database:
        database.remove("calls")
        for number, seconds in enumerate((1.5, 2.5, 9.0)):
            database.add("calls", {"model": "offline/overlap", "seconds": seconds}, f"{number:064x}")
    change_record(folder / "matchers", models={"offline/overlap": {"cost": 0.0321}, "bm25": {}})
    ranking = get(client, "compare", run=run["matchers"])[1]["ranking"]
    assert [column["title"] for column in ranking["columns"]][-2:] == ["Cost, US $", "Seconds a call"]
    figures = {
        row["cells"][0]["text"]: [cell["text"] for cell in row["cells"][-2:]] for row in ranking["rows"]
    }
    assert figures == {"bm25": ["–¹", "–²"], "offline/overlap": ["0.0321", "2.5"]}
    assert "–¹ no price was given (--price)" in ranking["note"]


def test_what_an_address_gets_wrong_is_said(client, run):
    for status, path, parameters, what in (
        (404, "compare", {}, "names no run"),
        (404, "compare", {"run": "../../etc"}, "there is no run '../../etc'"),
        (404, "compare", {"run": run["graded"], "model": "oak"}, "there is no model 'oak'"),
        (422, "compare", {"run": run["graded"], "baseline": "oak"}, "oak"),
        (404, "compare", {"run": run["graded"], "sesoi": "0"}, "smallest difference"),
        (422, "compare", {"run": run["killed.partial"]}, "not complete"),
        (404, "item", {"run": run["graded"], "item": "none"}, "there is no item 'none'"),
        (404, "items", {"run": run["graded"], "limit": "-1"}, "limit is '-1'"),
        (404, "items", {"run": run["graded"], "in": "zzz"}, "in is 'zzz', expected COLUMN=VALUE"),
        (404, "compare", {"run": run["graded"], "primary": "zzz"}, "primary is 'zzz', expected COLUMN=VALUE"),
    ):
        answer = get(client, path, **parameters)
        assert answer[0] == status, parameters
        assert what in answer[1]["error"]
    assert client.get("/assets/..%2f..%2fserver.py", headers=TOKEN).status_code == 404
    assert client.get("/assets/server.py", headers=TOKEN).status_code == 404


def test_logs_of_inspect_show_what_was_asked_and_answered(tmp_path):
    for name in ("strong", "weak"):
        shutil.copy(INSPECT / f"{name}.eval", tmp_path)
    client = client_of(tmp_path)
    both = [entry.id for entry in entries(tmp_path)]
    _, compared = get(client, "compare", run=both)
    models = [one["model"] for one in compared["models"]]
    assert models == ["mockllm/strong", "mockllm/weak"]
    _, found = get(client, "items", run=both, a=models[0], b=models[1], outcome="a")
    _, shown = get(client, "item", run=both, item=found["items"][0]["item"])
    question, expected = (text["text"] for text in shown["texts"])
    right, wrong = (one["answers"][0] for one in shown["models"])
    assert right["answer"] == expected != wrong["answer"]
    assert right["facts"]["includes: why"] == right["answer"]
    assert shown["calls"][0]["messages"][0] == {"role": "user", "content": question}


def test_logs_of_other_harnesses_and_tables_show_question_and_answers(tmp_path):
    for name in ("strong", "weak"):
        shutil.copy(READING / f"deepeval/{name}.json", tmp_path)
    (tmp_path / "t.csv").write_text(
        "model,item,score,question,reference,output\na,1,1,2+2?,4,four\nb,1,0,2+2?,4,five\n"
    )
    client = client_of(tmp_path)
    ids = {entry.path: entry.id for entry in entries(tmp_path)}
    both = [ids["strong.json"], ids["weak.json"]]
    _, shown = get(client, "item", run=both, item="capital")
    assert [text["text"] for text in shown["texts"]] == ["Capital of France?", "Paris"]
    assert [one["answers"][0]["answer"] for one in shown["models"]] == ["Paris", "Rome"]
    assert shown["models"][0]["answers"][0]["facts"] == {"Exact: why": "r"}
    _, shown = get(client, "item", run=ids["t.csv"], item="1")
    assert [text["text"] for text in shown["texts"]] == ["2+2?", "4"]
    answers = [[{"answer": answer, "facts": {}}] for answer in ("four", "five")]
    assert [one["answers"] for one in shown["models"]] == answers
    assert shown["strata"] == {}


def test_a_scoreboard_shows_its_bundles_while_their_file_is_the_one_that_was_scored(stored, tmp_path):
    shutil.copytree(stored / "bundles", tmp_path / "bundles")
    client = client_of(tmp_path)
    ids = {entry.path: entry.id for entry in entries(tmp_path)}
    eval_file = tmp_path / "bundles/eval.jsonl"
    first = json.loads(eval_file.read_text().splitlines()[0])
    item = pl.read_parquet(tmp_path / "bundles/tfidf.scores.parquet")["item"][0]
    _, shown = get(client, "item", run=ids["bundles/tfidf.scores.parquet"], item=item)
    assert [text["name"] for text in shown["texts"]][:3] == ["Anchor", "Positive", "Negative 1"]
    assert len(shown["texts"]) == 2 + len(first["negatives"])
    assert shown["texts"][0]["text"] == first["anchor"]
    eval_file.write_text(eval_file.read_text().replace("def ", "fed "))
    _, shown = get(client, "item", run=ids["bundles/bm25.scores.parquet"], item=item)
    assert (shown["texts"], shown["problems"]) == ([], [])


def test_reading_options_are_for_what_cannot_be_read_without(folder, run):
    (folder / "likert.csv").write_text("model,item,score\na,1,5\na,2,4\nb,1,2\nb,2,1\n")
    (folder / "named.csv").write_text("m,n,s\na,1,55\na,2,40\nb,1,20\nb,2,10\n")
    ids = {entry.path: entry.id for entry in entries(folder)}
    status, answer = get(client_of(folder), "compare", run=ids["likert.csv"])
    assert (status, "such as --limits 1,5" in answer["error"]) == (422, True)
    client = client_of(folder, columns={"model": "m", "item": "n", "score": "s"}, limits=(0, 100))
    for path, mean in (("likert.csv", 4.5), ("named.csv", 47.5)):
        _, compared = get(client, "compare", run=ids[path])
        assert (compared["limits"], compared["models"][0]["mean"]) == ([0, 100], mean)
    # What can be read without them stays as it is.
    _, compared = get(client, "compare", run=ids["graded"])
    assert compared["limits"] == [0, 1]


def test_labelled_items_are_left_out_and_then_there_is_no_verdict(client, folder, run):
    item = "1K-01/V1-1"
    assert note(client, run["graded"], item, "broken", "the text says it").status_code == 200
    assert note(client, run["graded"], "1K-01/V1-6", "note", "look again").status_code == 200
    file = folder / "graded.notes.jsonl"
    assert kept(file)[item] == {"label": "broken", "text": "the text says it"}
    listed = get(client, "notes", run=run["graded"])[1][run["graded"]]
    assert [(one["item"], one["label"]) for one in listed] == [(item, "broken"), ("1K-01/V1-6", "note")]
    _, whole = get(client, "compare", run=run["graded"])
    _, left = get(client, "compare", run=run["graded"], exclude="1")
    assert (whole["items"], left["items"], left["comparison"]["primary"]["left_out"]) == (12, 11, 1)
    assert left["headline"].startswith("No verdict: 1 item was left out after the scores were known")
    assert client.get(f"/api/exclude?run={run['graded']}", headers=TOKEN).text == f"{item}\n"
    assert note(client, run["graded"], item, "", "").status_code == 200
    assert list(kept(file)) == ["1K-01/V1-6"]


def test_notes_are_taken_from_our_own_page_and_of_what_is_there_alone(client, folder, run):
    item = "1K-01/V1-1"
    assert note(client, run["graded"], item, Origin="http://evil.example").status_code == 403
    assert note(client, run["graded"], item, **{"X-Tellapart-Token": "x"}).status_code == 401
    for bad in (
        note(client, run["graded"], "no item"),
        note(client, "../graded", item),
        note(client, run["graded"], item, "wonderful"),
        note(client, run["graded"], item, text="x" * 5_000),
        client.post("/api/notes", content="run=1", headers=TOKEN),
        client.post("/api/notes", content="{", headers=TOKEN | {"Content-Type": "application/json"}),
        client.post("/api/notes", content="[" * 60_000, headers=TOKEN | {"Content-Type": "application/json"}),
        client.post("/api/notes", json=["x" * 70_000], headers=TOKEN),
        client.post("/api/notes", json={"runs": 1}, headers=TOKEN),
        client.post("/api/notes", json={"runs": [run["graded"]], "item": 1, "label": ""}, headers=TOKEN),
        note(client, run["graded"], item, "too long", model="oak"),
        note(client, run["graded"], item, "x" * 61, model="offline/recalls"),
    ):
        assert bad.status_code in (400, 404, 422)
        assert bad.json()["error"]
    assert not list(folder.glob("*.notes.jsonl"))


def test_notes_that_are_written_at_the_same_time_are_all_kept(client, folder, run):
    items = [row["item"] for row in get(client, "items", run=run["graded"])[1]["items"]]
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda item: note(client, run["graded"], item), items))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(kept(folder / "graded.notes.jsonl")) == sorted(items)


def test_a_line_of_the_notes_that_is_none_is_left_out_reported_and_kept(client, folder, run):
    file = folder / "graded.notes.jsonl"
    bad = b'<<<<<<< HEAD\n{"item": 1}\n\xff\n'
    file.write_bytes(b'{"item": "1K-01/V1-6", "label": "note", "text": "again"}\n' + bad)
    (listed,) = get(client, "notes", run=run["graded"])[1][run["graded"]]
    assert listed["text"] == "again"
    _, figures = get(client, "compare", run=run["graded"])
    assert figures["notes"][-1] == "graded.notes.jsonl: lines that hold no note are left out: 3"
    assert note(client, run["graded"], "1K-01/V1-1", "broken").status_code == 200
    assert bad in file.read_bytes()
    assert len(get(client, "notes", run=run["graded"])[1][run["graded"]]) == 2


def test_calls_are_those_of_the_item_alone(client, folder, run):
    questions = ["1#0", "2#1", "11#0", "1-1#0", "m/1#3", "1.0#0", "1#1"]
    with RunDatabase(folder / "graded" / "run.db") as database:
        for before in ("", "1K-01/V1-"):
            for question in questions:
                named = before + question if question.startswith("1#") else question
                database.add("calls", {"question": named})
    (entry,) = (one for one in entries(folder) if one.path == "graded")
    found = [call["question"] for call in Details(entry).of("1")["calls"]]
    assert found == ["1#0", "m/1#3", "1.0#0", "1#1", "m/1#3", "1.0#0"]
    status, shown = get(client, "item", run=run["graded"], item="1K-01/V1-1")
    asked = [call["question"] for call in shown["calls"]]
    assert (status, asked) == (200, ["1K-01/V1-1#0", "1K-01/V1-1#1"])


def test_more_models_than_a_reader_can_wait_for_are_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("tellapart.view.comparing.compare", lambda *_, **__: pytest.fail("it was compared"))
    models = [f"m{i:03d}" for i in range(201)]
    rows = [{"model": model, "item": f"q{j}", "score": j % 2} for model in models for j in range(4)]
    pl.DataFrame(rows).write_csv(tmp_path / "many.csv")
    (entry,) = entries(tmp_path)
    status, answer = get(client_of(tmp_path), "compare", run=entry.id)
    assert status == 422
    assert "201 models make 20,100 pairs, expected at most 20,000, those of 200" in answer["error"]
    assert "&baseline=NAME" in json.dumps(answer)


def test_what_is_no_regular_file_is_named_and_nothing_waits_for_it(client, folder, run, tmp_path):
    (tmp_path / "secret.jsonl").write_text(json.dumps({"item": "i", "label": "note", "text": "secret"}))
    (folder / "graded.notes.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (folder / "judged/scores.parquet").unlink()
    os.mkfifo(folder / "judged/scores.parquet")
    os.mkfifo(folder / "pipe.csv")
    status, answer = get(client, "notes", run=run["graded"])
    assert (status, "links are not followed" in answer["error"]) == (422, True)
    status, answer = get(client, "compare", run=run["judged"])
    assert (status, "scores.parquet is no regular file" in answer["error"]) == (422, True)
    assert "pipe.csv" not in [one["path"] for one in get(client, "runs")[1]["runs"]]


def test_more_runs_than_are_read_at_once_are_refused_before_one_is_read(client, monkeypatch):
    monkeypatch.setattr("tellapart.view.listing.Listing.find", lambda *_: pytest.fail("they were looked for"))
    status, answer = get(client, "compare", run=[f"{n}" for n in range(1_000)])
    assert (status, answer["error"].split(".")[0]) == (422, "1,000 runs at once, expected at most 200")


def test_a_failure_mode_is_of_one_answer_and_is_compared_over_the_items_that_are_all_known(tmp_path):
    rng = np.random.default_rng(1)
    items, right = [f"q{i:03d}" for i in range(120)], {}
    for file, model, rate in (("a.csv", "ash", 0.8), ("b.csv", "birch", 0.4)):
        right[model] = dict(zip(items, rng.random(120) < rate, strict=True))
        part = [(model, item, int(is_right)) for item, is_right in right[model].items()]
        pl.DataFrame(part, schema=["model", "item", "score"], orient="row").write_csv(tmp_path / file)
    client, ids = client_of(tmp_path), [entry.id for entry in entries(tmp_path)]
    labelled = {"ash": {}, "birch": {}}
    for model, item in [(m, item) for m in right for item in items if not right[m][item]][:-5]:
        labelled[model][item] = "wrong unit" if int(item[1:]) % 4 else "refusal"
        body = {"runs": ids, "item": item, "label": labelled[model][item], "text": "", "model": model}
        assert client.post("/api/notes", json=body, headers=TOKEN).status_code == 200
    status, counted = get(client, "modes", run=ids, a="ash", b="birch")
    known = [item for item in items if all(right[m][item] or item in labelled[m] for m in right)]
    expected = {
        mode: [sum(labelled[m].get(item) == mode for item in known) for m in right]
        for mode in ("refusal", "wrong unit")
    }
    assert (status, counted["items"]) == (200, len(known))
    assert counted["unlabelled"] == {"ash": 0, "birch": 5}
    assert {one["mode"]: [one["a"], one["b"]] for one in counted["modes"]} == expected
    unit = next(one for one in counted["modes"] if one["mode"] == "wrong unit")
    a, b = expected["wrong unit"]
    assert unit["holds"]
    assert unit["sentence"].startswith(f"{b / a:.2g} times as frequent in birch (")
    # Each lies beside the run whose answer it is of, and a label that is taken away is gone.
    assert len((tmp_path / "a.csv.notes.jsonl").read_text().splitlines()) == len(labelled["ash"])
    item = next(iter(labelled["birch"]))
    gone = {"runs": ids, "item": item, "label": "", "text": "", "model": "birch"}
    assert client.post("/api/notes", json=gone, headers=TOKEN).status_code == 200
    assert get(client, "modes", run=ids, a="ash", b="birch")[1]["unlabelled"]["birch"] == 6


def test_so_many_scores_are_a_history_and_no_more():
    check_size(200, 100_000)
    with pytest.raises(InputError, match="200 runs of 100,001 items are more than 20,000,000 scores"):
        check_size(200, 100_001)


def test_the_history_of_an_evaluation_names_the_run_at_which_its_score_fell(tmp_path):
    rng = np.random.default_rng(2)
    chances = rng.beta(2, 1, 200)
    for day in range(16):
        share = 0.8 if day >= 10 else 1.0
        rows = [("m", f"q{i}", int(rng.random() < share * chances[i])) for i in range(200)]
        file = tmp_path / f"commit-{day:02d}.csv"
        pl.DataFrame(rows, schema=["model", "item", "score"], orient="row").write_csv(file)
        os.utime(file, (1_800_000_000 + day, 1_800_000_000 + day))
    (tmp_path / "other.csv").write_text("model,item,score\nm,z1,1\nm,z2,0\nm,z3,0\n")
    client, ids = client_of(tmp_path), {entry.path: entry.id for entry in entries(tmp_path)}
    while (runs := get(client, "runs")[1])["busy"]:
        pass
    assert len({one["evaluation"] for one in runs["runs"]}) == 2
    status, history = get(client, "history", run=ids["commit-03.csv"])
    assert (status, history["items"]) == (200, 200)
    assert history["runs"] == [f"commit-{day:02d}.csv" for day in range(16)]
    (line,) = history["lines"]
    assert len(line["points"]) == 16
    ((run, found, text),) = line["drops"]
    assert run == 10
    assert found >= 10
    assert (history["headline"], text.split(" points")[0][:7]) == (text, "m lost ")
    assert " at commit-10.csv" in text


@pytest.mark.process
def test_more_connections_than_descriptors_fill_no_terminal_and_stop_nothing(folder, tmp_path):
    command = f"ulimit -n 64; exec {sys.executable} -m tellapart view {folder} --no-open"
    with (tmp_path / "err").open("wb") as err:
        server = subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, stderr=err, text=True)
    try:
        address = server.stdout.readline().strip()
        port = int(address.partition("/?")[0].rpartition(":")[2])
        many = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(100)]
        time.sleep(1)
        assert (tmp_path / "err").read_text() == "Ctrl-C ends it\n"
        for connection in many:
            connection.close()
        with urlopen(address, timeout=30) as page:
            assert b"view.js" in page.read()
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
