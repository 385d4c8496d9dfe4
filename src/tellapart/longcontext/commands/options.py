"""Options of ``longcontext run``, and what several commands of the group share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.inputs import existing
from tellapart.cli.llm_options import LIMITS_PANEL, QUESTION_PANEL
from tellapart.errors import UsageError
from tellapart.longcontext.defaults import DELAY_S, MAX_REPEATS

if TYPE_CHECKING:
    from tellapart.longcontext.case import Case

_NAMED = 4
"""Cases whose names are given."""

CASE_FILES = "Case files (sections or YAML), or directories of them."

_PANEL = "What is played"


def _how(*flags: str, text: str, metavar: str | None = None, default: str | bool = False) -> Any:
    return typer.Option(*flags, help=text, metavar=metavar, show_default=default, rich_help_panel=_PANEL)


Cases = Annotated[
    list[Path],
    typer.Argument(help=CASE_FILES, show_default=False, callback=existing()),
]
Models = Annotated[
    list[str],
    typer.Option(
        "--model",
        help="Model: PROVIDER/MODEL, or replay:RUN for recorded answers; repeat for several.",
        metavar="NAME",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="Write the results there too; - for stdout.", metavar="FILE")
]
RunPlace = Annotated[
    Path | None, typer.Option("--run", help="Run directory; by default named after the settings.")
]
Answers = Annotated[
    Path | None,
    _how("--answers", text="The right answers, by which --control oracle finds evidence.", metavar="FILE"),
]
RightAnswers = Annotated[Path | None, typer.Option("--answers", help="The right answers.", metavar="FILE")]
Continues = Annotated[
    Path | None,
    _how("--continues", text="Play this case's messages and checkpoints first, as one case.", metavar="FILE"),
]
Target = Annotated[
    int | None,
    typer.Option(
        "--target-tokens",
        min=1,
        help="Repeat the messages until a call has this many tokens.",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
MaxRepeats = Annotated[
    int | None,
    typer.Option(
        "--max-repeats",
        min=0,
        help="Most rounds of repeats.",
        show_default=str(MAX_REPEATS),
        rich_help_panel=_PANEL,
    ),
]
ProbesLast = Annotated[
    bool | None,
    _how(
        "--probes-last/--no-probes-last",
        text="Ask all probes after the repeats; or before them, as in the original experiment.",
        default="probes-last",
    ),
]
InPlace = Annotated[bool, _how("--checkpoints-in-place", text="Only verifications come after the repeats.")]
Fork = Annotated[
    bool, _how("--fork-probes", text="Ask each probe from a snapshot: its answer is in nobody's context.")
]
Epochs = Annotated[
    int, typer.Option("--epochs", min=1, help="Number of times each case is played.", rich_help_panel=_PANEL)
]
ControlKind = Annotated[
    str | None,
    _how(
        "--control",
        text="Ask each probe alone (closed-book), or after just its evidence (oracle).",
        metavar="closed-book|oracle",
    ),
]
Delay = Annotated[
    float | None,
    typer.Option(
        "--delay",
        min=0.0,
        help="Seconds between two calls, which then go one at a time.",
        show_default=f"{DELAY_S:g}, and 0 for offline models",
        rich_help_panel=LIMITS_PANEL,
    ),
]
Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="Reuse the answers of an earlier run; ask only what failed there.",
        rich_help_panel=QUESTION_PANEL,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Hide single steps.")]


def cases_with(paths: Sequence[Path], continues: Path | None, next_step: str) -> list[Case]:
    """Read cases, with the one that ``--continues`` names in front of the only one of them.

    Raises:
        UsageError: There are several, with what to do instead.
        InputError: One cannot be read.
    """
    from tellapart.longcontext.case import continuing
    from tellapart.longcontext.reading import read_case, read_cases

    cases = read_cases(paths)
    if continues is None:
        return cases
    if len(cases) != 1:
        raise UsageError(f"{named(cases)} are given, but --continues takes exactly one", next_step=next_step)
    return [continuing(cases[0], read_case(continues))]


def named(cases: Sequence[Case]) -> str:
    """``3 cases (a, b, c)``; of more than four the first four."""
    names = [case.name for case in cases]
    more = ", …" if len(names) > _NAMED else ""
    return f"{len(names)} cases ({', '.join(names[:_NAMED])}{more})" if names else "0 cases"
