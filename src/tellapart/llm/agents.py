"""Agents: a model that uses tools of ours until it hands in a typed answer, inside an Inspect task."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic

from tellapart.errors import TellapartError
from tellapart.llm.budget import NO_LIMITS, Limits, cost, over_budget
from tellapart.llm.callers import Budget, Exhausted
from tellapart.llm.calls import Call, generate
from tellapart.llm.connection import connect
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Failure, Question, Reply
from tellapart.llm.replies import parse
from tellapart.llm.usage import ModelUse

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput
    from inspect_ai.tool import ToolDef

SUBMIT = "submit"
"""Name of the tool with which the answer is handed in."""

Tool = Callable[..., Awaitable[str]]
"""An asynchronous function with typed parameters and a docstring, which are sent to the model."""

MOST_WITHOUT_TOOLS = 3
"""Replies in a row that call no tool; the last of them ends it."""

MOST_UNUSABLE = 2
"""Answers in a row that cannot be used: the first is sent back with what is wrong."""

WARNED_BEFORE = 2
"""Turns that are left when the model is told so."""

_OF_A_CALL = ("failure", "served", "usage", "cached", "attempts")
"""What is kept of an agent's call; what was said is in Inspect's log."""

_GO_ON = f"No tool was called. Go on with the tools, or hand in the answer with {SUBMIT}."


@dataclass(frozen=True)
class AgentLimits:
    """What an agent may take for one answer: replies, seconds with all tools, and tokens in and out."""

    turns: int = 40
    seconds: float = 900.0
    tokens: int | None = None

    def passed_by(self, usage: Mapping[str, int]) -> Failure | None:
        """Why an agent that has taken this much goes no further."""
        tokens = usage["input_tokens"] + usage["output_tokens"]
        if usage["turns"] >= self.turns:
            return Failure("budget", "turns", f"no answer in {self.turns} turns")
        if self.tokens is not None and tokens >= self.tokens:
            return Failure("budget", "tokens", f"no answer in {tokens:,} tokens")
        return None


@dataclass(frozen=True)
class AgentAnswer(Generic[Reply]):
    """What became of an agent: a value or a failure, and its turns, tool calls and tokens."""

    value: Reply | None
    failure: Failure | None
    usage: dict[str, int]


@dataclass
class Purse:
    """What all agents of a run have taken; several models share one. A program may have prices of its own."""

    dollars: float = 0.0
    uses: dict[str, ModelUse] = field(default_factory=dict)
    paid: dict[str, float] = field(default_factory=dict)

    def take(self, model: str, call: Mapping[str, Any], dollars: float = 0.0) -> None:
        """Count a call that came to an end."""
        use = self.uses.setdefault(model, ModelUse())
        use.add(call)
        use.note_sent(call.get("sent", {}))
        self.paid[model] = self.paid.get(model, 0.0) + dollars
        self.dollars += dollars

    def record(self, model: LanguageModel, limits: Limits) -> dict[str, Any] | None:
        """What ``ModelUse.record`` says of a model's calls; None where it was never asked."""
        use = self.uses.get(model.name)
        if use is None:
            return None
        use.requested = [model.requested()]
        return use.record(limits.price_of(model.name))


