"""Case files: sections of text, or the same as YAML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from tellapart.errors import InputError
from tellapart.longcontext.case import Case
from tellapart.longcontext.continuing import continuing
from tellapart.longcontext.reading.section_files import case_of_sections
from tellapart.longcontext.reading.texts import expected_kind, kind_of, read_text
from tellapart.longcontext.reading.yaml_files import case_of_yaml

_SECTIONS = ".txt"
_YAML = (".yaml", ".yml")
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[Kk](?![^\W_]))?)")


def read_case(path: Path) -> Case:
    """Read one case, with what it continues in front where YAML says so.

    Raises:
        InputError: It cannot be read, is no case, or continues itself; says where.
    """
    return _read(path, ())


def _read(path: Path, after: tuple[Path, ...]) -> Case:
    if path.resolve() in after:
        raise InputError(
            "this case continues itself",
            where=path,
            next_step="Take 'continues' out of the case that comes first",
        )
    text = read_text(path)
    expected_kind("a case", text, path)
    if path.suffix.lower() not in _YAML:
        return case_of_sections(text, path)
    case, earlier = case_of_yaml(text, path)
    return continuing(case, _read(earlier, (*after, path.resolve()))) if earlier else case


def _case_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = (file for file in path.iterdir() if file.suffix.lower() in _YAML or _has_sections(file))
    found = sorted(files, key=lambda file: _natural(file.name))
    if not found:
        raise InputError(
            "there is no case in this directory",
            where=path,
            next_step="Case files end in .txt, .yaml or .yml",
        )
    return found


def _has_sections(file: Path) -> bool:
    """Whether it is a case of sections; a file of answers, or notes, may lie beside them."""
    return file.suffix.lower() == _SECTIONS and file.is_file() and kind_of(read_text(file)) == "a case"


def _natural(name: str) -> tuple[tuple[str | Decimal, ...], str]:
    """What names are put in order by: ``2K-01`` comes before ``16K-01``, and ``case 9`` before ``case 10``.

    Words and numbers take turns, so that numbers are only ever compared with numbers.
    """
    parts = enumerate(_NUMBER.split(name.lower()))
    return tuple(_amount(part) if place % 2 else part for place, part in parts), name


def _amount(number: str) -> Decimal:
    return Decimal(number.rstrip("k")) * (1000 if number.endswith("k") else 1)


def read_cases(paths: Sequence[Path]) -> list[Case]:
    """Read cases, in the order in which they are given; of a directory all case files in it, by name.

    Numbers in names are put in order by value, with K for a thousand: 2K-01, 2K-02, 16K-01.

    Raises:
        InputError: One cannot be read, two have the same name, or a directory has none.
    """
    cases = [read_case(file) for path in paths for file in _case_files(path)]
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
