"""Tools of agents as Inspect wants them: plain functions, and the one that hands in the answer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from tellapart.errors import TellapartError
from tellapart.llm.questions import Failure, Question, Reply
from tellapart.llm.replies import parse

if TYPE_CHECKING:
    from inspect_ai.tool import ToolDef

SUBMIT = "submit"
"""Name of the tool with which the answer is handed in."""

Tool = Callable[..., Awaitable[str]]
"""An asynchronous function with typed parameters and a docstring, which are sent to the model."""


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
    """The tool that takes the answer, with the fields of the question's reply as its parameters.

    A value goes to ``submitted``; why one cannot be used goes to ``refused``, and the model is told.
    """
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
