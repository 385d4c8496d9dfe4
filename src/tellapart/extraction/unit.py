"""What a repository is cut into: functions, methods and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

UnitType = Literal["function", "method", "class"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as it is written; ``type`` and ``default`` are None where the source has none."""

    name: str
    type: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One function, method or class.

    Attributes:
        id: ``path::qualified.name#hash8``, the hash being of the content, so an edited unit is another unit.
        path: POSIX path from the repository's root.
        type: ``function`` outside a class-like scope, ``method`` inside one, or ``class``.
        content: Source text, decorators and annotations included, without the docstring.
        signature: The header up to the body, on one line.
        docstring: The docstring or the leading doc comment, comment marks and common indent removed, or None.
        start_line: First line of the content in the file, counted from 1; ``end_line`` is the last.
    """

    id: str
    path: str
    name: str
    type: UnitType
    language: str
    content: str
    signature: str
    parameters: tuple[Parameter, ...]
    return_type: str | None
    docstring: str | None
    start_line: int
    end_line: int
