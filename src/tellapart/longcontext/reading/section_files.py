"""Case files of sections: ``=== HEADER ===``, and the content up to the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tellapart.errors import InputError, near_match
from tellapart.longcontext.case import Case, CaseStep, StepType

_HEADER = re.compile(r"=== *(.*?) *===")
_NO_HEADER = re.compile(r"={2,} *(?:SYSTEM PROMPT|NOTE\b|(?:MESSAGE|CHECKPOINT|VERIFICATION) +\w+)", re.I)
_MESSAGE = re.compile(r"MESSAGE +(\d+)", re.I)
_PROBE = re.compile(r"(?:(CHECKPOINT) +(C[\w-]+)|VERIFICATION +(V[\w-]+)) *(?:\((.*)\))?", re.I)
_TOKENS = re.compile(r"\b(\d+(?:\.\d+)?K|\d{1,3}(?:,\d{3})+|\d{4,})\+? tokens", re.I)

_KNOWN = ("SYSTEM PROMPT", "NOTE FOR AUTOTEST", "MESSAGE n", "CHECKPOINT Cx-y", "VERIFICATION Vx-y")


@dataclass(frozen=True)
class _Section:
    header: str
    line: int
    text: str


def case_of_sections(text: str, path: Path) -> Case:
    """Read a case.

    A text is what stands between two headers, without the spaces and empty lines around it. What the case
    was meant to grow to is the largest number of tokens that its note names.

    Raises:
        InputError: A header is not known or not closed, a section has no text, a step or the system prompt
            occurs twice, or there is no step at all; says in which line.
    """
    system: _Section | None = None
    notes = []
    steps: dict[str, CaseStep] = {}
    for section in _sections(text, path):
        if section.header.upper() == "SYSTEM PROMPT":
            _once("system prompt", section, system.line if system else None, path)
            system = _filled(section, path)
        elif re.match(r"NOTES?\b", section.header, re.I):
            notes.append(section.text)
        else:
            step = _step(_filled(section, path), path)
            _once(f"step {step.id}", section, steps[step.id].line if step.id in steps else None, path)
            steps[step.id] = step
    if not steps:
        raise InputError(
            "there is no step in this file",
            where=path,
            next_step="A step begins with a line '=== MESSAGE 1 ==='",
        )
    note = "\n\n".join(notes)
    prompt = system.text if system else None
    return Case(path.stem, prompt, tuple(steps.values()), note, _intended(note), str(path))


def _sections(text: str, path: Path) -> Iterator[_Section]:
    header, begun, lines = "", 0, list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        match = _HEADER.fullmatch(line.strip())
        if match is None:
            _check_content(line, number, path)
            lines.append(line)
            continue
        if begun:
            yield _Section(header, begun, "\n".join(lines).strip())
        else:
            first = next((place for place, before in enumerate(lines, 1) if before.strip()), None)
            if first is not None:
                raise InputError(
                    "there is text before the first header",
                    where=f"{path}:{first}",
                    next_step="Put '=== NOTE ===' above it, if it is for people",
                )
        header, begun, lines = match[1], number, []
    if begun:
        yield _Section(header, begun, "\n".join(lines).strip())


def _check_content(line: str, number: int, path: Path) -> None:
    if _NO_HEADER.match(line.strip()):
        raise InputError(
            f"{line.strip()[:60]!r} looks like a header, and is none",
            where=f"{path}:{number}",
            next_step="A header is a line of its own with three '=' before and behind: '=== MESSAGE 1 ==='",
        )


def _once(what: str, section: _Section, first: int | None, path: Path) -> None:
    if first is not None:
        raise InputError(
            f"the {what} is here for the second time",
            where=f"{path}:{section.line}",
            next_step=f"The first is in line {first}: take one away, or give it another number",
        )


def _filled(section: _Section, path: Path) -> _Section:
    if not section.text:
        raise InputError(
            f"the section {section.header!r} is empty",
            where=f"{path}:{section.line}",
            next_step="Its text stands below its header, up to the next one",
        )
    return section


def _step(section: _Section, path: Path) -> CaseStep:
    if message := _MESSAGE.fullmatch(section.header):
        return CaseStep(f"M{int(message[1])}", "message", section.text, line=section.line)
    if probe := _PROBE.fullmatch(section.header):
        kind: StepType = "checkpoint" if probe[1] else "verification"
        id_ = (probe[2] or probe[3]).upper()
        return CaseStep(id_, kind, section.text, (probe[4] or "").strip() or None, line=section.line)
    raise InputError(
        f"the header {section.header!r} is not known",
        where=f"{path}:{section.line}",
        next_step=near_match(section.header.upper(), _KNOWN),
    )


def _intended(note: str) -> int | None:
    return max((_number(found) for found in _TOKENS.findall(note)), default=None)


def _number(text: str) -> int:
    return round(float(text[:-1]) * 1000) if text[-1] in "kK" else int(text.replace(",", ""))
