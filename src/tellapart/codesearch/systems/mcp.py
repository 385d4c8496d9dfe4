"""``mcp:COMMAND#TOOL?NAME=VALUE``: the search tool of a server of the Model Context Protocol.

The server is started once for all issues, with ``--at-base`` once for each tree. Which tool is called, and
with which arguments, follows a ``#``: ``mcp:my-server --stdio#search?query={issue}&limit=20``.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.system import (
    SearchSystem,
    SystemAnswer,
    SystemRequest,
    check_placeholders,
    filled,
    placeholders_in,
    split_command,
)
from tellapart.environment.programs import check_passed, child_environment, withheld_hint
from tellapart.environment.secrets import without_secrets
from tellapart.errors import MissingExtra, UsageError, near_match

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult, Tool

_TARGET = re.compile(r"(?P<server>.*?)#(?P<tool>[\w./:-]*)(?:\?(?P<arguments>[^#]*))?", re.DOTALL)
_TAIL_CHARACTERS = 300
_CLOSING_S = 10.0


@dataclass(frozen=True)
class Target:
    """The command of a server, its tool (empty where the only one is meant), and arguments as typed."""

    server: str
    tool: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


def parse_target(argument: str) -> Target:
    """Split ``SERVER#TOOL?NAME=VALUE&…``, of which all but the server may be left out."""
    match = _TARGET.fullmatch(argument)
    if match is None:
        return Target(argument.strip())
    arguments = parse_qsl(match["arguments"] or "", keep_blank_values=True)
    return Target(match["server"].strip(), match["tool"], tuple(arguments))


class _Broken(Exception):
    """The server could not be started, or does not speak the protocol."""


class McpSystem(SearchSystem):
    """Calls a tool of a server for each issue, and reads what it gives as a program's output."""

    def __init__(self, request: SystemRequest) -> None:
        """Use the server that the request names."""
        if find_spec("mcp") is None:
            raise MissingExtra("a system 'mcp:…'", "mcp")
        super().__init__(request)
        self._target = parse_target(request.argument)
        self._connection: _Connection | None = None

    def check(self) -> None:
        """See that the command can be started; nothing is started yet."""
        check_placeholders(self.request.argument)
        check_passed(self.request.pass_env)
        program = split_command(self._target.server, "--system mcp:…")[0]
        if "{" not in program and shutil.which(program) is None:
            raise UsageError(
                f"the MCP server's program {program!r} is not on PATH, or may not be run",
                next_step="Give the command that starts it: --system 'mcp:my-server --stdio'",
            )

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Call the tool for one issue; a server that has ended meanwhile is started again for the next."""
        from mcp import MCPError

        if self._connection is None or self._connection.ended:
            self._connection = _Connection(self.request, self._target)
        connection, timeout_s = self._connection, self.request.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                client, tool = await connection.open()
                arguments = arguments_of(tool, self._target, self.request, conversation)
                result = await client.call_tool(tool.name, arguments)
        except TimeoutError:
            why = f"{self.name} took more than {timeout_s:g} s{connection.log()}"
            return Failed("timeout", "timeout", why)
        except (_Broken, MCPError) as error:
            await connection.close()
            hint = withheld_hint(self.request.pass_env)
            return Failed("provider", "connection", f"{self.name}: {error}{connection.log()}{hint}")
        except (ValueError, RuntimeError) as error:
            # The SDK raises RuntimeError for a result that is not as the tool declares it.
            return Failed("parse", "schema", f"{tool.name!r} of {self.name}: {error}")
        if result.is_error:
            reason = without_secrets(_text(result))[:_TAIL_CHARACTERS]
            return Failed("provider", "reported", f"{tool.name!r} of {self.name}: {reason}")
        output = _output(result)
        # An empty reply is no match.
        if isinstance(output, str) and not output.strip():
            return SystemAnswer([], silent=True)
        return SystemAnswer(output, cwd=str(Path.cwd()))

    async def close(self) -> None:
        """End the server."""
        if self._connection is not None:
            await self._connection.close()


class _Connection:
    """A task that keeps a client open: the SDK wants it closed by the task that opened it."""

    def __init__(self, request: SystemRequest, target: Target) -> None:
        from anyio import CancelScope

        self._request, self._target = request, target
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # Closed by the task.
        self._tail = ""
        self._closing = asyncio.Event()
        self._scope = CancelScope()  # The SDK ends its server when a scope is cancelled, not when a task is.
        self._opened: asyncio.Future[tuple[Client, Tool]] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._keep())

    @property
    def ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._closing.is_set() or self._task.done()

    async def open(self) -> tuple[Client, Tool]:
        """Wait for the client and the tool."""
        return await asyncio.shield(self._opened)

    async def close(self) -> None:
        """End the server; it has some seconds before it is killed, and one that never answered has none."""
        self._closing.set()
        if not self._opened.done():
            self._scope.cancel()
        await asyncio.wait([self._task], timeout=max(self._request.timeout_s, _CLOSING_S))

    def log(self) -> str:
        """The end of what the server wrote on standard error, as the end of a sentence."""
        if not self._stderr.closed:
            size = self._stderr.seek(0, os.SEEK_END)
            self._stderr.seek(max(0, size - 4 * _TAIL_CHARACTERS))
            written = without_secrets(self._stderr.read().decode("utf-8", "replace"))
            self._tail = " ".join(written.split())[-_TAIL_CHARACTERS:]
        return f"; on standard error {self._tail!r}" if self._tail else ""

    async def _keep(self) -> None:
        from mcp import Client, StdioServerParameters, stdio_client

        # What the SDK makes of lines that are no messages is in what it raises, if anything comes of it.
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        values = self._request.values()
        words = [filled(word, values) for word in split_command(self._target.server, "--system mcp:…")]
        server = StdioServerParameters(
            command=words[0], args=words[1:], env=child_environment(self._request.pass_env)
        )
        try:
            with self._scope:
                # Only the number of the file is used.
                async with Client(stdio_client(server, errlog=self._stderr)) as client:  # type: ignore[arg-type]
                    tool = choose_tool((await client.list_tools()).tools, self._target, self._request)
                    self._opened.set_result((client, tool))
                    await self._closing.wait()
        except Exception as error:
            if not self._opened.done():
                self._opened.set_exception(_cause(error))
                self._opened.exception()  # Seen, even if nobody waits any more.
        finally:
            self.log()
            self._stderr.close()


def _cause(error: BaseException) -> Exception:
    """The first cause in groups of groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, UsageError) else _Broken(str(error).strip() or type(error).__name__)


