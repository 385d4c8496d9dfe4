"""``claude-code:MODEL``: Claude Code itself, with three tools that read, in a copy without secrets."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from tellapart.codesearch.explorers.agent import MOST_OPEN, AgentOptions, explore_question, found_files
from tellapart.codesearch.explorers.explorer import Explorer, ExplorerRequest, Issue
from tellapart.codesearch.model import Explored, Failed
from tellapart.codesearch.repositories import MOST_SHOWN_BYTES, OutOfBounds, Repositories
from tellapart.core.failure_words import refused_call
from tellapart.environment.programs import withheld_keys
from tellapart.environment.secrets import without_known_secrets, without_secrets
from tellapart.errors import MissingExtra, OverBudget, ProviderError
from tellapart.files import storage
from tellapart.files.writing import scratch_directory
from tellapart.llm.agents import Purse
from tellapart.llm.budget import dollars
from tellapart.llm.failures import BY_STATUS, KEPT
from tellapart.llm.questions import Failure
from tellapart.llm.replies import parse

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage


class Mirror:
    """The approved repositories once more, without secrets, version control and symbolic links."""

    def __init__(self, repositories: Repositories) -> None:
        """Copy all files that may be read and have up to 10 MB."""
        self.root = scratch(self, "tellapart-repositories-")
        with storage(self.root):
            for name in repositories.names:
                (self.root / name).mkdir()
            for path in repositories.files():
                try:
                    source = repositories.locate(path)
                except OutOfBounds:
                    continue  # A secret by its content, or gone meanwhile.
                # Nobody looked for secrets in a larger one.
                if source.is_file() and source.stat().st_size <= MOST_SHOWN_BYTES:
                    copy = self.root / path
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, copy)

    def refusal(self, path: str) -> str | None:
        """Say why a path that a tool is given leads out of the copies, or None when it does not."""
        if path.startswith("~") or "\0" in path or ".." in Path(path).parts:
            return f"{path!r} may not be read: give a path below {self.root}, without '..' and '~'"
        target = Path(os.path.normpath(self.root / path))
        if target != self.root and self.root not in target.parents:
            return f"{path!r} may not be read: only what lies below {self.root} may"
        return None


def scratch(owner: object, prefix: str) -> Path:
    """Make a directory that is removed when its owner goes, the program ends, or the next one is made."""
    stack = ExitStack()
    directory = stack.enter_context(scratch_directory(prefix)).resolve()
    finalize(owner, stack.close)
    return directory


TOOLS = ("Read", "Grep", "Glob")
"""All that it is offered; what is merely allowed would leave the others in place, to be asked for."""

_PATHS = ("file_path", "path", "pattern", "glob")
_KEY = "ANTHROPIC_API_KEY"
# Of this there is no status, since no request was made.
_LOGGED_OUT = "Not logged in"


class ClaudeCode(Explorer):
    """Claude Code in a copy of the approved repositories, with no settings and no memory of its user's."""

    def __init__(self, request: ExplorerRequest) -> None:
        """Explore with the request's model, named as Claude Code names it."""
        super().__init__(request)
        self.options: AgentOptions = request.limits or AgentOptions()
        self._mirror = lru_cache(MOST_OPEN)(Mirror)
        self._home = scratch(self, "tellapart-claude-code-")

    def record(self) -> dict[str, Any] | None:
        """What a run's record says of it: turns are counted as calls, and the cost is in its own prices."""
        purse = self.options.purse
        use = purse.uses.get(self.name)
        if use is None:
            return None
        return {
            "requested": {"model": self.request.argument},
            "effective": {},
            "served": sorted(use.served),
            "calls": use.calls,
            "input_tokens": use.input_tokens,
            "output_tokens": use.output_tokens,
            "cached_tokens": use.cached_tokens or 0,
            "cost": purse.paid[self.name],
        }

    def check(self) -> None:
        """See that its SDK is installed."""
        if find_spec("claude_agent_sdk") is None:
            raise MissingExtra("exploring with Claude Code", "claude-code")

    async def explore(self, issue: Issue, repositories: Repositories) -> Explored:
        """Let it look for the files of one issue."""
        usage: dict[str, int] = {}
        try:
            async with asyncio.timeout(self.options.seconds):
                return await self._converse(issue, repositories, usage)
        except TimeoutError:
            failure = Failed("timeout", "timeout", f"no end within {self.options.seconds} s")
            return Explored(self.name, (), failure, usage)

    async def _converse(self, issue: Issue, repositories: Repositories, usage: dict[str, int]) -> Explored:
        from claude_agent_sdk import ClaudeSDKClient, ClaudeSDKError, CLINotFoundError

        mirror = self._mirror(repositories)
        question = explore_question(issue, repositories)
        try:
            async with ClaudeSDKClient(self._sdk_options(mirror)) as client:
                session = _Session(client, usage, self.name, self.options.purse)
                text = await session.ask(question.prompt)
                answer = text if isinstance(text, Failed) else parse(text, question)
        except CLINotFoundError as error:
            raise ProviderError(
                f"Claude Code was not found ({error})",
                where=self.name,
                next_step="Reinstall the extra; what was explored is kept, and the same command resumes",
            ) from None
        except ClaudeSDKError as error:
            why = without_secrets(f"Claude Code ended by itself: {error}")[:500]
            answer = Failed("provider", "connection", why)
        if isinstance(answer, Failure):
            answer = Failed.of(answer)
        if isinstance(answer, Failed):
            return Explored(self.name, (), answer, usage)
        # It names files as its tools do, by their places.
        named = [file.strip().removeprefix(f"{mirror.root}/") for file in answer.files]
        return found_files(self.name, answer.model_copy(update={"files": named}), repositories, usage)

    def _sdk_options(self, mirror: Mirror) -> ClaudeAgentOptions:
        from claude_agent_sdk import ClaudeAgentOptions, HookMatcher

        return ClaudeAgentOptions(
            tools=list(TOOLS),
            allowed_tools=list(TOOLS),
            model=self.request.argument,
            max_turns=self.options.turns,
            max_budget_usd=self._money_left(),
            cwd=mirror.root,
            setting_sources=[],
            strict_mcp_config=True,
            permission_mode="dontAsk",
            hooks={"PreToolUse": [HookMatcher(hooks=[_gate(mirror)])]},
            env=self._environment(),
            stderr=lambda _: None,
        )

    def _money_left(self) -> float | None:
        """US dollars for one exploration, in Claude Code's own prices; None without a limit."""
        most, spent = self.options.limits.max_cost, self.options.purse.dollars
        if most is not None and spent >= most:
            raise OverBudget(
                f"{dollars(spent)} of {dollars(most)} US dollars are spent",
                next_step="What was explored is kept: the same command with a higher --max-cost continues",
            )
        return None if most is None else most - spent

    def _environment(self) -> dict[str, str]:
        ours = {
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": str(self.options.model("claude").max_retries),
            "DISABLE_AUTOUPDATER": "1",
        }
        if {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"} & os.environ.keys():
            # Else it needs its own directory, where its user is logged in.
            ours["CLAUDE_CONFIG_DIR"] = str(self._home)
        # Its SDK passes on our whole environment; what it is given here goes before that.
        return dict.fromkeys(withheld_keys(_own_keys()), "") | ours


def _own_keys() -> list[str]:
    """Which variables Claude Code may need to reach its model, as ``--pass-env`` would name them."""
    clouds = {"CLAUDE_CODE_USE_BEDROCK": ("AWS_*",), "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_*", "CLOUDSDK_*")}
    used = [name for switch, names in clouds.items() if os.environ.get(switch) for name in names]
    return ["ANTHROPIC_*", "CLAUDE_*", *used]


