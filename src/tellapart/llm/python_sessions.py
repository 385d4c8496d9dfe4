"""One conversation with an object of Python, in a thread of its own."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from tellapart.environment.threads import LoopThread
from tellapart.errors import UsageError, near_match
from tellapart.llm.calls import Call, Turn
from tellapart.llm.system_replies import TurnFailed, call_of_value
from tellapart.llm.systems import PYTHON, System, importing_from_here

Factory = Callable[..., Any]
"""Gives an object with ``reply(message)`` for one conversation."""


def factory_of(system: System) -> Factory:
    """Import what makes the objects of a system."""
    module_name, _, name = system.target.removeprefix(PYTHON).partition(":")
    with importing_from_here():
        try:
            module = import_module(module_name)
        except Exception as error:
            raise UsageError(
                f"the system {system.target!r} cannot be used: importing {module_name!r} raised "
                f"{_words(error)}",
                next_step=f"Try it by itself: python -c 'import {module_name}'",
            ) from None
    factory = getattr(module, name, None)
    if not callable(factory):
        what = "has no" if factory is None else f"has {type(factory).__name__}, and not a function, as"
        names = [other for other in vars(module) if not other.startswith("_")]
        raise UsageError(
            f"the system {system.target!r} cannot be used: the module {module_name!r} {what} {name!r}",
            next_step=near_match(name, names),
        )
    return factory  # type: ignore[no-any-return]


class PythonSession:
    """An object, and the thread in which it is made and asked; one turn at a time."""

    def __init__(self, system: System, factory: Factory, session: str) -> None:
        """Ask an object that ``factory`` makes when the first turn is said."""
        self._system, self._factory, self._session = system, factory, session
        self._thread = LoopThread()
        self._object: Any = None

    async def say(self, turn: Turn) -> Call:
        """Say a turn, and give the reply to it."""
        work = asyncio.ensure_future(self._thread.run(lambda: self._reply(turn)))
        done, _ = await asyncio.wait([work], timeout=self._system.turn_timeout_s)
        if not done:
            work.cancel()
            raise TurnFailed(
                "timeout",
                "timeout",
                f"no reply to {turn.facts.id} within {self._system.turn_timeout_s:g} s. Give it more with "
                "--turn-timeout",
            )
        try:
            value = work.result()
        except Exception as error:
            where = "the factory" if self._object is None else "reply()"
            raise TurnFailed(
                "provider", "raised", f"{where} raised at {turn.facts.id}: {_words(error)}"
            ) from None
        return call_of_value({} if turn.facts.reply is not None else value, turn)

    async def close(self) -> None:
        """Let the thread end; an object with ``close`` is closed there."""
        self._thread.close(self._closed)

    async def kill(self) -> None:
        """The same: a thread cannot be ended."""
        await self.close()

    async def _reply(self, turn: Turn) -> Any:
        if self._object is None:
            offered = {"session": self._session, "system": turn.system}
            made = await _awaited(self._factory(**_taken(self._factory, offered)))
            if not callable(getattr(made, "reply", None)):
                raise TypeError(f"it gave {type(made).__name__}, which has no reply(message)")
            self._object = made
        return await _awaited(_asked(self._object, turn))

    async def _closed(self) -> None:
        close = getattr(self._object, "close", None)
        if callable(close):
            await _awaited(close())


def _asked(system: Any, turn: Turn) -> Any:
    facts = turn.facts
    available = {"id": facts.id, "type": facts.type, "session": facts.session, "date": facts.date}
    if facts.reply is None:
        return system.reply(turn.text, **_taken(system.reply, available))
    remember = getattr(system, "remember", None)
    if not callable(remember):
        raise TypeError(
            f"{type(system).__name__} has no remember(message, reply), and this message was replied to before"
        )
    return remember(turn.text, facts.reply, **_taken(remember, available))


def _taken(function: Callable[..., Any], available: Mapping[str, Any]) -> dict[str, Any]:
    """What of the arguments a function takes by their names."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    names = {
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return {name: value for name, value in available.items() if takes_all or name in names}


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
