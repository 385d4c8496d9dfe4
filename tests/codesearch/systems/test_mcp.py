import asyncio
import os
import socket
import subprocess
import sys
import time

import pytest
from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations

from codesearch.systems.searched import request, searched
from codesearch.systems.test_http import service
from tellapart.codesearch.case import Conversation
from tellapart.codesearch.systems import mcp
from tellapart.codesearch.systems.mcp import Target, arguments_of, choose_tool, parse_target
from tellapart.codesearch.systems.system import load_system
from tellapart.errors import MissingExtra, UsageError

# A server as people write one, with what may go wrong.
SERVER = """
import os, sys
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("search")

@server.tool()
def search(query: str, path: str, limit: int = 5) -> list[dict]:
    '''Files that an issue is about.'''
    if query == "bad":
        raise ToolError("no such index")
    if query == "die":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    return [{"path": f"{path}/a/pins.py", "line": limit}, {"path": str(os.getpid())}]

@server.tool()
def find_nothing(query: list[str]) -> str:
    return "No matches found"

server.run(*sys.argv[1:2], **({"port": int(sys.argv[2])} if sys.argv[2:] else {}))
"""


@pytest.fixture
def server(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    return f"{sys.executable} {tmp_path / 'server.py'}"


def test_one_server_is_asked_for_all_issues_and_started_again_where_it_dies(tmp_path, server):
    async def search():
        system = load_system(request(tmp_path, f"mcp:{server}", top_k=3, timeout_s=60))
        issues = [Conversation("c", issue) for issue in ("pins", "feed", "bad", "die", "board")]
        try:
            together = await asyncio.gather(*map(system.search, issues[:3]))
            return [*together, *await asyncio.gather(*map(system.search, issues[3:]))]
        finally:
            await system.close()

    first, second, bad, died, after = asyncio.run(search())
    assert first.output[0] == {"path": f"{tmp_path}/code/a/pins.py", "line": 3}
    assert first.output == second.output  # The same process.
    assert bad.kind == "reported" and "no such index" in bad.detail
    assert died.kind == "connection" and "out of memory" in died.detail
    assert after.output[0] == first.output[0] and after.output[1] != first.output[1]
    for process in (first, after):
        with pytest.raises(ProcessLookupError):
            os.kill(int(process.output[1]["path"]), 0)


def test_a_running_server_is_asked_over_http(tmp_path, server, monkeypatch):
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")  # Not for what is on this machine.
    monkeypatch.delenv("no_proxy", raising=False)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*server.split(), "streamable-http", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port)
        (answer,) = searched(
            tmp_path, f"mcp:http://127.0.0.1:{port}/mcp#search?limit=9", "pins", timeout_s=30
        )
        named = f'mcp:http://127.0.0.1:{port}/mcp#find_nothing?query=["{{issue}}"]'
        (none,) = searched(tmp_path, named, 'the "pins"', timeout_s=30)
        (lost,) = searched(tmp_path, f"mcp:http://127.0.0.1:{port}/nowhere", "pins", timeout_s=30)
    finally:
        process.kill()
        process.wait()
    assert answer.output[0] == {"path": f"{tmp_path}/code/a/pins.py", "line": 9}
    assert none.output == [] and none.notes == ("the tool's reply is taken as no match: 'No matches found'",)
    assert (lost.cause, lost.kind) == ("provider", "connection")


def _wait_for(port):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with socket.socket() as there:
            if there.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError


