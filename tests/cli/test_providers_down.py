"""A provider that fails, from the user's seat: exit code 2, and a command that goes on as pasted."""

import shlex

import pytest

pytest.importorskip("inspect_ai")

from support.loopback import LoopbackServer, Status
from tellapart.offline.contrastive import honest_judge, overlap
from writers.planted import planted_bench

MODEL = "openai/gpt-4o"
ONE_BY_ONE = ("--max-connections", 1, "--max-retries", 0, "--max-failures", 3)


COMMANDS = {
    "run": (
        lambda bench: ("contrastive", "run", bench, "--llm", MODEL, "--out", "with blank", *ONE_BY_ONE),
        lambda request: overlap(request.prompt),
    ),
    "judge": (
        lambda bench: ("writers", "judge", bench.parent / "planted", "--judge", MODEL, *ONE_BY_ONE),
        lambda request: honest_judge(request.prompt),
    ),
}
"""What is typed, given the place of a benchmark, and who answers well."""

ENDS = {"revoked midway": (2, Status(401, "revoked")), "no server": (0, Status(500, "down"))}
"""After how many good replies there are none, and what there is then."""


@pytest.fixture
def place(tiny_bench, tmp_path, monkeypatch):
    """A directory with what every command reads; a benchmark in it."""
    planted_bench(tmp_path / "planted")
    monkeypatch.chdir(tmp_path)
    return tiny_bench


def stop_and_go_on(tellapart, place, monkeypatch, command, end):
    """Run a command against a server that fails, and then what it printed against one that does not."""
    typed, good = COMMANDS[command]
    first, bad = ENDS[end]
    up = []

    def respond(request):
        return good(request) if up or request.number <= first else bad

    with LoopbackServer(respond) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        stopped = tellapart(*typed(place))
        calls = len(server.requests)
        up.append(True)
        printed = [line for line in stopped.err.splitlines() if line.startswith("to go on: tellapart ")]
        going_on = (
            tellapart(*shlex.split(printed[0].removeprefix("to go on: tellapart "))) if printed else None
        )
    return stopped, calls, going_on


@pytest.mark.parametrize(("command", "end"), [("run", "no server"), ("judge", "revoked midway")])
def test_a_command_that_is_stopped_goes_on_as_pasted(tellapart, place, monkeypatch, command, end):
    stopped, calls, going_on = stop_and_go_on(tellapart, place, monkeypatch, command, end)
    assert (stopped.code, stopped.out) == (2, ""), stopped.err
    expected = "does not accept the key (401 " if end == "revoked midway" else "3 calls in a row brought no "
    assert expected in stopped.err
    assert calls <= 3
    assert going_on is not None and going_on.code == 0, going_on
