"""``python:MODULE:FUNCTION`` or ``python:FILE.py:FUNCTION``: a function of Python in this process."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from tellapart.codesearch.model import Conversation, Failed
from tellapart.codesearch.systems.system import SearchSystem, SystemAnswer, SystemRequest
from tellapart.environment.threads import LoopThread, in_thread
from tellapart.errors import UsageError, near_match
from tellapart.llm.systems import importing_from_here, words_of

_EXAMPLE = "Write for instance --system python:my_search.py:find, where find(issue, repos_path) gives paths"


class PythonSystem(SearchSystem):
    """Calls a function with an issue's text and the directory of the repositories."""

    def __init__(self, request: SystemRequest) -> None:
        """Call the function that the request names; it is not imported yet."""
        super().__init__(request)
        self._loop: LoopThread | None = None

    def check(self) -> None:
        """Import the function, once for all trees."""
        self._function()

    async def search(self, conversation: Conversation) -> SystemAnswer | Failed:
        """Call it for one issue."""
        function, timeout_s = self._function(), self.request.timeout_s
        issue, root = conversation.issue_summary, self.request.repositories.root
        try:
            async with asyncio.timeout(timeout_s):
                if inspect.iscoroutinefunction(function):
                    self._loop = self._loop or LoopThread()
                    value = _listed(await self._loop.run(lambda: function(issue, root)))
                else:
                    value = await in_thread(lambda: _listed(function(issue, root)))
            if not isinstance(value, str | bytes):
                value = json.loads(json.dumps(value, default=os.fspath))
        except TimeoutError:
            return Failed("timeout", "timeout", f"{self.name} took more than {timeout_s:g} s")
        except Exception as error:
            return Failed("provider", "raised", f"{self.name} raised {words_of(error)}")
        if value is None:
            return Failed(
                "parse", "output", f"{self.name} returned None, expected a list of paths, which may be empty"
            )
        return SystemAnswer(value, cwd=str(Path.cwd()))

    async def close(self) -> None:
        """End the loop of what is ``async``."""
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def _function(self) -> Callable[..., Any]:
        shared = self.request.shared
        if self.name not in shared:
            shared[self.name] = _function_of(self.request.argument)
        function: Callable[..., Any] = shared[self.name]
        return function


def _listed(value: Any) -> Any:
    """What is iterated over, such as a generator, as a list; made in the thread, where it may block."""
    if isinstance(value, str | bytes | dict | list) or not hasattr(value, "__iter__"):
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
    except TypeError as error:
        raise UsageError(
            f"{name!r} of {where!r} cannot be called with the issue's text and the directory: {error}",
            next_step=f"Define it as {name}(issue, repos_path)",
        ) from None
    except ValueError:
        pass  # Some functions that are not written in Python do not say what they take.
    return function  # type: ignore[no-any-return]


def _module(where: str) -> ModuleType:
    path = Path(where) if where.endswith(".py") else None
    if path is not None and not path.is_file():
        raise UsageError("there is no such file", where=where, next_step=_EXAMPLE)
    try:
        if path is not None:
            return _from_file(path)
        with importing_from_here():
            return import_module(where)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"importing {where!r} raised {type(error).__name__}: {error}",
            next_step=f"Try it by itself: {Path(sys.executable).name} {where if path else f'-m {where}'}",
        ) from None


def _from_file(path: Path) -> ModuleType:
    """A module from a file, which finds those beside it."""
    spec = spec_from_file_location(f"system_{path.stem}", path)
    assert spec is not None and spec.loader is not None, "it ends in .py"
    module = sys.modules[spec.name] = module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.resolve().parent))
    return module
