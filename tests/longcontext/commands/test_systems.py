"""``tellapart longcontext run`` with assistants that keep the history themselves."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longcontext.commands.test_run import ANSWERS, SMALL
from nursery import Nursery
from tellapart.llm.systems import command_system
from tellapart.longcontext.reading import read_case, read_results
from tellapart.longcontext.run import RunRequest, run_cases

ASSISTANT = Path(__file__).parents[1] / "fixtures" / "assistant.py"
SOURCE = str(Path(__file__).parents[3] / "src")
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


def test_a_control_asks_each_probe_in_a_session_of_its_own(play):
    ended = play("--command", COMMAND, "--control", "closed-book", "--run", "run")
    assert ended.code == 0, ended.err
    assert [len(heard(path.stem)) for path in Path().glob("*.heard")] == [1, 1]


def test_what_fails_is_missing_with_its_cause_and_asked_again_with_reuse(play):
    ended = play("--command", f"{COMMAND} dies", "--run", "run")
    assert ended.code == 0
    assert "1 of 2 steps have no response (provider 1)" in ended.err
    assert "exit code 1 before it replied to C1-1" in ended.err
    played = steps(Path("run", RESULTS))
    assert [step.get("cause") for step in played] == [None, "provider"]
    assert "out of memory" in played[1]["errorMessage"]
    play("--command", f"{COMMAND} dies", "--run", "again", "--reuse", "run")
    assert [step.get("cause") for step in steps(Path("again", RESULTS))] == [None, "provider"]


def test_an_empty_reply_to_a_probe_is_missing_and_the_conversation_goes_on(play):
    ended = play("--command", f"{COMMAND} empty", "--run", "run")
    assert ended.code == 0
    assert [step.get("cause") for step in steps(Path("run", RESULTS))] == [None, "parse", None, None]


def test_an_object_of_python_plays(play, monkeypatch):
    # Put back, and so forgotten, when the test ends.
    monkeypatch.setitem(sys.modules, "my_memory", sys)
    monkeypatch.delitem(sys.modules, "my_memory")
    Path("my_memory.py").write_text(
        "class Memory:\n"
        "    def __init__(self):\n        self.heard = []\n"
        "    async def reply(self, message):\n"
        "        self.heard.append(message)\n        return f'{len(self.heard)}: {self.heard[0]}'\n"
    )
    ended = play("--model", "python:my_memory:Memory", "--run", "run")
    assert ended.code == 0, ended.err
    replies = [step["assistantResponse"] for step in steps(Path("run", RESULTS))]
    assert replies == [f"{i}: Zhang (2019) enrolled 342 adults." for i in (1, 2, 3, 4)]


def test_a_run_may_be_begun_where_an_event_loop_runs_as_in_a_notebook(play):
    system = command_system(COMMAND, name="mine")

    async def cell():
        return run_cases(RunRequest([read_case(Path("one.txt"))], [system]), out=Path("run"))

    run = asyncio.run(cell())
    assert [step.response is not None for case in read_results(run.path).cases for step in case.steps] == [
        *[True] * 4
    ]


@pytest.mark.process
def test_without_the_extra_an_assistant_plays(play):
    packages = ("inspect_ai", "anthropic", "openai", "anyio", "tenacity", "httpx")
    words = ["tellapart", "longcontext", "run", "one.txt", "--command", COMMAND, "--run", "run", "--quiet"]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({packages!r})); sys.argv = {words!r}; "
        "from tellapart.cli.main import main; main()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": SOURCE})
    assert len(steps(Path("run", RESULTS))) == 4


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "nobody is named who is to answer"),
        (("--command", "no-such-program-here {session}"), "there is no such program"),
        (("--command", COMMAND, "--fork-probes"), "no probe can be asked from a snapshot"),
        (("--command", COMMAND, "--command", COMMAND), "is named twice"),
        (("--command", COMMAND, "--name", "a", "--name", "b"), "--name is given 2 times"),
        (("--command", COMMAND, "--temperature", "1"), "this has no effect: --temperature"),
        (("--model", "offline/recalls", "--turn-timeout", "5"), "no assistant is played"),
        (("--model", "python:no_such_module_here:f"), "there is no module"),
        (("--command", COMMAND, "--max-cost", "1"), "--max-cost needs to know what tokens cost"),
    ],
)
def test_what_cannot_work_stops_at_once(play, arguments, problem):
    ended = play(*arguments, "--run", "run")
    assert ended.code == 2
    assert problem in ended.err
    assert not Path("run").exists()
    assert not list(Path().glob("*.heard"))


def test_a_dry_run_starts_nothing(play):
    ended = play("--command", COMMAND, "--dry-run")
    assert ended.code == 0, ended.err
    assert "an assistant is sent each turn alone" in ended.err
    assert not list(Path().glob("*.heard"))


def test_a_budget_counts_what_an_assistant_reports(play):
    # A reply is taken to have 2,000 tokens at most, which is 2 dollars; of the first two one is counted.
    ended = play("--command", COMMAND, "--name", "mine", "--price", "1000,1000", "--max-cost", "2.02")
    assert ended.code == 1
    assert "mine has finished 0 of 1 conversations" in ended.err


def test_an_assistant_that_does_not_count_its_tokens_has_no_cost(play):
    Path("one.txt").write_text("=== MESSAGE 1 ===\nNote this.\n\n=== MESSAGE 2 ===\nAnd this.\n")
    ended = play("--command", COMMAND, "--name", "mine", "--price", "3,15,0.3", "--run", "run")
    assert ended.code == 0, ended.err
    assert "came from a cache" not in ended.err
    assert " US dollars" not in ended.err
    asked = json.loads(Path("run/run.json").read_text())["models"]["mine"]
    assert (asked["calls"], asked["input_tokens"], asked["cost"]) == (2, 0, None)
    assert "cached_tokens" not in asked


def test_a_dry_run_counts_on_caches_for_models_and_not_for_assistants(play, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = "The trial enrolled 342 adults. " * 200
    Path("one.txt").write_text(f"=== MESSAGE 1 ===\n{text}\n\n=== MESSAGE 2 ===\n{text}\n")
    assistant = ("--command", COMMAND, "--name", "mine", "--price", "3,15,0.3", "--dry-run")
    alone = play(*assistant)
    assert alone.code == 0, alone.err
    assert "With caching" not in alone.out
    both = play(*assistant, "--model", "anthropic/m")
    assert both.code == 0, both.err
    rows = {words[0]: words for words in map(str.split, both.out.splitlines()) if words}
    assert rows["anthropic/m"][-2] == "2,048"
    # The second of its turns is the first again, and would be found in a cache of the whole prompt.
    assert rows["mine"][-2] == "0"


def test_killed_it_begins_unfinished_conversations_again_and_no_other(play, parent, tmp_path):
    nursery = Nursery(parent, None, tmp_path, "tellapart.longcontext.run")
    for name in ("three", "four", "five"):
        Path(f"{name}.txt").write_text(SMALL)
    names = ("one", "two", "three", "four", "five")
    command = ("longcontext", "run", *(f"{name}.txt" for name in names))
    command = (*command, "--command", f"{COMMAND} slow", "--max-connections", 1, "--run", tmp_path / "run")

    def begun():
        return sorted(path.stem for path in tmp_path.glob("*.heard"))

    for how, code, conversations in ((signal.SIGKILL, -9, 2), (signal.SIGINT, 130, 4)):
        pid = nursery.begin(*command)
        deadline = time.monotonic() + 60
        while len(begun()) < conversations:
            assert time.monotonic() < deadline, nursery.said()
            time.sleep(0.002)
        os.kill(pid, how)
        assert nursery.ended() == code, nursery.said()
    nursery.begin(*command)
    assert nursery.ended() == 0, nursery.said()
    assert "Traceback" not in nursery.said()
    # Four turns in every conversation that was whole; those that were not have been begun with another name.
    whole = [name for name in begun() if len(heard(name)) == 4]
    assert sorted(name.split("-")[0] for name in whole) == sorted(names)
    assert 5 < len(begun()) <= 7
    again = {name for name in whole if name.rsplit("-", 1)[1] == "2"}
    assert {name.removesuffix("-2") for name in again} == set(begun()) - set(whole)
    assert [step["httpStatus"] for step in steps(tmp_path / "run" / RESULTS)] == [None] * 20
    # What was killed had no time to end its program; it ends when its stdin is closed.
    deadline = time.monotonic() + 10
    while _running(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _running(tmp_path) == []


def _running(directory):
    """Processes that run in a directory, but for this one and its parents."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").resolve() == directory and b"assistant.py" in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found
