"""Every error that tellapart raises on purpose.

    TellapartError            exit 2
    ├── UsageError            a flag, a name or a combination that cannot work
    ├── InputError            a file, a row or a value that cannot be used
    │   └── FingerprintError  a frozen file that is no longer what its fingerprint says
    ├── MissingExtra          an optional dependency that is not installed
    ├── ProviderError         a remote model that did not answer as it should
    ├── StorageError          a disk that is full, read-only or gone
    ├── InUse                 a run or file that another process is writing
    └── Refused               exit 1: a comparison would mislead, or something frozen would change
        └── OverBudget        asking went as far as the money allows

A message is one paragraph: what is wrong, where, what was found, what was expected, what to do next.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from shlex import join, quote


class TellapartError(Exception):
    """Root of the tree; ``exit_code`` is what the command line returns for it."""

    exit_code = 2

    def __init__(self, what: str, *, where: object = None, next_step: str | None = None) -> None:
        """Keep the parts of the paragraph.

        Args:
            what: What is wrong, with the offending value in ``repr`` and what was expected.
            where: A path, ``path:line`` or another place; put in front.
            next_step: What the reader can do about it.
        """
        self.what = what
        self.where = None if where is None else str(where)
        self.next_step = next_step
        parts = [f"{self.where}: {what}" if self.where else what]
        if next_step:
            parts.append(next_step)
        super().__init__(" ".join(part if part.endswith((".", "?", "!")) else part + "." for part in parts))

    def __reduce__(self) -> tuple[object, ...]:
        """Let workers send it: of another kind of arguments than its own it is made of its parts."""
        return _of_parts, (type(self), self.what, self.where, self.next_step)


def _of_parts(kind: type[TellapartError], what: str, where: object, next_step: str | None) -> TellapartError:
    error = kind.__new__(kind)
    TellapartError.__init__(error, what, where=where, next_step=next_step)
    return error


class UsageError(TellapartError):
    """A flag, a name or a combination that cannot work."""


class InputError(TellapartError):
    """A file, a row or a value that cannot be used."""


class FingerprintError(InputError):
    """A frozen file that is no longer what its fingerprint says."""


@contextmanager
def placed(where: object) -> Iterator[None]:
    """Give an `InputError` that does not say where it arose this place."""
    try:
        yield
    except InputError as error:
        if error.where is not None:
            raise
        raise type(error)(error.what, where=where, next_step=error.next_step) from None


class MissingExtra(TellapartError):
    """An optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        """Name the feature and the line that installs it."""
        super().__init__(
            f"{feature} needs the optional dependencies {extra!r}, which are not installed",
            next_step=f"Install them with: pip install 'tellapart[{extra}]'",
        )


_QUOTED_CHARACTERS = 60
_EXTRA_OF = {
    **dict.fromkeys(("bm25s", "numba", "sklearn"), ("scoring texts", "embed")),
    **dict.fromkeys(("faiss", "pathspec", "rapidfuzz", "tree_sitter"), ("reading code", "code")),
    **dict.fromkeys(("altair", "vl_convert"), ("drawing charts", "png")),
}


def missing_extra(error: ModuleNotFoundError) -> MissingExtra | None:
    """Name the extra that a package is of which whole suites need; None of any other package."""
    name = (error.name or "").partition(".")[0]
    of = _EXTRA_OF.get("tree_sitter" if name.startswith("tree_sitter") else name)
    return MissingExtra(*of) if of else None


class ProviderError(TellapartError):
    """A remote model that did not answer as it should."""


class StorageError(TellapartError):
    """A disk that is full, read-only or gone."""


class InUse(TellapartError):
    """A run or file that another process is writing."""


class Refused(TellapartError):
    """A comparison would mislead, or something frozen would change."""

    exit_code = 1


class OverBudget(Refused):
    """Asking went as far as the money allows; what is answered is kept."""


ANOTHER_MODEL = "Add the scores of another model: several files are read as one table"

_OPPOSITE = {"--lower-is-better": "--higher-is-better"}
_CALLED_FROM_PYTHON = ContextVar("_CALLED_FROM_PYTHON", default=False)


@contextmanager
def called_from_python() -> Iterator[None]:
    """Spell options as Python does within the block; see `option`."""
    token = _CALLED_FROM_PYTHON.set(True)
    try:
        yield
    finally:
        _CALLED_FROM_PYTHON.reset(token)


def option_name(name: str) -> str:
    """Spell the name of an option: ``--max-drop`` in a shell, ``max_drop`` in Python."""
    return name.replace("-", "_") if _CALLED_FROM_PYTHON.get() else f"--{name.replace('_', '-')}"


def option(name: str, value: object = True) -> str:
    """Spell an option as the caller types it: ``--limits 1,5`` in a shell, ``limits=(1, 5)`` in Python."""
    if _CALLED_FROM_PYTHON.get():
        return f"{option_name(name)}={value!r}"
    flag = option_name(name)
    if value is False:
        return _OPPOSITE[flag]
    if value is True:
        return flag
    if isinstance(value, Mapping):
        value = ",".join(o if o == theirs else f"{o}={theirs}" for o, theirs in value.items())
    elif isinstance(value, list | tuple):
        value = ",".join(f"{part:g}" if isinstance(part, float) else str(part) for part in value)
    text = str(value)
    blank = text.replace("…", "x")
    text = text if quote(blank) == blank else quote(text)
    # An equals sign keeps a value that begins like an option.
    return f"{flag}={text}" if text.startswith("-") else f"{flag} {text}"


def options(**values: object) -> str:
    """Spell several options, see `option`."""
    return (", " if _CALLED_FROM_PYTHON.get() else " ").join(option(*pair) for pair in values.items())


def audit_call(paths: Iterable[str]) -> str:
    """Spell the audit of scores as the caller types it."""
    return "tellapart.audit(scores)" if _CALLED_FROM_PYTHON.get() else f"tellapart audit {join(paths)}"


def near_match(name: str, options: Iterable[str]) -> str:
    """Say which option was probably meant, where one is close, and which there are."""
    names = sorted(options)
    close = close_match(name, names, cutoff=0.5)
    hint = f"Did you mean {close!r}? " if close else ""
    return f"{hint}There are: {', '.join(names)}."


def close_match(name: str, options: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Give the option that is most like a name; None where none is at least ``cutoff`` like it (of 1)."""
    return next(iter(get_close_matches(name, list(options), n=1, cutoff=cutoff)), None)


def quoted(value: object) -> str:
    """Give a value as JSON's users know it, cut to what fits a line."""
    text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= _QUOTED_CHARACTERS else f"{text[:_QUOTED_CHARACTERS]}…"
