"""``python:MODULE:FUNCTION`` or ``python:FILE.py:FUNCTION``: a function of Python in this process."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.system import SystemAnswer, SystemRequest
from tellapart.environment.threads import LoopThread, in_thread
from tellapart.errors import UsageError, near_match
from tellapart.llm.systems import importing_from_here

_EXAMPLE = "Write for instance --system python:my_search.py:find, where find(issue, repos_path) gives paths"
_QUOTED_CHARACTERS = 300


class PythonSystem:
    """Calls a function with an issue's text and the directory of the repositories.

    It may be ``async``; then all its calls share a loop in a thread of its own. One that is not runs in a
    thread for each call, several at the same time. What it gives
    is read as a program's output is: a list of paths or of objects, or the documented ``search_results``.
    """

    def __init__(self, request: SystemRequest) -> None:
        """Call the function that the request names; it is not imported yet."""
        self.name = request.name
        self._request = request
        self._loop: LoopThread | None = None

    def check(self) -> None:
        """Import the function, once for all trees."""
        self._function()

    def prepare(self) -> None:
        """Nothing is read before the first issue."""

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Call it for one issue."""
        function, timeout_s = self._function(), self._request.timeout_s
        issue, root = conversation.issue_summary, self._request.repositories.root
        try:
            async with asyncio.timeout(timeout_s):
                if inspect.iscoroutinefunction(function):
                    value = await self._awaited(lambda: function(issue, root))
                else:
                    value = await in_thread(lambda: _listed(function(issue, root)))
                if inspect.isawaitable(value):
                    awaitable = value
                    value = await self._awaited(lambda: awaitable)
            output = (
                value
                if isinstance(value, str | bytes)
                else json.loads(json.dumps(_listed(value), default=os.fspath))
            )
        except TimeoutError:
            return Failed("timeout", "timeout", f"{self.name} took more than {timeout_s:g} s")
        except Exception as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split())[:_QUOTED_CHARACTERS]}"
            return Failed("provider", "raised", f"{self.name} raised {what}")
        if output is None:
            return Failed(
                "parse", "output", f"{self.name} returned None, expected a list of paths, which may be empty"
            )
        return SystemAnswer(output, cwd=str(Path.cwd()))

    async def close(self) -> None:
        """End the loop of what is ``async``."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    async def _awaited(self, make: Callable[[], Awaitable[Any]]) -> Any:
        if self._loop is None:
            self._loop = LoopThread()
        return await self._loop.run(make)

    def _function(self) -> Callable[..., Any]:
        shared = self._request.shared
        if self.name not in shared:
            shared[self.name] = _function_of(self._request.argument)
        function: Callable[..., Any] = shared[self.name]
        return function


def _listed(value: Any) -> Any:
    """What is iterated over, such as a generator, as a list; made in the thread, where it may block."""
    if isinstance(value, str | bytes | dict | list) or value is None or not hasattr(value, "__iter__"):
        return value
    return list(value)


def _function_of(argument: str) -> Callable[..., Any]:
    where, _, name = argument.rpartition(":")
    if not where or not name.isidentifier():
        raise UsageError(f"the system is 'python:{argument}', expected MODULE:FUNCTION", next_step=_EXAMPLE)
    module = _module(where)
    function = getattr(module, name, None)
    if not callable(function):
        names = [
            other for other, value in vars(module).items() if callable(value) and not other.startswith("_")
        ]
        step = near_match(name, names) if names else f"Define it there: def {name}(issue, repos_path)"
        raise UsageError(f"{where!r} has no function {name!r}", next_step=step)
    try:
        inspect.signature(function).bind("issue", "repos_path")
    except TypeError:
        raise UsageError(
            f"{name!r} of {where!r} does not take two arguments, the issue's text and the directory of the "
            "repositories",
            next_step=f"Define it as {name}(issue, repos_path)",
        ) from None
    except ValueError:
        pass  # Some functions that are not written in Python do not say what they take.
    return function  # type: ignore[no-any-return]


def _module(where: str) -> ModuleType:
    is_file = where.endswith(".py")
    if is_file and not Path(where).is_file():
        raise UsageError("there is no such file", where=where, next_step=_EXAMPLE)
    try:
        return _file(Path(where)) if is_file else _importable(where)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"importing {where!r} raised {type(error).__name__}: {error}",
            next_step=f"Try it by itself: {Path(sys.executable).name} {where if is_file else f'-m {where}'}",
        ) from None


def _importable(name: str) -> ModuleType:
    with importing_from_here():
        return import_module(name)


def _file(path: Path) -> ModuleType:
    """A module from a file, which finds those beside it."""
    spec = spec_from_file_location(f"system_{path.stem}", path)
    assert spec is not None and spec.loader is not None, "it ends in .py"
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.resolve().parent))
    return module


def load(request: SystemRequest) -> PythonSystem:
    """Make the system."""
    return PythonSystem(request)
