"""``tellapart longcontext grade``, through the command line."""

import json
from pathlib import Path

import polars as pl
import pytest

from longcontext.grading.judged_lines import lines
from support.loopback import LoopbackServer, Status
from tellapart.readers.labels import with_codes
from tellapart.store import RunDirectory

FIXTURES = Path(__file__).parents[2] / "longcontext" / "fixtures"
ANSWERS, SMOKE = FIXTURES / "answers.txt", FIXTURES / "case_1_smoke_result.json"
CASE, LONG = FIXTURES / "case_1_short.txt", FIXTURES / "case_2_long.txt"
OFFLINE = ("--judge", "offline/compares")


@pytest.fixture
def grade(tmp_path, monkeypatch, tellapart):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return tellapart("longcontext", "grade", *arguments)

    return run


def step(id_, response="37%", **more):
    return {
        "stepId": id_,
        "stepType": "verification" if id_.startswith("V") else "checkpoint",
        "userMessage": "Which?",
        "assistantResponse": response,
        **more,
    }


def write(path, *steps, name="case_1_short", **more):
    path.write_text(json.dumps({"cases": [{"caseName": name, "steps": list(steps), **more}]}))
    return path


def test_by_default_code_grades_what_it_can_and_says_how_the_rest_is_graded(grade, tmp_path):
    ended = grade(SMOKE, "--answers", ANSWERS, "--out", "report.md", "--html", "page.html", "--run", "run")
    assert ended.code == 0, ended.err
    report = (tmp_path / "report.md").read_text()
    assert report.startswith("# Day 8 Experiment Evaluation\n")
    assert report == (tmp_path / "run" / "artifacts" / "report.md").read_text()
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert ended.err.splitlines() == [
        "wrote page.html",
        "wrote report.md",
        "the run is run",
        "3 answers not graded: name a judge with --judge PROVIDER/MODEL, or write them with --to-label "
        "FILE.csv for people to grade",
    ]
    judged = grade(SMOKE, "--answers", ANSWERS, *OFFLINE, "--json")
    graders = [one["grader"] for one in json.loads(judged.out)["cases"]["case_1_short"]]
    assert (graders, "not graded" in judged.err) == (["judge", "judge", "judge", "rules"], False)
    first = "Not to be relied on: 4 of 4 probes came before the context had grown to its length."
    assert " ".join(ended.out.split()).startswith(f"{first} case_1_smoke_result answers 1 of 4 probes right")
    config = RunDirectory.open(tmp_path / "run").record.config
    assert config == {"command": "grade", "grader": "auto", "judge": None}


def test_what_the_judge_failed_on_is_asked_again_by_the_command_that_is_named(grade, monkeypatch):
    judged = (SMOKE, "--answers", ANSWERS, "--grader", "judge", "--judge", "anthropic/j")
    command = (*judged, "--delay", "0.001", "--quiet")
    says = "the judge did not answer for 1 probe(s); to ask it again: the same command with --reuse "
    with LoopbackServer(lambda request: Status(400) if request.number == 2 else lines()) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        first = grade(*command)
        assert first.code == 0, first.err
        (told,) = [line for line in first.err.splitlines() if line.startswith(says)]
        assert "case_1_smoke_result answers 3 of 4 probes right (1 not graded)" in " ".join(first.out.split())
        # It is said again of a grading that is complete.
        assert told in grade(*command).err.splitlines()
        again = grade(*command, "--reuse", told.removeprefix(says))
        assert (again.code, len(server.requests)) == (0, 4)
        assert "--reuse" not in again.err
        assert "case_1_smoke_result answers 4 of 4 probes right" in " ".join(again.out.split())


@pytest.fixture
def two_models(grade, tmp_path):
    """Eight conversations of two models, of which one knows the answers."""
    key = "V1-1 (Recall):\n  A: 37%\nV1-2 (Recall):\n  A: 37%\n"
    (tmp_path / "key.txt").write_text(key)
    message = {"stepId": "M1", "userMessage": "It rose by 37%.", "assistantResponse": "I see."}
    for model, response in {"a": "37%", "b": "No idea."}.items():
        steps = [message, *(step(f"V1-{i}", response, failureMode="Recall") for i in (1, 2))]
        cases = [{"caseName": f"c{i}", "steps": steps, "model": model} for i in range(8)]
        (tmp_path / f"{model}.json").write_text(json.dumps({"cases": cases}))
    ended = grade("a.json", "b.json", "--answers", "key.txt", "--run", "run", "--html", "page.html")
    assert ended.code == 0, ended.err
    return ended


BEATS = "Use a: it beats b by 100 points (95 % interval 26.1 to 100.0)."


