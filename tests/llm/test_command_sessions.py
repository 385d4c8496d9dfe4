"""A program as a system under test: what it is sent, what is made of what it does, and how it ends."""

import asyncio
import gc
import json
import os
import sys
import warnings
from pathlib import Path

import pytest

from tellapart.errors import UsageError
from tellapart.llm import system_sessions
from tellapart.llm.calls import Turn, TurnFacts
from tellapart.llm.conversation import reply_of_call
from tellapart.llm.system_sessions import CommandSession, TurnFailed
from tellapart.llm.systems import System, command_system

ASSISTANT = Path(__file__).parents[1] / "longcontext" / "fixtures" / "assistant.py"

pytestmark = pytest.mark.process


def system(how="well", timeout=20.0):
    return System("it", f"{sys.executable} {ASSISTANT} {{session}} {how}", turn_timeout_s=timeout)


def turn(text, id="M1", after=None, **facts):
    return Turn("case", text, after, "be brief", TurnFacts(id, **facts))


async def hold(how, *, timeout=20.0, turns=("one", "two", "three")):
    """What a program replies to turns until one fails, and its process."""
    session = await CommandSession.start(system(how, timeout), how, Path("logs") / f"{how}.log")
    found = []
    try:
        for i, text in enumerate(turns, 1):
            found.append(await session.say(turn(text, f"M{i}", after=None if i == 1 else "key")))
    except TurnFailed as error:
        found.append(error.failure)
        await session.close(at_once=True)
    else:
        await session.close()
    return found, session._process


def test_each_turn_is_a_line_and_has_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def talk():
        session = await CommandSession.start(system(), "case-e1", tmp_path / "logs" / "log")
        calls = [
            await session.say(turn("naïve\n\ud800", session="S1", date="2024-05-01")),
            await session.say(turn("old", "M2", "key", type="history", reply="then")),
            await session.say(turn("what?", "V1", "key", type="probe")),
        ]
        await session.close()
        return calls

    calls = asyncio.run(talk())
    heard = [json.loads(line) for line in Path("case-e1.heard").read_text().splitlines()]
    at, says = {"conversation": "case-e1"}, {"system": "be brief", "content": "naïve\n\ud800"}
    assert heard == [
        {"type": "message", "id": "M1", "session": "S1", "date": "2024-05-01", **at, **says},
        {"type": "history", "id": "M2", "content": "old", "reply": "then", **at},
        {"type": "probe", "id": "V1", "content": "what?", **at},
    ]
    assert calls[1]["reply"] == "then"
    reply = reply_of_call({**calls[2], "session": "case-e1", "attempts": 0})
    # Half a surrogate pair, which the program gave back, is no letter in any file that we read.
    assert (reply.text, reply.status) == ("3: naïve\n\ufffd", None)
    assert (reply.tokens.prompt, reply.tokens.completion) == (9, 3)
    assert [dict(call)["name"] for call in reply.tool_calls] == ["recall"]
    assert (tmp_path / "logs" / "log").read_text() == "I am case-e1\n"


# What it does at its second turn, the cause and the kind that this is, and what the message must say.
FAILURES = {
    "dies": ("provider", "exited", "exit code 1 before it replied to M2, with", "out of memory"),
    "ends": ("provider", "exited", "exit code 0 before it replied to M2", "I am ends"),
    "breaks-off": ("provider", "exited", "before it replied to M2"),
    "silent": ("timeout", "timeout", "no reply to M2 within 5 s", "--timeout"),
    "floods": ("parse", "too_long", "more than 4,194,304 bytes", "M2"),
    "prints": ("parse", "not_json", "'DEBUG: thinking'", "A program writes everything else to stderr"),
    "list": ("parse", "not_json", "'[1]'"),
    "misspells": ("parse", "schema", "the key 'text' is not known", "content, id, usage, steps, error"),
    "nothing": ("parse", "schema", "neither 'content' nor 'error'"),
    "counts-badly": ("parse", "schema", "'usage.prompt_tokens' is -1"),
    "admits": ("provider", "reported", "an error at M2: no credit is left"),
    "mixes-up": ("parse", "schema", "replied to 'M1' where 'M2' was asked"),
}


def test_what_a_program_does_wrong_is_a_failure_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def all_of_them():
        # Where many processes start at once, the first turn alone takes a while.
        patience = {"silent": 5.0}
        return await asyncio.gather(*(hold(how, timeout=patience.get(how, 60.0)) for how in FAILURES))

    for (how, (cause, kind, *words)), (found, process) in zip(
        FAILURES.items(), asyncio.run(all_of_them()), strict=True
    ):
        assert len(found) == 2, how
        assert (found[1].cause, found[1].kind) == (cause, kind), how
        assert [word for word in words if word not in found[1].detail] == [], found[1].detail
        assert process.returncode is not None, how


def test_a_line_too_many_is_no_reply_to_the_next_turn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, _ = asyncio.run(hold("talks"))
    assert found[1]["reply"] == "ok"
    assert found[2].kind == "schema"
    assert "more than one line to the turn before M3" in found[2].detail


def test_a_program_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(system_sessions, "END_S", 0.2)
    found, process = asyncio.run(hold("stubborn"))
    assert [call["reply"] for call in found] == ["1: one", "2: one", "3: one"]
    assert process.returncode == -9
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_a_child_in_a_session_of_its_own_that_holds_the_pipes_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(system_sessions, "END_S", 0.5)
    child = "import subprocess as s, time; s.Popen(['sleep', '30'], start_new_session=True)"
    program = tmp_path / "program.py"
    program.write_text(
        f"{child}\nfor line in __import__('sys').stdin: print('{{\"content\": 1}}', flush=True)"
    )

    async def talk():
        it = System("it", f"{sys.executable} {program}", turn_timeout_s=20.0)
        session = await CommandSession.start(it, "s", tmp_path / "log")
        await session.close()

    # What other tests left is not what this one looks at.
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(talk())
        gc.collect()


def test_a_program_that_cannot_be_started_is_named(tmp_path):
    (tmp_path / "data.txt").write_text("no program")

    async def start():
        await CommandSession.start(System("x", str(tmp_path / "data.txt")), "s", tmp_path / "log")

    with pytest.raises(UsageError, match="cannot be started.*Permission denied"):
        asyncio.run(start())


@pytest.mark.parametrize(
    ("command", "problem"), [("", "expected a program"), ("a 'b", "No closing quotation")]
)
def test_what_is_no_command_is_refused(command, problem):
    with pytest.raises(UsageError, match=problem):
        command_system(command, name=None)


def test_a_command_is_its_first_word_and_the_files_that_it_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("1")
    before = command_system("/usr/local/bin/mine a.py --session {session}", name=None)
    assert before.name == "mine"
    assert before.words("s 1") == ["/usr/local/bin/mine", "a.py", "--session", "s 1"]
    Path("a.py").write_text("2")
    after = command_system("/usr/local/bin/mine a.py --session {session}", name=None)
    assert before.requested() != after.requested()
