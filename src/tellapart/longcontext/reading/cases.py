"""Case files: sections of text, or the same as YAML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tellapart.errors import InputError
from tellapart.longcontext.case import Case
from tellapart.longcontext.reading.section_files import case_of_sections
from tellapart.longcontext.reading.texts import read_text
from tellapart.longcontext.reading.yaml_files import case_of_yaml

_YAML = (".yaml", ".yml")


def read_case(path: Path) -> Case:
    """Read one case.

    Raises:
        InputError: It cannot be read, or is no case; says where.
    """
    text = read_text(path)
    read = case_of_yaml if path.suffix.lower() in _YAML else case_of_sections
    return read(text, path)


def read_cases(paths: Sequence[Path]) -> list[Case]:
    """Read cases, in the order in which they are given.

    Raises:
        InputError: One cannot be read, or two have the same name.
    """
    cases = [read_case(path) for path in paths]
    seen: dict[str, str] = {}
    for case in cases:
        if case.name in seen:
            raise InputError(
                f"this case is called {case.name!r}, and so is {seen[case.name]}",
                where=case.source,
                next_step="Give each case a name of its own: the file's, or 'name' in YAML",
            )
        seen[case.name] = case.source
    return cases
