"""Case files: sections of text under ``=== HEADER ===`` lines, or the same as YAML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from tellapart.errors import InputError, near_match, quoted
from tellapart.files import read_text
from tellapart.longcontext.case import Case, CaseStep, StepType
from tellapart.longcontext.reading.texts import check_file_kind, documented_id, file_kind, is_of_other_kind
from tellapart.longcontext.reading.yaml_cases import case_of_yaml

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
_MESSAGE = re.compile(r"MESSAGE +(\d+)", re.I)
_PROBE = re.compile(r"(CHECKPOINT|VERIFICATION) +(\w[\w.-]*) *(?:\((.*)\))?", re.I)
_TOKENS = re.compile(r"\b(\d+(?:\.\d+)?K|\d{1,3}(?:,\d{3})+|\d{4,})\+? tokens", re.I)

_KNOWN = ("SYSTEM PROMPT", "NOTE FOR AUTOTEST", "MESSAGE n", "CHECKPOINT Cx-y", "VERIFICATION Vx-y")


@dataclass
class _Section:
    header: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def _case_of_sections(text: str, path: Path) -> Case:
    """Read a case; its intended length is the largest number of tokens that its note names."""
    system: str | None = None
    notes = []
    steps: list[CaseStep] = []
    lines: dict[str, int] = {}
    for section in _sections(text, path):
        where = f"{path}:{section.line}"
        if re.match(r"NOTES?\b", section.header, re.I):
            notes.append(section.text)
            continue
        is_system = section.header.upper() == "SYSTEM PROMPT"
        step = None if is_system else _step(section, where)
        if not section.text:
            raise InputError(
                f"the section {quoted(section.header)} is empty",
                where=where,
                next_step="Its text goes below its header, up to the next one",
            )
        what = f"step {step.id}" if step else "system prompt"
        if lines.setdefault(what, section.line) != section.line:
            raise InputError(
                f"the {what} occurs twice",
                where=where,
                next_step=f"The first is in line {lines[what]}: remove one, or give it another number",
            )
        system = section.text if is_system else system
        steps += [step] if step else []
    if not steps:
        raise InputError(
            "there is no step in this file",
            where=path,
            next_step="A step begins with a line '=== MESSAGE 1 ==='",
        )
    note = "\n\n".join(notes)
    return Case(path.stem, system, tuple(steps), note, _intended(note), str(path))


def _sections(text: str, path: Path) -> list[_Section]:
    sections: list[_Section] = []
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if match := _HEADER.fullmatch(bare):
            sections.append(_Section(match[1], number))
        elif _NO_HEADER.match(bare):
            raise InputError(
                f"{bare[:60]!r} looks like a header but is not one",
                where=f"{path}:{number}",
                next_step="A header is a line of its own, with three '=' on both sides: '=== MESSAGE 1 ==='",
            )
        elif sections:
            sections[-1].lines.append(line)
        elif bare:
            raise InputError(
                "there is text before the first header",
                where=f"{path}:{number}",
                next_step="Put '=== NOTE ===' above it, if it is for people",
            )
    return sections


def _step(section: _Section, where: str) -> CaseStep:
    if message := _MESSAGE.fullmatch(section.header):
        return CaseStep(f"M{int(message[1])}", "message", section.text, line=section.line)
    probe = _PROBE.fullmatch(section.header)
    kind: StepType = "checkpoint" if probe and probe[1].lower() == "checkpoint" else "verification"
    if probe and not is_of_other_kind(probe[2], kind):
        mode = (probe[3] or "").strip() or None
        return CaseStep(documented_id(probe[2]), kind, section.text, mode, line=section.line)
    raise InputError(
        f"the header {quoted(section.header)} is not known",
        where=where,
        next_step=near_match(section.header[:60].upper(), _KNOWN),
    )


def _intended(note: str) -> int | None:
    amounts = [amount.lower().replace(",", "").replace("k", "e3") for amount in _TOKENS.findall(note)]
    return max((round(float(amount)) for amount in amounts), default=None)