def tool(name, required=(), reads=None, **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool(name=name, input_schema=schema, annotations=ToolAnnotations(read_only_hint=reads))


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
MAYBE = {"anyOf": [{"type": "string"}, {"type": "null"}]}


def called(tmp_path, tools, spec="mcp:server", **options):
    """Which tool is called, with which arguments."""
    asked = request(tmp_path, spec, **options)
    target = parse_target(asked.argument)
    chosen = choose_tool(tools, target, asked)
    arguments = arguments_of(chosen, target, asked, Conversation("c", "pins"))
    root = str(tmp_path / "code")
    return chosen.name, {name: "ROOT" if value == root else value for name, value in arguments.items()}


def test_arguments_follow_from_the_schema(tmp_path):
    assert called(tmp_path, [tool("find", query=TEXT, lang=TEXT)]) == ("find", {"query": "pins"})
    assert called(tmp_path, [tool("find_t", ["lang", "q"], lang=MAYBE, q=TEXT)], "mcp:s#find_t?lang=py") == (
        "find_t",
        {"lang": "py", "q": "pins"},
    )
    # The only text that must be given; a place is none.
    assert called(tmp_path, [tool("find_t", ["needle", "path"], needle=TEXT, path=TEXT)]) == (
        "find_t",
        {"path": "ROOT", "needle": "pins"},
    )
    limited = [tool("find_t", query=TEXT, max_results=NUMBER)]
    assert called(tmp_path, limited) == ("find_t", {"query": "pins"})
    assert called(tmp_path, limited, top_k=3) == ("find_t", {"query": "pins", "max_results": 3})
    given = "mcp:s#find_t?regex={issue}|x&max_results=5&words=[1]"
    grep = tool("find_t", ["regex"], regex=TEXT, query=TEXT, max_results=NUMBER, words={"type": "array"})
    assert called(tmp_path, [grep], given, top_k=3) == (
        "find_t",
        {"max_results": 5, "regex": "pins|x", "words": [1]},
    )
    with pytest.raises(ValueError, match="'max_results' is 'x', expected integer"):
        called(tmp_path, limited, "mcp:s#find_t?max_results=x")


def test_a_tool_is_chosen_by_its_name_or_because_only_it_fits(tmp_path):
    fits, other = tool("find", query=TEXT), tool("stats")
    needs = tool("ask", ["query", "user"], query=TEXT, user=TEXT)
    assert called(tmp_path, [other, fits, needs])[0] == "find"
    # What nobody named is called only if it reads.
    note, lists = tool("add_note", ["text"], text=TEXT), tool("ask", ["query"], reads=True, query=TEXT)
    writes = tool("find_and_replace", ["query"], reads=False, query=TEXT)
    assert called(tmp_path, [note, writes, lists])[0] == "ask"
    assert called(tmp_path, [note], "mcp:s#add_note")[0] == "add_note"
    assert called(tmp_path, [fits, tool("grep", pattern=TEXT)], "mcp:s#grep") == ("grep", {"pattern": "pins"})
    for tools, spec, message in [
        (
            [fits, tool("grep", pattern=TEXT)],
            "mcp:s",
            "several tools that search by an issue's text: 'find', 'grep'",
        ),
        (
            [other, note],
            "mcp:s",
            "no tool that is known to search by an issue's text; it has 'stats', 'add_note'",
        ),
        ([needs], "mcp:s#ask", "needs 'user', which nothing gives"),
        ([other], "mcp:s#stats", "needs an argument for the issue's text"),
        ([fits], "mcp:s#fnd", "Did you mean 'find'"),
    ]:
        with pytest.raises(UsageError, match=message.replace("?", r"\?")):
            called(tmp_path, tools, spec)


def test_at_a_base_commit_a_server_must_be_told_the_tree(tmp_path):
    tools = [tool("find", query=TEXT)]
    with pytest.raises(UsageError, match="has a tree of its own"):
        called(tmp_path, tools, at_base=True)
    assert called(tmp_path, tools, "mcp:s {repos_path}", at_base=True)[0] == "find"
    assert called(tmp_path, [tool("find", query=TEXT, root=TEXT)], at_base=True)[1]["root"] == "ROOT"


def test_names_are_cut_at_the_last_mark():
    assert parse_target("npx -y srv --a '#b c'") == Target("npx -y srv --a '#b c'")
    assert parse_target("srv#find") == Target("srv", "find")
    assert parse_target("http://h/mcp#find?a=1&b={issue}%26") == Target(
        "http://h/mcp", "find", (("a", "1"), ("b", "{issue}&"))
    )


def test_without_the_sdk_or_the_program_the_command_is_named(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="'no-such-server' is not on PATH"):
        load_system(request(tmp_path, "mcp:no-such-server --stdio")).check()
    monkeypatch.setattr(mcp, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"tellapart\[mcp\]"):
        load_system(request(tmp_path, "mcp:server"))


@pytest.mark.parametrize(
    ("text", "none"),
    [
        ("No matches found", True),
        ("No files found matching 'pins' in 12 files.", True),
        ("Found 0 results", True),
        ("", True),
        ("Error: the index is not ready", False),
        ("No results: the index is missing", False),
        ("No such table", False),
    ],
)
def test_a_text_without_a_path_is_no_match_only_if_it_says_so(tmp_path, text, none):
    system = load_system(request(tmp_path, "mcp:server"))
    answer = system._answer(CallToolResult(content=[TextContent(type="text", text=text)]))
    failure = answer.read and answer.read.failure
    assert (answer.output == []) == none and (failure is None) == none
    assert none or failure.cause == "parse"


@pytest.mark.parametrize("status", [302, 307, 308])
def test_an_issue_is_not_sent_to_another_mcp_server(tmp_path, status):
    arrived = []

    def other(handler, _):
        arrived.append(handler.path)
        return 200, {}, b""

    with service(other) as away, service(lambda *_: (status, {"Location": f"{away}/mcp"}, b"")) as address:
        (outcome,) = searched(tmp_path, f"mcp:{address}/mcp", "pins", timeout_s=20)
    assert arrived == [] and (outcome.cause, outcome.kind) == ("provider", "connection")
    assert f"{away}/mcp" in outcome.detail
