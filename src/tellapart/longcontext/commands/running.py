"""``run``: cases played against models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.llm_options import LlmOptions, check_named, llm_options_with
from tellapart.cli.output import say, warn
from tellapart.errors import UsageError
from tellapart.longcontext.commands.progress import grade_command, watching

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.longcontext.case import Case
    from tellapart.longcontext.plan import Playing
    from tellapart.longcontext.run import Asked

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


DEFAULTS = {"temperature": "0.3", "max_tokens": "2000"}
"""Of ``longcontext.run``, which is not imported before it is needed."""


@llm_options_with(DEFAULTS)
def run(
    cases: Cases,
    asking: LlmOptions,
    models: Models,
    out: Out = None,
    answers: Answers = None,
    continues: Continues = None,
    target_tokens: Target = None,
    max_repeats: MaxRepeats = None,
    probes_last: ProbesLast = None,
    checkpoints_in_place: InPlace = False,
    fork_probes: Fork = False,
    epochs: Epochs = 1,
    control: ControlKind = None,
    delay: Delay = None,
    reuse: Reuse = None,
    run_directory: RunPlace = None,
    quiet: Quiet = False,
) -> None:
    """Play cases against models; an interrupted run goes on where it stopped."""
    from tellapart.store import check_outs

    check_outs([None if str(out) == "-" else out], [*cases, answers, continues])
    playing = _playing(target_tokens, max_repeats, probes_last, checkpoints_in_place, fork_probes)
    asked = _asked(cases, models, asking, playing, epochs, control, answers, continues, reuse)
    limits = _limits(asking, asked, models, delay)
    if asking.dry_run:
        _foresee(asked, limits, run_directory, reuse)
        return
    found = _run(asked, limits, out, run_directory, reuse, quiet=quiet)
    written = asked.cases if continues is None else _read_cases(cases, None)
    say(f"next: {grade_command(found, cases, written, answers)}")


def _run(
    asked: Asked, limits: Limits, out: Path | None, place: Path | None, reuse: Path | None, *, quiet: bool
) -> Path:
    import json

    from tellapart.longcontext.run import run_cases
    from tellapart.longcontext.transcript import RESULTS_FILE

    with watching(asked, limits, quiet=quiet) as seen:
        found = run_cases(
            asked, limits=limits, out=place, reuse=reuse, told=seen.told, known=seen.known, progress=say
        )
    text = (found.path / RESULTS_FILE).read_text(encoding="utf-8")
    _write(out, text)
    warn(_warnings(json.loads(text), found.path))
    say(f"results: {found.path / RESULTS_FILE}" if out is None else f"run: {found.path}")
    return found.path


def _write(out: Path | None, text: str) -> None:
    from tellapart.store import write_text

    if str(out) == "-":
        typer.echo(text, nl=False)
    elif out is not None:
        write_text(out, text)


def _warnings(results: dict[str, Any], run: Path) -> list[str]:
    """How many steps have no response and why, how many were not reached, and how to ask again."""
    from collections import Counter

    from tellapart.longcontext.run import failures

    lost = failures(results)
    steps = sum(len(case["steps"]) for case in results["cases"])
    kinds = Counter(
        one["cause"] if one["httpStatus"] in (None, 200) else f"HTTP {one['httpStatus']}" for one in lost
    )
    left = sum(len(case.get("notAsked", ())) for case in results["cases"])
    found = []
    if lost:
        why = ", ".join(f"{name} {n:,}" for name, n in sorted(kinds.items()))
        first = next((one for one in lost if one["cause"] != "infeasible"), lost[0])
        found.append(
            f"{len(lost):,} of {steps:,} steps have no response ({why}); the first is {first['stepId']} of "
            f"{first['case']}: {first['errorMessage']}"
        )
    if left:
        found.append(f"{left:,} steps were not asked, since their conversation stopped before them")
    if any(one["cause"] != "infeasible" for one in lost):
        found.append(f"to ask again what failed: the same command with --reuse {run}")
    return found


def _foresee(asked: Asked, limits: Limits, place: Path | None, reuse: Path | None) -> None:
    from tellapart.cli.dry_run import print_estimates
    from tellapart.longcontext.run import foresee_cases

    check_named(asked.models)
    print_estimates(foresee_cases(asked, limits=limits, out=place, reuse=reuse), limits, as_json=False)
    say("a question is one turn, which sends all that was said before; what caches save is not known")


def _playing(
    target: int | None, max_repeats: int | None, last: bool | None, in_place: bool, fork: bool
) -> Playing:
    from tellapart.longcontext.plan import Order, Playing

    given = {
        "--max-repeats": max_repeats is not None,
        "--probes-last" if last else "--no-probes-last": last is not None,
        "--checkpoints-in-place": in_place,
    }
    unused = [name for name, there in given.items() if there]
    if target is None and unused:
        raise UsageError(
            f"nothing is repeated, so there is no use for {', '.join(unused)}",
            next_step="Give --target-tokens N, up to which the messages are repeated",
        )
    if in_place and last is False:
        raise UsageError(
            "--checkpoints-in-place asks verifications after the repeats, and --no-probes-last before them"
        )
    order: Order = "checkpoints-in-place" if in_place else "as-written" if last is False else "probes-last"
    return Playing(target, Playing.max_repeats if max_repeats is None else max_repeats, order, fork)


def _asked(
    paths: Sequence[Path],
    names: Sequence[str],
    asking: LlmOptions,
    playing: Playing,
    epochs: int,
    control: str | None,
    answers: Path | None,
    continues: Path | None,
    reuse: Path | None,
) -> Asked:
    from tellapart.longcontext.plan import Playing
    from tellapart.longcontext.reading import read_answers
    from tellapart.longcontext.run import Asked

    _check_control(control, answers, plain=playing == Playing())
    asking.check_used(names, "--model PROVIDER/MODEL", {"--reuse": reuse})
    if asking.response_schema is not None:
        raise UsageError("replies of a conversation have no form, so there is no use for --response-schema")
    ours: dict[str, Any] = {name: value for name, value in DEFAULTS.items() if getattr(asking, name) is None}
    cases = _read_cases(paths, continues)
    models = replace(asking, **ours).models(names)
    return Asked(cases, models, playing, epochs, control, read_answers(answers) if answers else None)  # type: ignore[arg-type]


def _check_control(control: str | None, answers: Path | None, *, plain: bool) -> None:
    if control not in (None, "closed-book", "oracle"):
        raise UsageError(f"--control is {control!r}, expected 'closed-book' or 'oracle'")
    if control and not plain:
        raise UsageError(
            "a control asks each probe alone, so there is no use for --target-tokens and --fork-probes"
        )
    if answers and control != "oracle":
        raise UsageError(
            "only --control oracle looks at the answers before they are graded, so there is no use for "
            "--answers",
            next_step="Give it to 'tellapart longcontext grade'",
        )


def _read_cases(paths: Sequence[Path], continues: Path | None) -> list[Case]:
    from tellapart.longcontext.case import continuing, named
    from tellapart.longcontext.reading import read_case, read_cases

    cases = read_cases(paths)
    if continues is None:
        return cases
    if len(cases) > 1:
        raise UsageError(
            f"{named(cases)} are given, and --continues says what comes before one",
            next_step="Play that case in a run of its own, or write 'continues' into its YAML",
        )
    return [continuing(cases[0], read_case(continues))]


def _limits(asking: LlmOptions, asked: Asked, names: Sequence[str], delay: float | None) -> Limits:
    from tellapart.longcontext.run import DELAY_S

    here = all(model.provider == "offline" or model.recording for model in asked.models)
    delay_s = delay if delay is not None else 0.0 if here else DELAY_S
    if delay_s and asking.max_connections is not None:
        raise UsageError(
            f"with {delay_s:g} s between two calls they go one at a time, so there is no use for "
            "--max-connections",
            next_step="Give --delay 0 to play several conversations at the same time",
        )
    return replace(asking.limits(names), delay_s=delay_s)
