"""Case files of a synthetic experiment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tellapart.core.progress import SILENT, Progress
from tellapart.errors import UsageError
from tellapart.longcontext.case import Case
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.design import Design
from tellapart.longcontext.generating.conversations import conversation
from tellapart.longcontext.reading.yaml_cases import write_case
from tellapart.longcontext.tokens import estimated


@dataclass(frozen=True)
class WrittenCase:
    """One case that was written.

    ``prompt_tokens`` are those of all calls when every probe is asked of the same context, as estimated.
    """

    name: str
    path: Path
    tokens: int
    messages: int
    probes: int
    prompt_tokens: int


def write_cases(design: Design, out: Path, *, progress: Progress = SILENT) -> list[WrittenCase]:
    """Make the conversations of a design and write a YAML file for each; equal files stay as they are."""
    if out.exists() and not out.is_dir():
        raise UsageError("this is a file, expected a directory", where=out, next_step="Choose another --out")
    foreign = sorted(path.name for path in out.iterdir() if path.suffix != ".yaml") if out.exists() else []
    if foreign:
        raise UsageError(
            f"this directory holds something else, such as {foreign[0]!r}; cases have a directory of their "
            "own",
            where=out,
            next_step="Choose another --out",
        )
    lengths = sorted(design.lengths)
    # What fits into the shortest fits into all, and is known before a file is written.
    for task in design.tasks:
        conversation(design, lengths[0], 0, task)
    written = []
    for length in lengths:
        for task in design.tasks:
            for number in range(design.conversations):
                case = conversation(design, length, number, task)
                path = write_case(case, out)
                written.append(_written(case, path, length))
        count = design.conversations * len(design.tasks)
        progress(f"wrote {count} conversations of {length:,} tokens to {out}")
    return written


def _written(case: Case, path: Path, length: int) -> WrittenCase:
    sent = estimated(case.system or "", TOKENS_A_CHARACTER)
    total = 0
    for message in case.messages:
        sent += estimated(message.text, TOKENS_A_CHARACTER)
        total += sent
    return WrittenCase(
        case.name, path, length, len(case.messages), len(case.probes), total + length * len(case.probes)
    )