def choose_tool(tools: Sequence[Tool], target: Target, request: SystemRequest) -> Tool:
    """Choose the tool that is named, or the only one, and see that it can be called."""
    names = [tool.name for tool in tools]
    server = request.name.partition("#")[0]
    if not target.tool and len(tools) != 1:
        raise UsageError(
            f"the MCP server has {len(tools)} tools: {', '.join(map(repr, names)) or 'none'}",
            next_step=f"Name the tool: --system '{server}#TOOL'",
        )
    tool = next((tool for tool in tools if target.tool in ("", tool.name)), None)
    if tool is None:
        raise UsageError(
            f"the MCP server has no tool {target.tool!r}", next_step=near_match(target.tool, names)
        )
    given = {name for name, _ in target.arguments}
    lacking = [name for name in tool.input_schema.get("required") or () if name not in given]
    if lacking or "issue" not in placeholders_in(*(value for _, value in target.arguments)):
        missing = ", ".join(map(repr, lacking)) or "an argument for the issue's text"
        takes = ", ".join(map(repr, _properties(tool))) or "none"
        raise UsageError(
            f"the tool {tool.name!r} needs {missing}, which nothing gives; its arguments: {takes}",
            next_step=f"Name it: --system '{server}#{tool.name}?{_completed(tool, target, lacking)}', "
            "where {issue} is the issue's text and {repos_path} the directory of the repositories",
        )
    if request.at_base and "repos_path" not in placeholders_in(request.argument):
        raise UsageError(
            "with --at-base every issue has a tree of its own, of which the MCP server of the tool "
            f"{tool.name!r} is not told",
            next_step="Put {repos_path} into its command or into an argument of the tool, as in "
            "'#TOOL?NAME={repos_path}'",
        )
    return tool


def _completed(tool: Tool, target: Target, lacking: Sequence[str]) -> str:
    """The arguments that are given, with those that are lacking and the issue's text among them."""
    values = dict(target.arguments)
    values |= {name: "{repos_path}" if "path" in name.lower() else "VALUE" for name in lacking}
    if "issue" not in placeholders_in(*values.values()):
        free = [*lacking, *(name for name in _properties(tool) if name not in values), *values, "NAME"]
        values[free[0]] = "{issue}"
    return urlencode(values, quote_via=quote, safe="{}/:")


def _properties(tool: Tool) -> Mapping[str, Any]:
    properties = tool.input_schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def arguments_of(
    tool: Tool, target: Target, request: SystemRequest, conversation: Conversation
) -> dict[str, Any]:
    """The arguments of a call: those that were named, with the issue's text in the place of ``{issue}``."""
    values, properties = request.values(conversation), _properties(tool)
    return {
        name: _with_values(_typed(value, name, properties.get(name)), values)
        for name, value in target.arguments
    }


def _with_values(value: Any, values: Mapping[str, str]) -> Any:
    """Put values in the place of placeholders in every text of a value."""
    if isinstance(value, list):
        return [_with_values(item, values) for item in value]
    return filled(value, values) if isinstance(value, str) else value


def _typed(value: str, name: str, schema: Any) -> Any:
    """An argument as JSON where the tool's schema names another type than text."""
    types = schema.get("type") if isinstance(schema, dict) else None
    if types is None or "string" in types:
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ValueError(f"the argument {name!r} is {value!r}, expected {types}") from None


def _output(result: CallToolResult) -> Any:
    """What a tool gave: its structured content, if that lists something, else its texts as lines."""
    value = result.structured_content
    if isinstance(value, dict) and value.keys() == {"result"}:
        value = value["result"]  # The SDK's wrapping of what is no object.
    parts = value.values() if isinstance(value, dict) else [value]
    return value if any(isinstance(part, list) for part in parts) else _text(result)


def _text(result: CallToolResult) -> str:
    """Its texts, and addresses of resources, as lines."""
    return "\n".join(
        str(block.text)
        if block.type == "text"
        else str(getattr(block, "uri", None) or getattr(getattr(block, "resource", None), "uri", ""))
        for block in result.content
    )
