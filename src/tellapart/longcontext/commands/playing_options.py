"""Options of ``longcontext run`` that are not about language models in general."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_PANEL = "What is played"
_MODEL_PANEL = "Language models: what is asked"


def _how(*flags: str, says: str, metavar: str | None = None, default: str | bool = False) -> Any:
    return typer.Option(*flags, help=says, metavar=metavar, show_default=default, rich_help_panel=_PANEL)


Cases = Annotated[
    list[Path],
    typer.Argument(help="Case files (sections or YAML), or directories of them.", show_default=False),
]
Models = Annotated[
    list[str],
    typer.Option(
        "--model",
        help="PROVIDER/MODEL that is asked, or replay:RUN as it answered before; repeat for several.",
        metavar="NAME",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="Write the results there too; - for stdout.", metavar="FILE")
]
RunPlace = Annotated[
    Path | None, typer.Option("--run", help="Run directory; by default named after the question.")
]
Answers = Annotated[
    Path | None,
    _how("--answers", says="The right answers, by which --control oracle finds evidence.", metavar="FILE"),
]
Continues = Annotated[
    Path | None,
    _how("--continues", says="Play this case's messages and checkpoints first, as one case.", metavar="FILE"),
]
Target = Annotated[
    int | None,
    typer.Option(
        "--target-tokens",
        min=1,
        help="Repeat the messages until a call has so many tokens.",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
MaxRepeats = Annotated[
    int | None,
    typer.Option(
        "--max-repeats", min=0, help="Most rounds of repeats.", show_default="20", rich_help_panel=_PANEL
    ),
]
ProbesLast = Annotated[
    bool | None,
    _how(
        "--probes-last/--no-probes-last",
        says="Ask all probes after the repeats; or before them, as in the documented run.",
        default="probes-last",
    ),
]
InPlace = Annotated[bool, _how("--checkpoints-in-place", says="Only verifications come after the repeats.")]
Fork = Annotated[
    bool, _how("--fork-probes", says="Ask each probe from a snapshot: its answer is in nobody's context.")
]
Epochs = Annotated[
    int, typer.Option("--epochs", min=1, help="Play each case so often.", rich_help_panel=_PANEL)
]
ControlKind = Annotated[
    str | None,
    _how(
        "--control",
        says="Ask each probe alone (closed-book), or after just its evidence (oracle).",
        metavar="closed-book|oracle",
    ),
]
Delay = Annotated[
    float | None,
    typer.Option(
        "--delay",
        min=0.0,
        help="Seconds between two calls, which then go one at a time.",
        show_default="1, and 0 for offline models",
        rich_help_panel="Language models: cost and limits",
    ),
]
Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="An earlier run: only what failed there is asked again.",
        rich_help_panel=_MODEL_PANEL,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing of single steps.")]
