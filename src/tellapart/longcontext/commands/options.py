"""What several commands of the group share: arguments, options of language models, and reading cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.inputs import existing
from tellapart.cli.llm_options import Effort, LlmOptions
from tellapart.errors import UsageError
from tellapart.longcontext.design import setting

if TYPE_CHECKING:
    from tellapart.longcontext.case import Case

CASE_FILES = "Case files (sections or YAML), or directories of them."

RunPlace = Annotated[
    Path | None,
    setting("--run", "Run directory; by default named after the settings.", file_okay=False, writable=True),
]
OutDirectory = Annotated[
    Path, setting("--out", "Output directory, one file per case.", "DIR", file_okay=False, writable=True)
]
RightAnswers = Annotated[Path | None, setting("--answers", "The right answers.", "FILE")]


def paths(text: str, metavar: str | None = None) -> Any:
    """An argument of paths that are there."""
    return typer.Argument(help=text, metavar=metavar, show_default=False, callback=existing())


Graded = Annotated[Path, paths("A run directory of grade.")]


@dataclass(frozen=True)
class FewLlmOptions(LlmOptions):
    """The options of language models that matter here; the others keep their defaults."""

    base_url: str | None = None
    seed: int | None = None
    reasoning_effort: Effort | None = None
    max_retries: int | None = None
    max_failures: int | None = None
    max_connections: int | None = None


def cases_with(paths: Sequence[Path], continues: Path | None) -> list[Case]:
    """Read cases, with the one that ``--continues`` names in front of the only one of them."""
    from tellapart.longcontext.case import continuing
    from tellapart.longcontext.reading import read_case, read_cases

    cases = read_cases(paths)
    if continues is None:
        return cases
    if len(cases) != 1:
        raise UsageError(
            f"{len(cases)} cases are given, but --continues takes exactly one",
            next_step="Give that case alone",
        )
    return [continuing(cases[0], read_case(continues))]
