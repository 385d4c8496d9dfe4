"""Case files: sections of text under ``=== HEADER ===`` lines, or the same as YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from tellapart.errors import InputError, near_match, quoted
from tellapart.files import read_text
from tellapart.longcontext.case import Case
from tellapart.longcontext.reading.texts import check_file_kind, documented_id, file_kind
from tellapart.longcontext.reading.yaml_cases import case_of, case_of_yaml

_YAML = (".yaml", ".yml")
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[Kk](?![^\W_]))?)")


def read_case(path: Path) -> Case:
    """Read one case."""
    text = read_text(path)
    check_file_kind("a case", text, path)
    read = case_of_yaml if path.suffix.lower() in _YAML else _case_of_sections
    return read(text, path)


def _case_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    in_order = sorted(filter(_is_case, path.iterdir()), key=lambda file: _natural(file.name))
    if not in_order:
        raise InputError(
            "there is no case in this directory",
            where=path,
            next_step="Case files end in .txt, .yaml or .yml",
        )
    return in_order


def _is_case(file: Path) -> bool:
    """A file of answers, or notes, may lie beside cases of sections."""
    ending = file.suffix.lower()
    return ending in _YAML or (ending == ".txt" and file.is_file() and file_kind(read_text(file)) == "a case")


def _natural(name: str) -> tuple[tuple[str | Decimal, ...], str]:
    """What names are put in order by: words and numbers in turn, so that ``2K-01`` is before ``16K-01``."""
    parts = _NUMBER.split(name.lower())
    parts[1::2] = [number.replace("k", "e3") for number in parts[1::2]]
    return tuple(Decimal(part) if i % 2 else part for i, part in enumerate(parts)), name


def read_cases(paths: Sequence[Path]) -> list[Case]:
    """Read cases, in the order in which they are given; of a directory all case files in it, by name."""
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


_HEADER = re.compile(r"=== *(.*?) *===")
_NO_HEADER = re.compile(r"={2,} *(?:SYSTEM PROMPT|NOTE\b|(?:MESSAGE|CHECKPOINT|VERIFICATION) +\w+)", re.I)
_MESSAGE = re.compile(r"MESSAGE +(\d{1,9})", re.I)
_PROBE = re.compile(r"(CHECKPOINT|VERIFICATION) +(\w[\w.-]{0,99}) *(?:\((.*)\))?", re.I)
_TOKENS = re.compile(r"\b(\d+(?:\.\d+)?K|\d{1,3}(?:,\d{3})+|\d{4,})\+? tokens", re.I)

_KNOWN = ("SYSTEM PROMPT", "NOTE FOR AUTOTEST", "MESSAGE n", "CHECKPOINT Cx-y", "VERIFICATION Vx-y")


def _case_of_sections(text: str, path: Path) -> Case:
    """Read a case; its intended length is the largest number of tokens that its note names."""
    systems: list[str] = []
    notes: list[str] = []
    steps: list[dict[str, str | None]] = []
    lines: list[int] = []
    for header, line, body in _sections(text, path):
        where = f"{path}:{line}"
        if re.match(r"NOTES?\b", header, re.I):
            notes.append(body)
            continue
        if not body:
            raise InputError(
                f"the section {quoted(header)} is empty",
                where=where,
                next_step="Its text goes below its header, up to the next one",
            )
        if header.upper() == "SYSTEM PROMPT":
            systems.append(body)
        else:
            steps.append(_named(header, where) | {"text": body})
            lines.append(line)
        if len(systems) > 1:
            raise InputError("the system prompt occurs twice", where=where, next_step="Keep one of them")
    note = "\n\n".join(notes)
    amounts = [amount.lower().replace(",", "").replace("k", "e3") for amount in _TOKENS.findall(note)]
    data = {
        "system": "".join(systems) or None,
        "note": note,
        "intended_tokens": max((round(float(amount)) for amount in amounts), default=None),
        "steps": steps,
    }
    return case_of(data, path, lambda part: lines[int(part[1])] if len(part) > 1 else 1)


def _sections(text: str, path: Path) -> Iterator[tuple[str, int, str]]:
    """Headers with their lines, and what stands below each."""
    header, start, body = "", 0, list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if match := _HEADER.fullmatch(bare):
            if start:
                yield header, start, "\n".join(body).strip()
            header, start, body = match[1], number, []
        elif _NO_HEADER.match(bare):
            raise InputError(
                f"{bare[:60]!r} looks like a header but is not one",
                where=f"{path}:{number}",
                next_step="A header is a line of its own, with three '=' on both sides: '=== MESSAGE 1 ==='",
            )
        elif bare and not start:
            raise InputError(
                "there is text before the first header",
                where=f"{path}:{number}",
                next_step="Put '=== NOTE ===' above it, if it is for people",
            )
        else:
            body.append(line)
    if start:
        yield header, start, "\n".join(body).strip()


def _named(header: str, where: str) -> dict[str, str | None]:
    """The kind and id of the step that a header opens, and its failure mode."""
    if message := _MESSAGE.fullmatch(header):
        return {"message": f"M{int(message[1])}"}
    if probe := _PROBE.fullmatch(header):
        mode = (probe[3] or "").strip() or None
        return {probe[1].lower(): documented_id(probe[2]), "failure_mode": mode}
    raise InputError(
        f"the header {quoted(header)} is not known",
        where=where,
        next_step=near_match(header[:60].upper(), _KNOWN),
    )
