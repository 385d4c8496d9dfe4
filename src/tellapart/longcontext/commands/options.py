"""Options of ``longcontext run``, and what several commands of the group share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from tellapart.cli.inputs import existing
from tellapart.cli.llm_options import LIMITS_PANEL, QUESTION_PANEL
from tellapart.cli.settings import Parsed
from tellapart.environment.programs import PASS_ENV_HELP
from tellapart.errors import UsageError
from tellapart.longcontext.defaults import DELAY_S

if TYPE_CHECKING:
    from tellapart.llm.systems import System
    from tellapart.longcontext.case import Case

_NAMED = 4
"""Cases whose names are given."""

CASE_FILES = "Case files (sections or YAML), or directories of them."

_PANEL = "What is played"


def option(
    flag: str,
    text: str,
    metavar: str | None = None,
    default: str | bool = False,
    panel: str = _PANEL,
    **more: Any,
) -> Any:
    """An option with its help; ``default`` is what the help shows."""
    return typer.Option(flag, help=text, metavar=metavar, show_default=default, rich_help_panel=panel, **more)


Cases = Annotated[list[Path], typer.Argument(help=CASE_FILES, show_default=False, callback=existing())]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="Model: PROVIDER/MODEL, python:MODULE:FACTORY for an assistant in Python, or replay:RUN for "
        "recorded answers; repeat for several.",
        metavar="NAME",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", writable=True, help="Write the results there too; - for stdout.", metavar="FILE"),
]
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
Quiet = Annotated[bool, typer.Option("--quiet", help="Hide single steps.")]


Control = Literal["closed-book", "oracle"]


def _control(typed: str) -> str:
    if typed not in get_args(Control):
        raise UsageError(f"--control is {typed!r}, expected 'closed-book' or 'oracle'")
    return typed


_COMMAND = (
    "Assistant to test: a program that reads a turn and writes its reply, a line of JSON each. It is started "
    "once for each conversation, whose name replaces {session}. Repeat for several."
)
_NAME = "Name of a command, by default its first word; once for each, in their order."
_PASS_ENV = PASS_ENV_HELP.replace("the program", "a command")
_TURN_TIMEOUT = "Time limit of one turn of an assistant."


@dataclass(frozen=True)
class SystemOptions:
    """Systems under test, as they were typed."""

    command: Annotated[tuple[str, ...], option("--command", _COMMAND, "COMMAND")] = ()
    name: Annotated[tuple[str, ...], option("--name", _NAME, "NAME")] = ()
    turn_timeout: Annotated[
        float | None, option("--turn-timeout", _TURN_TIMEOUT, "SECONDS", "120", LIMITS_PANEL, min=0.1)
    ] = None
    pass_env: Annotated[tuple[str, ...], option("--pass-env", _PASS_ENV, "NAME")] = ()

    def systems(self, models: Sequence[str]) -> list[System]:
        """Read the commands, and those models that are objects of Python, in their order."""
        from tellapart.llm.systems import TURN_TIMEOUT_S, command_system, python_system

        if self.name and len(self.name) != len(self.command):
            raise UsageError(
                f"--name is given {len(self.name)} times and --command {len(self.command)} times",
                next_step="Name each command once, in their order; a --model has its own name",
            )
        if self.turn_timeout is not None and not (self.command or models):
            raise UsageError(
                "no assistant is played, so this has no effect: --turn-timeout",
                next_step="A language model has --timeout",
            )
        if self.pass_env and not self.command:
            raise UsageError(
                "no program is started, so this has no effect: --pass-env",
                next_step="A language model and an object of Python have the whole environment",
            )
        seconds = TURN_TIMEOUT_S if self.turn_timeout is None else self.turn_timeout
        names = self.name or (None,) * len(self.command)
        return [
            *(
                command_system(text, name=name, turn_timeout_s=seconds, pass_env=self.pass_env)
                for text, name in zip(self.command, names, strict=True)
            ),
            *(python_system(text, turn_timeout_s=seconds) for text in dict.fromkeys(models)),
        ]


_ANSWERS = "The right answers, by which --control oracle finds evidence."
_CONTINUES = "Play this case's messages and checkpoints first, as one case."
_TARGET = "Repeat the messages until a call has this many tokens."
_LAST = "Ask all probes after the repeats; or before them, as in the original experiment."
_FORK = "Ask each probe from a snapshot: its answer is in nobody's context."
_CONTROL = "Ask each probe alone (closed-book), or after just its evidence (oracle)."
_DELAY = "Seconds between two calls, which then go one at a time."
_REUSE = "Reuse the answers of an earlier run; ask only what failed there."


@dataclass(frozen=True)
class PlayOptions:
    """What is played, as it was typed; None for the default."""

    answers: Annotated[Path | None, option("--answers", _ANSWERS, "FILE")] = None
    continues: Annotated[Path | None, option("--continues", _CONTINUES, "FILE")] = None
    target_tokens: Annotated[int | None, option("--target-tokens", _TARGET, min=1)] = None
    probes_last: Annotated[
        bool | None, option("--probes-last/--no-probes-last", _LAST, default="probes-last")
    ] = None
    fork_probes: Annotated[bool, option("--fork-probes", _FORK)] = False
    epochs: Annotated[
        int, option("--epochs", "Number of times each case is played.", default=True, min=1)
    ] = 1
    control: Annotated[
        Control | None, option("--control", _CONTROL, "closed-book|oracle"), Parsed(_control)
    ] = None
    delay: Annotated[
        float | None,
        option(
            "--delay", _DELAY, default=f"{DELAY_S:g}, and 0 for offline models", panel=LIMITS_PANEL, min=0.0
        ),
    ] = None
    reuse: Annotated[Path | None, option("--reuse", _REUSE, panel=QUESTION_PANEL)] = None


def cases_with(paths: Sequence[Path], continues: Path | None) -> list[Case]:
    """Read cases, with the one that ``--continues`` names in front of the only one of them."""
    from tellapart.longcontext.case import continuing
    from tellapart.longcontext.reading import read_case, read_cases

    cases = read_cases(paths)
    if continues is None:
        return cases
    if len(cases) != 1:
        raise UsageError(
            f"{named(cases)} are given, but --continues takes exactly one", next_step="Give that case alone"
        )
    return [continuing(cases[0], read_case(continues))]


def named(cases: Sequence[Case]) -> str:
    """``3 cases (a, b, c)``; of more than four the first four."""
    names = [case.name for case in cases]
    more = ", …" if len(names) > _NAMED else ""
    return f"{len(names)} cases ({', '.join(names[:_NAMED])}{more})" if names else "0 cases"
