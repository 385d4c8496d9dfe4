"""An object of Python as a system under test."""

import asyncio
import sys
import time

import pytest

from tellapart.errors import UsageError
from tellapart.llm.calls import Turn, TurnFacts
from tellapart.llm.system_sessions import PythonSession, TurnFailed
from tellapart.llm.systems import System, factory_of, python_system


def turn(text, id="M1", **facts):
    return Turn("case", text, None, "be brief", TurnFacts(id, **facts))


def talk(factory, *turns, timeout=20.0):
    """What an object replies until a turn fails."""
    system = System("python:m:f", "python:m:f", turn_timeout_s=timeout)

    async def hold():
        session = PythonSession(system, factory, "case-e1")
        found = []
        try:
            for one in turns:
                found.append(await session.say(one))
        except TurnFailed as error:
            found.append(error.failure)
        await session.close()
        return found

    return asyncio.run(hold())


class Plain:
    def __init__(self):
        self.heard = []

    def reply(self, message):
        self.heard.append(message)
        return f"{len(self.heard)} {self.heard[0]}"


class Curious:
    """Takes all that there is to be known, and waits."""

    def __init__(self, session, system):
        self.known = [session, system]

    async def reply(self, message, *, id, date=None, **others):
        await asyncio.sleep(0)
        return {"content": f"{message} {self.known} {id} {date} {others}", "steps": [{"name": "wait"}]}

    async def remember(self, message, reply):
        self.known.append(reply)


def test_an_object_keeps_what_it_was_told():
    first, second = talk(Plain, turn("one"), turn("two"))
    assert (first["reply"], second["reply"]) == ("1 one", "2 one")


def test_an_object_is_given_what_it_takes_and_may_be_asynchronous():
    history = turn("old", "M1", type="history", reply="then")
    shown, asked = talk(Curious, history, turn("new", "V1", type="probe", date="May"))
    assert shown["reply"] == "then"
    others = {"type": "probe", "session": None}
    assert asked["reply"] == f"new {['case-e1', 'be brief', 'then']} V1 May {others}"
    assert asked["steps"] == [{"name": "wait", "arguments": None, "result": None}]


class Slow(Plain):
    def reply(self, message):
        time.sleep(0.5)


class Raises(Plain):
    def __init__(self, error):
        self.error = error

    def reply(self, message):
        raise self.error


class Gives(Plain):
    def __init__(self, value):
        self.value = value

    def reply(self, message):
        return self.value


DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]
UNWRITABLE = {"content": "ok", "steps": [{"name": "look", "result": object()}]}


@pytest.mark.parametrize(
    ("made", "cause", "kind", "words"),
    [
        (Raises(SystemExit(3)), "provider", "raised", "raised at M1: RuntimeError: it called sys.exit(3)"),
        (Raises(KeyboardInterrupt()), "provider", "raised", "it raised KeyboardInterrupt"),
        (sys.exit, "provider", "raised", "the factory raised at M1: RuntimeError: it called sys.exit("),
        (Gives("x" * 5_000_000), "parse", "schema", "with 5,000,015 characters, expected 4,194,304"),
        (Gives({"content": "x", "steps": DEEP}), "parse", "schema", "kept as JSON: nested too deep"),
        (Slow, "timeout", "timeout", "no reply to M1 within 0.1 s"),
        (Raises(KeyError("no memory")), "provider", "raised", "reply() raised at M1: KeyError: 'no memory'"),
        (Gives(5), "parse", "not_json", "replied to M1 with what is no JSON object: '5'; expected"),
        (Gives(UNWRITABLE), "parse", "schema", "the reply to M1 cannot be kept as JSON"),
        (dict, "provider", "raised", "the factory raised at M1: TypeError: it gave dict, which has no reply"),
    ],
)
def test_what_an_object_does_wrong_is_a_failure_in_words(made, cause, kind, words):
    factory = made if callable(made) else lambda: made
    (failure,) = talk(factory, turn("one"), turn("two"), timeout=0.1 if made is Slow else 20.0)
    assert (failure.cause, failure.kind) == (cause, kind)
    assert words in failure.detail


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "assistant_of_a_test.py"
    sys.modules.pop("assistant_of_a_test", None)


def test_a_module_of_the_working_directory_is_found_and_fingerprinted(module):
    module.write_text("build = dict\n")
    system = python_system("python:assistant_of_a_test:build")
    assert factory_of(system.target) is dict
    module.write_text("build = list\n")
    assert python_system("python:assistant_of_a_test:build").requested() != system.requested()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1/0", "importing 'assistant_of_a_test' raised ZeroDivisionError: division by zero"),
        ("def build_it(): ...", "has no function 'build'.*Did you mean 'build_it'"),
        ("build = 5", "has no function 'build'"),
    ],
)
def test_a_factory_that_is_none_is_named(module, text, problem):
    module.write_text(text)
    with pytest.raises(UsageError, match=problem):
        python_system("python:assistant_of_a_test:build")
