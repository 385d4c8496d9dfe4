"""Tools of agents as Inspect wants them: plain functions, and the one that hands in the answer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic

from tellapart.errors import TellapartError
from tellapart.llm.questions import Failure, Kind, Question, Reply
from tellapart.llm.replies import parse

if TYPE_CHECKING:
    from inspect_ai.tool import ToolDef

SUBMIT = "submit"
"""Name of the tool with which the answer is handed in."""

Tool = Callable[..., Awaitable[str]]
"""An asynchronous function with typed parameters and a docstring, which are sent to the model."""


class SubmittedAnswer(Generic[Reply]):
    """What an agent hands in.

    Attributes:
        value: None until there is one that can be used.
        kind: What was wrong with the last one that could not be.
    """

    def __init__(self, question: Question[Reply]) -> None:
        """Wait for the answer to a question."""
        self.question = question
        self.value: Reply | None = None
        self.kind: Kind | None = None

    def take(self, answer: dict[str, Any]) -> Failure | None:
        """Keep an answer, or say why it cannot be used."""
        parsed = parse(json.dumps(answer), self.question)
        if isinstance(parsed, Failure):
            self.kind = parsed.kind
            return parsed
        self.value = parsed
        return None


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


def submit_tool(submitted: SubmittedAnswer[Any]) -> ToolDef:
    """The tool that takes the answer, with the fields of the question's reply as its parameters."""
    from inspect_ai.tool import ToolDef, ToolError, ToolParams
    from inspect_ai.util import json_schema

    async def submit(**kwargs: Any) -> str:
        wrong = submitted.take(kwargs)
        if wrong is not None:
            raise ToolError(f"This cannot be used: {wrong.detail}. Call {SUBMIT} once more.")
        return "done"

    schema = json_schema(submitted.question.reply)
    parameters = ToolParams(properties=schema.properties or {}, required=schema.required or [])
    return ToolDef(
        submit, name=SUBMIT, description="Hand in the answer, which ends it.", parameters=parameters
    )
