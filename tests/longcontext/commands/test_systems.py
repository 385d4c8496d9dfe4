"""``tellapart longcontext run`` with assistants that keep the history themselves."""

import json
import sys
from pathlib import Path

import pytest

from longcontext.commands.test_run import ANSWERS, SMALL
from tellapart.longcontext.reading import read_results

ASSISTANT = Path(__file__).parents[1] / "fixtures" / "assistant.py"
COMMAND = f"{sys.executable} {ASSISTANT} {{session}}"
RESULTS = "artifacts/experiment-results.json"
RECORDED = """name: recorded
steps:
- message: M1
  session: S1
  date: 2023-05-20
  text: I moved to Oslo.
  reply: How nice.
- message: M2
  session: S2
  date: 2023-06-01
  text: My cat is called Miso.
- verification: V1
  session: S2
  text: Where do I live?
  expected: Oslo
"""


@pytest.fixture
def play(tellapart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        Path(f"{name}.txt").write_text(SMALL)
    Path("answers.txt").write_text(ANSWERS)

    def run(*arguments, cases=("one.txt",)):
        return tellapart("longcontext", "run", *cases, *arguments)

    return run


def heard(session):
    return [json.loads(line) for line in Path(f"{session}.heard").read_text().splitlines()]


def steps(path):
    return [step for case in json.loads(path.read_text())["cases"] for step in case["steps"]]


def test_an_assistant_plays_each_conversation_in_a_process_of_its_own(play, tellapart):
    ended = play(
        *("--command", COMMAND, "--name", "mine", "--epochs", 2, "--run", "run"), cases=("one.txt", "two.txt")
    )
    assert ended.code == 0, ended.err
    sessions = sorted(path.stem for path in Path().glob("*.heard"))
    assert [name[:7] for name in sessions] == ["one-e1-", "one-e2-", "two-e1-", "two-e2-"]
    for session in sessions:
        turns = heard(session)
        assert [turn["id"] for turn in turns] == ["M1", "C1-1", "M2", "V1-1"]
        assert [turn["type"] for turn in turns] == ["message", "probe", "message", "probe"]
        assert {turn["conversation"] for turn in turns} == {session}
        assert ["system" in turn for turn in turns] == [True, False, False, False]
        assert Path("run/artifacts/systems", f"{session}.stderr.log").read_text() == f"I am {session}\n"
    results = read_results(Path("run"))
    assert [(case.model, case.name, case.epoch) for case in results.cases] == [
        *[("mine", "one", 0), ("mine", "one", 1), ("mine", "two", 0), ("mine", "two", 1)]
    ]
    probe = steps(Path("run", RESULTS))[1]
    assert probe["assistantResponse"] == "2: Zhang (2019) enrolled 342 adults."
    assert probe["steps"][0]["name"] == "recall"
    assert (probe["usage"]["prompt_tokens"], probe["httpStatus"]) == (9, None)
    # 9 tokens of every prompt would be a conversation that is cut at every step, if they were all of it.
    graded = tellapart(
        "longcontext", "grade", "run", "--answers", "answers.txt", "--out", "r.md", "--run", "graded"
    )
    assert graded.code == 0, graded.err
    linted = tellapart("longcontext", "lint", "--results", "run", "--answers", "answers.txt", "--json")
    assert "silently truncated" not in linted.out
    assert linted.out.count("unknown, not clean") == 4
    before = Path("run", RESULTS).read_bytes()
    again = play("--model", "replay:run", "--epochs", 2, "--run", "again", cases=("one.txt", "two.txt"))
    assert again.code == 0, again.err
    assert Path("again", RESULTS).read_bytes() == before


def test_sessions_dates_and_what_was_said_before_reach_an_assistant(play):
    Path("recorded.yaml").write_text(RECORDED)
    ended = play("--command", COMMAND, "--run", "run", cases=("recorded.yaml",))
    assert ended.code == 0, ended.err
    (file,) = Path().glob("*.heard")
    history, message, probe = heard(file.stem)
    assert (history["type"], history["reply"], history["date"]) == ("history", "How nice.", "2023-05-20")
    assert (message["type"], message["session"], message["date"]) == ("message", "S2", "2023-06-01")
    assert (probe["type"], probe["session"], "date" in probe) == ("probe", "S2", False)
    given, told, asked = steps(Path("run", RESULTS))
    assert (given["given"], given["assistantResponse"]) == (True, "How nice.")
    assert "given" not in told
    assert asked["conversationLength"] == 6