def _gate(mirror: Mirror) -> Any:
    """What Claude Code asks before every use of a tool."""

    async def decide(call: Any, _: str | None, __: Any) -> Any:
        tool, given = call["tool_name"], call["tool_input"]
        reason = None if tool in TOOLS else f"there is no tool {tool!r} here"
        # What Grep looks for is no path.
        names = [name for name in _PATHS if not (tool == "Grep" and name == "pattern")]
        for name in names:
            if reason is None and isinstance(given.get(name), str):
                reason = mirror.refusal(given[name])
        decision = {"permissionDecision": "deny" if reason else "allow"}
        output = {"permissionDecisionReason": reason} if reason else {}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision, **output}}

    return decide


@dataclass
class _Session:
    """A conversation with the program, which counts dollars from its beginning, tokens from each question."""

    client: ClaudeSDKClient
    usage: dict[str, int]
    explorer: str
    purse: Purse
    dollars: float = 0.0

    async def ask(self, prompt: str) -> str | Failed:
        """Ask, and wait for the reply or its failure."""
        from claude_agent_sdk import ResultMessage

        await self.client.query(prompt)
        result = None
        async for message in self.client.receive_response():
            if isinstance(message, ResultMessage):
                result = message
        if result is None:
            return Failed("provider", "connection", "Claude Code ended without a result")
        self._count(result)
        return _failure(result) or without_known_secrets(result.result or "")

    def _count(self, result: ResultMessage) -> None:
        paid = max(0.0, (result.total_cost_usd or 0.0) - self.dollars)
        self.dollars += paid
        tokens = result.usage or {}
        cached = int(tokens.get("cache_read_input_tokens") or 0)
        # Anthropic counts what comes from a cache and goes into it apart; ours are all that were read.
        read = cached + sum(
            int(tokens.get(name) or 0) for name in ("input_tokens", "cache_creation_input_tokens")
        )
        written = int(tokens.get("output_tokens") or 0)
        for name, count in (("turns", result.num_turns), ("input_tokens", read), ("output_tokens", written)):
            self.usage[name] = self.usage.get(name, 0) + int(count or 0)
        call = {
            "served": sorted(result.model_usage or {}),
            "calls": int(result.num_turns or 0),
            "usage": {"input_tokens": read, "output_tokens": written},
            "cached": {"read_tokens": cached},
        }
        self.purse.take(self.explorer, call, paid)


def _failure(result: ResultMessage) -> Failed | None:
    """Name why there is no reply, or None where there is one."""
    detail = without_secrets("; ".join(result.errors or []) or result.result or result.subtype)
    spent = {"error_max_turns": "turns", "error_max_budget_usd": "max_cost"}
    if result.subtype in spent:
        return Failed("budget", spent[result.subtype], detail)
    if not result.is_error:
        return None
    status = result.api_error_status
    refusal = refused_call(status, detail, _KEY)
    if _LOGGED_OUT in detail:
        refusal = f"needs a key in {_KEY}, or a user who is logged in", "Give it one of them"
    if refusal:
        what, next_step = refusal
        raise ProviderError(
            f"the provider {what} ({detail})", where="claude-code", next_step=f"{next_step}. {KEPT}"
        )
    return Failed(*BY_STATUS.get(status or 0, ("provider", "server_error")), detail)
