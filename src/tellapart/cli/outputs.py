"""Every command's outputs are looked at before the command begins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import typer
from typer.models import ParameterInfo

from tellapart.environment.clock import now

STDOUT = Path("-")


def guard_outputs(app: typer.Typer) -> None:
    """Have no command of ``app`` and of its groups begin whose outputs cannot be written; see `check_outs`.

    Outputs are the options and arguments that are ``writable``; those with ``file_okay=False`` are
    directories. All other paths are inputs. The date that goes into outputs is looked at too.
    """
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _guarded(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            guard_outputs(group.typer_instance)


def _guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def guarded(**typed: Any) -> Any:
        from tellapart.store import check_outs

        outs, directories, inputs = [], [], []
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
            notes = getattr(parameter.annotation, "__metadata__", ())
            option = next((note for note in notes if isinstance(note, ParameterInfo)), None)
            paths = list(_paths(typed.get(name)))
            if option is None or not option.writable:
                inputs += paths
            elif option.file_okay:
                outs += paths
            else:
                directories += paths
        check_outs(outs, inputs, directories=directories)
        now()
        return command(**typed)

    return guarded


def _paths(value: Any) -> Iterator[Path]:
    """The paths in what was typed, standard output aside."""
    if isinstance(value, Path):
        if value != STDOUT:
            yield value
    elif isinstance(value, (list, tuple)):
        for element in value:
            yield from _paths(element)
