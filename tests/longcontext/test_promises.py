"""The documented files to the byte: results, grades and reports of scripted runs, an import of each form."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from longcontext.importing.data_sets import locomo, longmemeval, mrcr, nolima, parquet, written

GOLDEN = Path(__file__).parents[1] / "golden" / "longcontext"
TIMES = ("timestamp", "generatedAt", "startedAt", "finishedAt", "generated_at")
CASE = """name: trip
system: Be brief.
intended_tokens: 2000-3000
steps:
- message: M1
  text: We booked room 214 for 3 nights.
  reply: Noted.
- message: M2
  session: S2
  date: 2024-05-01
  text: The train leaves at 14:30.
- checkpoint: C1-1
  failure_mode: Recall
  text: Which room did we book?
  expected: "214"
- message: M3
  text: Stop here.
- verification: V1-1
  failure_mode: Recall
  text: When does the train leave?
  expected: "14:30"
  intended_tokens: 2000
"""
SYSTEM = """
class Assistant:
    def reply(self, message, id):
        if id == "M3":
            raise ValueError("no memory is left")
        steps = [{"name": "recall", "arguments": {"k": 1}, "result": "214"}]
        usage = {"prompt_tokens": 9, "completion_tokens": 3}
        return {"content": "It is 214.", "usage": usage, "steps": steps} if id == "C1-1" else "Noted."
"""


def check(name, text):
    path = GOLDEN / name
    if os.environ.get("RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def steady(path):
    """The text of a JSON file, without times and places."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(
        f"{line.partition(':')[0]}: 0,\n" if line.strip().startswith(tuple(f'"{t}"' for t in TIMES)) else line
        for line in lines
    )


@pytest.fixture
def made(tmp_path, monkeypatch, tellapart):
    monkeypatch.chdir(tmp_path)
    Path("trip.yaml").write_text(CASE)
    Path("assistants.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)

    def run(*arguments):
        ended = tellapart("longcontext", *arguments)
        assert ended.code == 0, ended.err
        return ended

    return run


def test_the_results_of_a_model_of_a_fork_and_of_an_assistant_that_fails(made):
    models = ("--model", "offline/recalls", "--model", "python:assistants:Assistant")
    made("run", "trip.yaml", *models, "--run", "played", "--quiet")
    check("results.json", steady(Path("played/artifacts/experiment-results.json")))
    again = ("--model", "offline/recalls", "--fork-probes", "--target-tokens", "90", "--quiet")
    made("run", "trip.yaml", *again, "--run", "forked")
    check("results_forked.json", steady(Path("forked/artifacts/experiment-results.json")))
    made("run", "trip.yaml", "--model", "offline/recalls", "--control", "oracle", "--quiet", "--run", "alone")
    check("results_oracle.json", steady(Path("alone/artifacts/experiment-results.json")))
    ended = made("grade", "played", "--cases", "trip.yaml", "--run", "graded", "--json", "--out", "report.md")
    check("grades.json", ended.out)
    check("record.json", steady(Path("graded/artifacts/grades.json")))
    text = Path("report.md").read_text()
    check("report.md", "".join(x for x in text.splitlines(True) if not x.startswith("Generated: ")))


def test_a_generated_run(made):
    tasks = "needles,multi-key,variables,common-words,contradiction,event-order,distribution"
    how = ("--lengths", "1K", "--conversations", "1", "--depths", "0,100", "--tasks", tasks)
    made("generate", "--out", "made", *how)
    hashes = {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(Path("made").iterdir())}
    check("generated.json", json.dumps(hashes, indent=1) + "\n")


def test_an_import_of_each_form(made, tmp_path):
    (tmp_path / "book.txt").write_text("A sentence is here. " * 400)
    forms = {
        "longmemeval": (written(tmp_path / "longmemeval_s.json", [longmemeval()]), ()),
        "locomo": (written(tmp_path / "locomo10.json", [locomo()]), ()),
        "mrcr": (parquet(tmp_path / "2needle_0.parquet", [mrcr()]), ()),
        "nolima": (
            written(tmp_path / "set.json", [nolima()]),
            ("--haystack", "book.txt", "--lengths", "1K", "--depths", "0,100"),
        ),
    }
    for form, (path, more) in forms.items():
        ended = made("import", path.name, "--out", form, "--json", *more)
        record = json.loads(ended.out)
        if form == "mrcr":
            # Parquet of other versions has other bytes.
            record["sha256"] = None
        check(f"import_{form}.json", json.dumps(record, indent=1) + "\n")
        first = sorted(Path(form).iterdir())[0]
        check(f"import_{form}.yaml", first.read_text().replace(json.loads(ended.out)["sha256"], "0" * 64))
