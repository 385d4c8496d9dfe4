import asyncio
import os
import sys
import time

import pytest
from mcp.types import Tool

from codesearch.systems.searched import request, searched
from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Conversation
from tellapart.codesearch.systems.mcp import arguments_of, choose_tool, parse_target
from tellapart.errors import UsageError

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

server.run()
"""


@pytest.fixture
def server(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    return f"{sys.executable} {tmp_path / 'server.py'}"


def test_one_server_is_asked_for_all_issues_and_started_again_where_it_dies(tmp_path, server):
    async def search():
        system = load(
            "systems",
            request(
                tmp_path, f"mcp:{server}#search?query={{issue}}&path={{repos_path}}&limit=3", timeout_s=60
            ),
        )
        issues = [Conversation("c", issue) for issue in ("pins", "feed", "bad", "die", "board")]
        try:
            together = await asyncio.gather(*map(system.search, issues[:3]))
            return [*together, await system.search(issues[3]), await system.search(issues[4])]
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


def tool(name, required=(), **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool(name=name, input_schema=schema)


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def called(tmp_path, tools, spec="mcp:server", **options):
    """Which tool is called, with which arguments."""
    asked = request(tmp_path, spec, **options)
    target = parse_target(asked.argument)
    chosen = choose_tool(tools, target, asked)
    arguments = arguments_of(chosen, target, asked, Conversation("c", "pins"))
    root = str(tmp_path / "code")
    return chosen.name, {name: "ROOT" if value == root else value for name, value in arguments.items()}


def test_arguments_are_typed_by_the_schema(tmp_path):
    given = "mcp:s#find?regex={issue}|x&most=5&words=[1]&root={repos_path}"
    grep = tool("find", ["regex"], regex=TEXT, root=TEXT, most=NUMBER, words={"type": "array"})
    assert called(tmp_path, [grep], given) == (
        "find",
        {"most": 5, "regex": "pins|x", "root": "ROOT", "words": [1]},
    )
    with pytest.raises(ValueError, match="'most' is 'x', expected integer"):
        called(tmp_path, [grep], "mcp:s#find?regex={issue}&most=x")


@pytest.mark.parametrize(
    ("tools", "spec", "message"),
    [
        ([tool("find", query=TEXT), tool("grep")], "mcp:s", "the MCP server has 2 tools: 'find', 'grep'"),
        ([], "mcp:s", "the MCP server has 0 tools: none"),
        (
            [tool("ask", ["query", "user"], query=TEXT, user=TEXT)],
            "mcp:s",
            "needs 'query', 'user', which .* 'mcp:s#ask?query={issue}&user=VALUE', where",
        ),
        (
            [tool("find", ["query"], query=TEXT)],
            "mcp:s#find?query=x",
            "needs an argument for the issue's text.* 'mcp:s#find?query={issue}', where",
        ),
        (
            [tool("find", query=TEXT)],
            "mcp:s#find",
            "needs an argument for the issue's text.* 'mcp:s#find?query={issue}', where",
        ),
        (
            [tool("two", ["query", "path"], query=TEXT, path=TEXT)],
            "mcp:s#two?query={issue}",
            "needs 'path', which.* 'mcp:s#two?query={issue}&path={repos_path}', where",
        ),
        (
            [tool("two", ["query"], query=TEXT, path=TEXT, most=NUMBER)],
            "mcp:s#two?path=a b&most=5",
            "needs 'query', which.* 'mcp:s#two?path=a%20b&most=5&query={issue}', where",
        ),
        ([tool("find", query=TEXT)], "mcp:s#fnd", "Did you mean 'find'"),
    ],
)
def test_what_is_not_clear_must_be_named(tmp_path, tools, spec, message):
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        called(tmp_path, tools, spec)


def test_a_program_that_is_no_server_is_given_up_after_the_time_for_a_search(tmp_path):
    began = time.monotonic()
    (outcome,) = searched(tmp_path, "mcp:sleep 60", "pins", timeout_s=1)
    assert (outcome.cause, outcome.kind) == ("timeout", "timeout")
    assert time.monotonic() - began < 30
