"""Arguments that are looked at as soon as they are typed, before anything that takes time is imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tellapart.errors import InputError
from tellapart.store.paths import require_run, require_there

Paths = TypeVar("Paths", Path, Sequence[Path], None)
Names = TypeVar("Names", str, Sequence[str], None)


def existing(
    what: str | None = None, *, next_step: str | None = None, within: str = ""
) -> Callable[[Paths], Paths]:
    """Make a callback for an argument of one path or several that must be there."""

    def check(value: Paths) -> Paths:
        for path in _each(value):
            if what and within and not (path / within).exists():
                raise InputError(what, where=path, next_step=next_step)
            require_there(path, what, next_step=next_step)
        return value

    return check


def existing_here(address: str) -> str:
    """See that a file or folder is there; in an object store that would take a connection."""
    if "://" not in address:
        require_there(Path(address))
    return address


def existing_or_pattern(value: Paths) -> Paths:
    """See that score files that an argument names are there; a pattern may fit some."""
    for path in _each(value):
        if not any(sign in str(path) for sign in "*?["):
            # Behind two colons stands a table of a database.
            file = path if path.exists() else Path(str(path).rpartition("::")[0] or path)
            require_there(file)
    return value


def existing_run(value: Paths) -> Paths:
    """See that the runs that an argument names are there."""
    for path in _each(value):
        require_run(path)
    return value


def known_models(value: Names) -> Names:
    """See that models of an option have a name that there is, up to the colon; lists may have commas."""
    from tellapart.embed.model_names import require_known

    if isinstance(value, list):
        value[:] = [name.strip() for listed in value for name in listed.split(",")]
    names: Sequence[str] = [value] if isinstance(value, str) else value or ()
    for name in names:
        require_known(name)
    return value


EMBEDDER = typer.Option(
    "--model",
    help="An embedder: lsa, minilm; st:PATH_OR_ID; openai:MODEL.",
    show_default=False,
    callback=known_models,
)
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Of an OpenAI-compatible server.")]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Drop bad rows and count them by cause.")]


def _each(value: Path | Sequence[Path] | None) -> Sequence[Path]:
    if value is None:
        return ()
    return [value] if isinstance(value, Path) else value
