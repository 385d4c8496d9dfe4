"""The real SDK and the program that it brings along, against a server on this machine."""

import asyncio
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from support.loopback import LoopbackServer, Reply, Status, ToolCall
from tellapart.codesearch.explorers.agent import AgentOptions
from tellapart.codesearch.explorers.claude_code import TOOLS
from tellapart.codesearch.explorers.explorer import ExplorerRequest, Issue
from tellapart.codesearch.kinds import load
from tellapart.codesearch.repositories import Repositories
from tellapart.errors import OverBudget, ProviderError
from tellapart.llm.budget import Limits

ISSUE = Issue("c1", "retries wait for ever")
SECRET = "topsecret-4711"


@pytest.fixture
def repositories(tmp_path):
    app = tmp_path / "repos" / "app"
    app.mkdir(parents=True)
    (app / "retry.py").write_text("def retry():\n    return 1\n")
    (app / "wait.py").write_text("from retry import retry\n")
    (app / ".env").write_text(f"KEY={SECRET}\n")
    (tmp_path / "outside.txt").write_text(f"{SECRET}\n")
    return Repositories.open(tmp_path / "repos", ["app"])


def made(repositories, options):
    name = "claude-haiku-4-5"
    return load(
        "explorers", ExplorerRequest(f"claude-code:{name}", name, repositories, Path("index"), limits=options)
    )


@pytest.fixture
def explore(repositories, monkeypatch):
    def run(plan, **options):
        with LoopbackServer(plan) as server:
            for name, value in server.environment().items():
                monkeypatch.setenv(name, value)
            explorer = made(repositories, AgentOptions(**options, parameters={"max_retries": 0}))
            found = asyncio.run(explorer.explore(ISSUE, repositories))
            run.record, run.dollars = explorer.record(), explorer.options.purse.dollars
        return found, server.requests

    return run


def answer(*files):
    return json.dumps({"files": list(files), "reasoning": "They retry."})


def results(requests):
    """What tools gave back, as the last request has it."""
    blocks = [block for message in requests[-1].body["messages"] for block in message["content"]]
    return json.dumps(
        [block for block in blocks if isinstance(block, dict) and block["type"] == "tool_result"]
    )


def test_only_three_tools_that_read_are_offered_and_others_are_not_there(explore):
    calls = (ToolCall("Bash", {"command": "ls"}), ToolCall("Write", {"file_path": "x", "content": "y"}))
    found, requests = explore([Reply("", tool_calls=calls), Reply(answer("app/retry.py"))])
    for request in requests:
        assert sorted(tool["name"] for tool in request.body["tools"]) == sorted(TOOLS)
    assert results(requests).count("No such tool available") == 2
    assert found.files == ("app/retry.py",)


def test_it_reads_the_repositories_and_neither_secrets_nor_anything_outside(explore, tmp_path):
    calls = (
        ToolCall("Grep", {"pattern": "KEY|retry", "output_mode": "content"}),
        ToolCall("Read", {"file_path": str(tmp_path / "outside.txt")}),
        ToolCall("Read", {"file_path": str(tmp_path / "repos" / "app" / ".env")}),
        ToolCall("Grep", {"pattern": SECRET, "path": str(tmp_path)}),
        ToolCall("Glob", {"pattern": "../**/*"}),
        ToolCall("Read", {"file_path": "/etc/hostname"}),
    )
    _, requests = explore([Reply("", tool_calls=calls), Reply(answer("app/retry.py"))])
    told = results(requests)
    assert "retry.py" in told
    assert told.count("may not be read") == 5
    # The pattern that it searched for is its own.
    sent = json.dumps([request.body["messages"] for request in requests]).replace(
        f'"pattern": "{SECRET}"', ""
    )
    assert SECRET not in sent and "KEY=" not in sent


def test_what_it_costs_is_counted_and_stops_it(repositories, monkeypatch):
    options = AgentOptions(parameters={"max_retries": 0}, limits=Limits(max_cost=0.000001))
    with LoopbackServer(lambda _: Reply(answer("app/retry.py"), usage=(1_000, 100))) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        explorer = made(repositories, options)
        first = asyncio.run(explorer.explore(ISSUE, repositories))
        assert options.purse.dollars > 0.000001
        with pytest.raises(OverBudget, match="US dollars are spent"):
            asyncio.run(explorer.explore(ISSUE, repositories))
    assert first.failure is None or (first.failure.cause, first.failure.kind) == ("budget", "max_cost")
    assert len(server.requests) == 1


def test_a_key_that_is_refused_stops_all(explore):
    why = "does not accept the key .* Set ANTHROPIC_API_KEY to a key that it accepts"
    with pytest.raises(ProviderError, match=why):
        explore(lambda _: Status(401, "invalid x-api-key"))


def test_the_program_is_given_the_key_that_it_needs_and_no_other(explore, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-Zq7Lw2Nf9Tb4Rk8Vd3Hm6")
    monkeypatch.setenv("BILLING_PASSWORD", "Nb6Vc2Xz8Lk4Jh1Gf7Ds3")
    seen = []

    def respond(_):
        for started in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                parent = (started / "stat").read_text().rpartition(")")[2].split()[1]
                if parent == str(os.getpid()):
                    seen.append((started / "environ").read_text(errors="replace"))
        return answer("app/wait.py")

    explore(respond)
    given = [environment for environment in seen if "CLAUDE_CODE_ENTRYPOINT=" in environment]
    assert given and all("ANTHROPIC_API_KEY=not-a-key" in environment for environment in given)
    assert not [one for one in given if "Nb6Vc2Xz8Lk4" in one or "sk-proj-Zq7Lw2" in one]
