"""What several commands of the group share: their arguments, and cases as ``--continues`` joins them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.longcontext.case import Case

_NAMED = 4
"""Cases whose names are given."""

CASE_FILES = "Case files (sections or YAML), or directories of them."


def option(flag: str, text: str, metavar: str | None = None, default: str | bool = False, **more: Any) -> Any:
    """An option with its help; ``default`` is what the help shows."""
    return typer.Option(flag, help=text, metavar=metavar, show_default=default, **more)


RunPlace = Annotated[
    Path | None,
    typer.Option(
        "--run", file_okay=False, writable=True, help="Run directory; by default named after the settings."
    ),
]
OutDirectory = Annotated[
    Path,
    typer.Option(
        "--out", file_okay=False, writable=True, help="Output directory, one file per case.", metavar="DIR"
    ),
]
RightAnswers = Annotated[Path | None, typer.Option("--answers", help="The right answers.", metavar="FILE")]


def cases_with(paths: Sequence[Path], continues: Path | None) -> list[Case]:
    """Read cases, with the one that ``--continues`` names in front of the only one of them."""
    from tellapart.longcontext.case import continuing
    from tellapart.longcontext.reading import read_case, read_cases

    cases = read_cases(paths)
    if continues is None:
        return cases
    if len(cases) != 1:
        names = [case.name for case in cases]
        more = ", …" if len(names) > _NAMED else ""
        given = f"{len(names)} cases ({', '.join(names[:_NAMED])}{more})" if names else "0 cases"
        raise UsageError(
            f"{given} are given, but --continues takes exactly one", next_step="Give that case alone"
        )
    return [continuing(cases[0], read_case(continues))]