class AgentModel:
    """A model on which agents run, at the same time, in one event loop."""

    def __init__(
        self,
        model: LanguageModel,
        limits: Limits = NO_LIMITS,
        purse: Purse | None = None,
    ) -> None:
        """Connect; nothing is sent yet."""
        self._model, self._purse = model, purse or Purse()
        self._budget = Budget(limits, model.name, model.max_tokens, lambda: self._purse.dollars, caches=True)
        self.connected: Model
        self.connected, self._wire = connect(model, max_connections=limits.at_once, caches=True)

    async def run(
        self, question: Question[Reply], tools: Sequence[Tool], limits: AgentLimits
    ) -> AgentAnswer[Reply]:
        """Let an agent work until it has an answer; to be awaited inside ``run_workers``."""
        import anyio
        from inspect_ai.util import span

        usage = Counter(turns=0, tool_calls=0, input_tokens=0, output_tokens=0)
        outcome: Reply | Failure = Failure(
            "timeout", "timeout", f"no answer within {limits.seconds:g} seconds"
        )
        with anyio.move_on_after(limits.seconds):
            async with span(question.id, type="agent"):
                outcome = await self._work(question, tools, limits, usage)
        if isinstance(outcome, Failure):
            return AgentAnswer(None, outcome, dict(usage))
        return AgentAnswer(outcome, None, dict(usage))

    async def _work(
        self, question: Question[Reply], tools: Sequence[Tool], limits: AgentLimits, usage: Counter[str]
    ) -> Reply | Failure:
        """Let the model use tools until there is an answer, or a reason why there is none."""
        from inspect_ai.model import ChatMessageUser, execute_tools

        submitted: list[Reply] = []
        refused: list[Failure] = []
        available = [*map(reading_tool, tools), submit_tool(question, submitted, refused)]
        messages: list[ChatMessage] = [ChatMessageUser(content=question.prompt)]
        without_tools = unusable = 0
        while True:
            if used_up := limits.passed_by(usage):
                return used_up
            left = limits.turns - usage["turns"]
            if left == WARNED_BEFORE < limits.turns:
                warning = f"{left} turns are left. Hand in what you have found with {SUBMIT}."
                messages.append(ChatMessageUser(content=warning))
            output, call = await self._send(messages, available)
            if output is not None:
                _count(call, usage)
            if why := call.get("failure") or call.get("unread"):
                return Failure(**why)
            assert output is not None
            messages.append(output.message)
            if not output.message.tool_calls:
                without_tools += 1
                if without_tools == MOST_WITHOUT_TOOLS:
                    return Failure("parse", "not_json", f"{SUBMIT} was not called, nor any other tool")
                messages.append(ChatMessageUser(content=_GO_ON))
                continue
            without_tools = 0
            usage["tool_calls"] += len(output.message.tool_calls)
            results = (await execute_tools(messages, available)).messages
            messages += results
            if submitted:
                return submitted[0]
            wrong = _refused(results)
            unusable = unusable + 1 if wrong else 0
            if unusable == MOST_UNUSABLE:
                kind = refused[-1].kind if refused else "schema"
                return Failure("parse", kind, wrong[-1][:500])

    async def _send(self, messages: list[Any], tools: Any) -> tuple[ModelOutput | None, Call]:
        """Send all that was said, and count what came back before anything is made of it."""
        size, limits = sum(len(message.model_dump_json()) for message in messages), self._budget.limits
        try:
            async with self._budget.room_for(size):
                output, call = await generate(self.connected, messages, self._model, tools=tools)
                self._take(call)
        except Exhausted:
            raise over_budget(self._purse.dollars, limits, self._model.name) from None
        return output, call

    def _take(self, call: Call) -> None:
        """Count a call that has just ended, with what was seen of it on its way out."""
        name = self._model.name
        price, use = self._budget.limits.price_of(name), ModelUse()
        use.add(call)
        sent = self._purse.uses.get(name, ModelUse()).not_yet_sent(self._wire.parameters)
        kept: Call = {name: call[name] for name in _OF_A_CALL if name in call}
        if sent:
            kept["sent"] = sent
        self._purse.take(name, kept, cost(price, *use.paid) if price else 0.0)


def _count(call: Call, usage: Counter[str]) -> None:
    """Count a reply."""
    cached = call.get("cached", {})
    caches = {
        "cached_tokens": cached.get("read_tokens"),
        "cache_written_tokens": cached.get("written_tokens"),
    }
    usage.update({name: tokens for name, tokens in caches.items() if tokens})
    usage.update({**call.get("usage", {}), "turns": 1})


def _refused(results: Sequence[ChatMessage]) -> list[str]:
    """What was wrong with answers that were handed in."""
    return [
        message.error.message
        for message in results
        if message.role == "tool" and message.function == SUBMIT and message.error
    ]


def reading_tool(tool: Tool) -> ToolDef:
    """A tool of Inspect whose results are not cut, and whose errors of ours are told to the model."""
    from inspect_ai.tool import ToolDef, ToolError

    @wraps(tool)
    async def guarded(*args: Any, **kwargs: Any) -> str:
        try:
            return await tool(*args, **kwargs)
        except TellapartError as error:
            raise ToolError(str(error)) from None

    return ToolDef(guarded, name=tool.__name__, max_output=0)


def submit_tool(question: Question[Reply], submitted: list[Reply], refused: list[Failure]) -> ToolDef:
    """The tool that takes the answer: a value to ``submitted``, or why it cannot be used to ``refused``."""
    from inspect_ai.tool import ToolDef, ToolError, ToolParams
    from inspect_ai.util import json_schema

    async def submit(**kwargs: Any) -> str:
        value = parse(json.dumps(kwargs), question)
        if isinstance(value, Failure):
            refused.append(value)
            raise ToolError(f"This cannot be used: {value.detail}. Call {SUBMIT} once more.")
        submitted.append(value)
        return "done"

    schema = json_schema(question.reply)
    parameters = ToolParams(properties=schema.properties or {}, required=schema.required or [])
    return ToolDef(
        submit, name=SUBMIT, description="Hand in the answer, which ends it.", parameters=parameters
    )