def test_the_verdict_comes_first_wherever_a_grading_of_two_models_is_shown(two_models, tellapart, tmp_path):
    assert two_models.out.splitlines()[0] == BEATS
    reported = tellapart("longcontext", "report", "run", "--html", "again.html", "--out", "report.md")
    assert reported.out == two_models.out
    for page in ("page", "again"):
        text = (tmp_path / f"{page}.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
        assert f"<h1>{BEATS.removesuffix('.')}</h1>" in text
        assert f'href="{page}.audit.html"' in text
        assert (tmp_path / f"{page}.audit.html").is_file()
    markdown = (tmp_path / "report.md").read_text()
    assert markdown == (tmp_path / "run" / "artifacts" / "report.md").read_text()
    assert markdown.split("\n## ")[1].startswith(f"Which Models Differ\n\n{BEATS}")


def test_the_report_of_two_prompts_says_that_the_verdict_turns(grade, tellapart, monkeypatch, tmp_path):
    (tmp_path / "key.txt").write_text("V1-1 (Recall):\n  A: By the harbour.\n")
    for model, response in {"a": "By the harbour.", "b": "Near the harbour."}.items():
        cases = [{"caseName": f"c{i}", "steps": [step("V1-1", response)], "model": model} for i in range(12)]
        (tmp_path / f"{model}.json").write_text(json.dumps({"cases": cases}))

    def judges(request):
        prompt = request.messages[0][1]
        return lines("HALLUCINATED" if "Grade strictly" in prompt and "| Near" in prompt else "CORRECT")

    judged = ("a.json", "b.json", "--answers", "key.txt", "--grader", "judge", "--judge", "anthropic/j")
    with LoopbackServer(judges) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        for prompt in ("documented", "lenient", "strict"):
            ended = grade(*judged, "--delay", "0", "--quiet", "--judge-prompt", prompt, "--run", prompt)
            assert ended.code == 0, ended.err
    says = json.loads(tellapart("longcontext", "report", "documented", "strict", "--json").out)["sentences"]
    assert says[0] == "This grading is by anthropic/j."
    assert says[1].startswith("By anthropic/j, strict prompt: Use a: it beats b by 100 points")
    assert says[1].endswith("Both give the same grade to 12 of 24 answers.")
    assert says[2] == "The verdict between models turns with the judge or its prompt: do not rely on it."
    same = json.loads(tellapart("longcontext", "report", "documented", "lenient", "--json").out)["sentences"]
    assert same[2] == "The verdict between models is the same by each."
    write(tmp_path / "c.json", step("V1-1"))
    grade("c.json", "--answers", "key.txt", "--run", "others")
    ended = tellapart("longcontext", "report", "documented", "others")
    assert (ended.code, "it grades other answers than documented" in ended.err) == (2, True)


@pytest.fixture
def sheet(grade, tmp_path):
    """Eighty conversations of two models, half of whose answers code cannot grade; their sheet."""
    (tmp_path / "key.txt").write_text("V1-1 (Recall):\n  A: 37%\nV1-2 (Recall):\n  A: By the harbour.\n")
    for model, place in {"a": "At the quay.", "b": "Near the harbour."}.items():
        answers = [("37%" if model == "a" or i % 3 else "40%", place) for i in range(80)]
        cases = [
            {"caseName": f"c{i}", "model": model, "steps": [step("V1-1", size), step("V1-2", where)]}
            for i, (size, where) in enumerate(answers)
        ]
        (tmp_path / f"{model}.json").write_text(json.dumps({"cases": cases}))
    ended = grade("a.json", "b.json", "--answers", "key.txt", "--to-label", "sheet.csv", "--run", "run")
    assert ended.code == 0, ended.err
    assert "wrote sheet.csv: 280 answers; score each from 0 to 1 in the column human, then: " in ended.err
    return pl.read_csv("sheet.csv", infer_schema=False)


def test_the_filled_sheet_corrects_the_audit_and_the_report_and_agreement_reads_it(sheet, tellapart):
    """People call b right about the places and a wrong, which nobody could decide, and all else as graded."""
    scores = RunDirectory.open(Path("run")).scores().frame
    place = pl.col("item").str.ends_with("V1-2")
    judged = pl.when(place).then((pl.col("model") == "b") * 1.0).otherwise("score")
    truth = with_codes(scores.with_columns(truth=judged))
    filled = sheet.drop("human").join(truth.select("code", human="truth"), on="code")
    filled.write_csv("sheet.csv")
    means = dict(truth.group_by("model").agg(pl.col("truth").mean()).rows())
    audited = json.loads(tellapart("audit", "run", "--human", "sheet.csv", "--json").out)
    (pair,) = audited["comparison"]["primary"]["pairs"]
    assert (pair["verdict"], pair["test"], audited["labels"]["n"]) == ("b>a", "labels", 140)
    low, high = sorted(abs(end) for end in pair["interval"])
    assert low < means["b"] - means["a"] < high
    assert tellapart("longcontext", "report", "run").out.startswith("No verdict for a and b")
    ended = tellapart("longcontext", "report", "run", "--human", "sheet.csv", "--html", "page.html")
    assert ended.out.startswith("Use b: it beats a by 32.7 points")
    assert "Labels by people correct the verdict" in ended.out
    assert "People labelled 280 answers to 140 items" in Path("page.audit.html").read_text()
    ended = tellapart("longcontext", "agreement", "run", "sheet.csv")
    assert ended.out.startswith("People and the grades: kappa 1.00")
    assert "160 labelled, but without a grade" in ended.out
