"""Case files of sections: ``=== HEADER ===``, and the content up to the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tellapart.errors import InputError
from tellapart.longcontext.case import Case, CaseStep

_HEADER = re.compile(r"^=== *(.*?) *===$")
_MESSAGE = re.compile(r"MESSAGE +(\d+)", re.I)
_PROBE = re.compile(r"(CHECKPOINT|VERIFICATION) +([A-Z]\w*-\w+) *(?:\((.*)\))?", re.I)
_TARGET = re.compile(r"\b(\d{1,3}(?:,\d{3})+|\d+K)\b(?= tokens)", re.I)


@dataclass(frozen=True)
class _Section:
    header: str
    line: int
    text: str


def case_of_sections(text: str, path: Path) -> Case:
    """Read a case.

    Raises:
        InputError: A header is not known, a step has no text or occurs twice, or there is no step at all.
    """
    system: str | None = None
    note = ""
    steps: dict[str, CaseStep] = {}
    for section in _sections(text, path):
        if section.header.upper() == "SYSTEM PROMPT":
            system = section.text
        elif section.header.upper().startswith("NOTE"):
            note = section.text
        else:
            step = _step(section, path)
            if step.id in steps:
                raise InputError(
                    f"the step {step.id} is here for the second time",
                    where=f"{path}:{section.line}",
                    next_step=f"The first is in line {steps[step.id].line}: give one of them another number",
                )
            steps[step.id] = step
    if not steps:
        raise InputError(
            "there is no step in this file",
            where=path,
            next_step="A step begins with a line '=== MESSAGE 1 ==='",
        )
    return Case(path.stem, system, tuple(steps.values()), note, _intended(note), str(path))


def _sections(text: str, path: Path) -> Iterator[_Section]:
    header, begun, lines = "", 0, list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        match = _HEADER.match(line.strip())
        if match is None:
            lines.append(line)
            continue
        if begun:
            yield _Section(header, begun, "\n".join(lines).strip())
        elif any(before.strip() for before in lines):
            raise InputError("there is text before the first header", where=f"{path}:1")
        header, begun, lines = match[1], number, []
    if begun:
        yield _Section(header, begun, "\n".join(lines).strip())


def _step(section: _Section, path: Path) -> CaseStep:
    where = f"{path}:{section.line}"
    if not section.text:
        raise InputError(f"the section {section.header!r} is empty", where=where)
    if message := _MESSAGE.fullmatch(section.header):
        return CaseStep(f"M{int(message[1])}", "message", section.text, line=section.line)
    if probe := _PROBE.fullmatch(section.header):
        kind = "checkpoint" if probe[1].upper() == "CHECKPOINT" else "verification"
        return CaseStep(probe[2].upper(), kind, section.text, probe[3], line=section.line)  # type: ignore[arg-type]
    raise InputError(
        f"the header {section.header!r} is not known",
        where=where,
        next_step="Known are SYSTEM PROMPT, NOTE FOR AUTOTEST, MESSAGE n, CHECKPOINT Cx-y (failure mode) and "
        "VERIFICATION Vx-y (failure mode)",
    )


def _intended(note: str) -> int | None:
    found = [_number(match) for match in _TARGET.findall(note)]
    return max(found, default=None)


def _number(text: str) -> int:
    return int(text[:-1]) * 1000 if text[-1] in "kK" else int(text.replace(",", ""))
