"""``run``: cases played against models."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.inputs import existing
from tellapart.cli.llm_options import (
    LIMITS_PANEL,
    QUESTION_PANEL,
    LlmOptions,
    MaxTokens,
    Temperature,
    check_named,
    one_of,
)
from tellapart.cli.output import print_text, say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import given_flags, with_settings
from tellapart.environment.programs import PASS_ENV_HELP
from tellapart.errors import UsageError
from tellapart.llm.budget import dollars
from tellapart.longcontext.commands.options import CASE_FILES, RunPlace, cases_with, option
from tellapart.longcontext.commands.progress import watching
from tellapart.longcontext.defaults import DELAY_S, MAX_TOKENS, TEMPERATURE

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.llm.systems import System
    from tellapart.longcontext.run import RunRequest
    from tellapart.longcontext.transcript import Results

_played = partial(option, rich_help_panel="What is played")
_CONTROLS = ("closed-book", "oracle")
_COMMAND = (
    "Assistant to test: a program that reads a turn and writes its reply, a line of JSON each. It is started "
    "once for each conversation, whose name replaces {session}. Repeat for several."
)
_NAME = "Name of a command, by default its first word; once for each, in their order."
_TURN_TIMEOUT = "Time limit of one turn of an assistant."
_ANSWERS = "The right answers, by which --control oracle finds evidence."
_CONTINUES = "Play this case's messages and checkpoints first, as one case."
_TARGET = "Repeat the messages until a call has this many tokens."
_LAST = "Ask all probes after the repeats; or before them, as in the original experiment."
_FORK = "Ask each probe from a snapshot: its answer is in nobody's context."
_CONTROL = "Ask each probe alone (closed-book), or after just its evidence (oracle)."
_DELAY = "Seconds between two calls, which then go one at a time."
_REUSE = "Reuse the answers of an earlier run; ask only what failed there."
_MODEL = (
    "Model: PROVIDER/MODEL, python:MODULE:FACTORY for an assistant in Python, or replay:RUN for recorded "
    "answers; repeat for several."
)


@dataclass(frozen=True)
class SystemOptions:
    """Systems under test, as they were typed."""

    command: Annotated[tuple[str, ...], _played("--command", _COMMAND, "COMMAND")] = ()
    name: Annotated[tuple[str, ...], _played("--name", _NAME, "NAME")] = ()
    turn_timeout: Annotated[
        float | None,
        option("--turn-timeout", _TURN_TIMEOUT, "SECONDS", "120", rich_help_panel=LIMITS_PANEL, min=0.1),
    ] = None
    pass_env: Annotated[
        tuple[str, ...], _played("--pass-env", PASS_ENV_HELP.replace("the program", "a command"), "NAME")
    ] = ()

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
        commands = [
            command_system(text, name=name, turn_timeout_s=seconds, pass_env=self.pass_env)
            for text, name in zip(self.command, names, strict=True)
        ]
        return commands + [python_system(text, turn_timeout_s=seconds) for text in dict.fromkeys(models)]


@dataclass(frozen=True)
class PlayOptions:
    """What is played, as it was typed; None for the default."""

    answers: Annotated[Path | None, _played("--answers", _ANSWERS, "FILE")] = None
    continues: Annotated[Path | None, _played("--continues", _CONTINUES, "FILE")] = None
    target_tokens: Annotated[int | None, _played("--target-tokens", _TARGET, min=1)] = None
    probes_last: Annotated[
        bool | None, _played("--probes-last/--no-probes-last", _LAST, default="probes-last")
    ] = None
    fork_probes: Annotated[bool, _played("--fork-probes", _FORK)] = False
    epochs: Annotated[
        int, _played("--epochs", "Number of times each case is played.", default=True, min=1)
    ] = 1
    control: Annotated[
        Literal["closed-book", "oracle"] | None,
        _played("--control", _CONTROL, "closed-book|oracle"),
        one_of("--control", _CONTROLS),
    ] = None
    delay: Annotated[
        float | None,
        option(
            *("--delay", _DELAY, None, f"{DELAY_S:g}, and 0 for offline models"),
            rich_help_panel=LIMITS_PANEL,
            min=0.0,
        ),
    ] = None
    reuse: Annotated[Path | None, option("--reuse", _REUSE, rich_help_panel=QUESTION_PANEL)] = None


@dataclass(frozen=True)
class PlayingLlmOptions(LlmOptions):
    """The same with the defaults of the original experiment."""

    temperature: Temperature = TEMPERATURE
    max_tokens: MaxTokens = MAX_TOKENS


@with_settings
def run(
    cases: Annotated[list[Path], typer.Argument(help=CASE_FILES, show_default=False, callback=existing())],
    *,
    models: Annotated[list[str] | None, option("--model", _MODEL, "NAME")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", writable=True, help="Write the results there too; - for stdout.", metavar="FILE"
        ),
    ] = None,
    systems: SystemOptions,
    options: PlayOptions,
    run_directory: RunPlace = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Hide single steps.")] = False,
    asking: PlayingLlmOptions,
) -> None:
    """Play cases against language models and assistants.

    The same command resumes an interrupted run.
    """
    from tellapart.files import write_text
    from tellapart.longcontext.reading import read_results
    from tellapart.longcontext.run import run_cases
    from tellapart.longcontext.transcript import RESULTS_FILE

    request = _request(cases, models or (), systems, asking, options)
    limits = _limits(asking, request, models or (), options.delay)
    if asking.dry_run:
        _estimate(request, limits, run_directory, options.reuse)
        return
    with watching(request, limits, quiet=quiet) as seen:
        finished = run_cases(
            request,
            limits=limits,
            out=run_directory,
            reuse=options.reuse,
            on_step=seen.on_step,
            on_recorded=seen.on_recorded,
            progress=reporter(),
        )
    played = finished.path / RESULTS_FILE
    if str(out) == "-":
        print_text(played.read_text(encoding="utf-8"))
    elif out is not None:
        write_text(out, played.read_text(encoding="utf-8"))
    place = ["--run", f"{finished.path}-again"] if run_directory else []
    again = shlex.join(["--reuse", str(finished.path), *place])
    warn(_warnings(read_results(finished.path), again))
    for name, model in finished.record.models.items():
        cached, sent, money = model.get("cached_tokens"), model["input_tokens"], model["cost"]
        if cached is not None and sent:
            paid = "" if money is None else f"; {dollars(money)} US dollars"
            say(f"{name}: {cached:,} of {sent:,} prompt tokens came from a cache ({cached / sent:.0%}){paid}")
    say(f"results: {played}" if out is None else f"run: {finished.path}")
    say(f"next: {_grade_command(finished.path, cases, options)}")


def _warnings(results: Results, again: str) -> Iterator[str]:
    """How many steps have no response and why, how many were not reached, and how to ask again."""
    lost = [(case.name, step) for case in results.cases for step in case.steps if step.response is None]
    failed = [(name, step) for name, step in lost if step.cause != "infeasible"]
    if lost:
        kinds = Counter(
            str(step.cause) if step.http_status in (None, 200) else f"HTTP {step.http_status}"
            for _, step in lost
        )
        why = ", ".join(f"{name} {n:,}" for name, n in sorted(kinds.items()))
        name, first = (failed or lost)[0]
        yield (
            f"{len(lost):,} of {sum(len(case.steps) for case in results.cases):,} steps have no response "
            f"({why}); the first is {first.id} of {name}: {first.error_message}"
        )
    if left := sum(len(case.not_asked) for case in results.cases):
        yield f"{left:,} steps were not asked, since their conversation stopped before them"
    if failed:
        yield f"to ask again what failed: the same command with {again}"


def _grade_command(run: Path, paths: Sequence[Path], options: PlayOptions) -> str:
    """The command that grades a run."""
    words = ["tellapart", "longcontext", "grade", str(run)]
    beside = any(step.expected for case in cases_with(paths, None) for step in case.probes)
    for path in paths if beside else ():
        words += ["--cases", str(path)]
    if options.answers is not None or not beside:
        words += ["--answers", str(options.answers or "ANSWERS")]
    return shlex.join([*words, "--out", "report.md"])


def _estimate(request: RunRequest, limits: Limits, out_dir: Path | None, reuse: Path | None) -> None:
    from tellapart.llm.models import LanguageModel
    from tellapart.longcontext.run import estimate_run

    check_named(model for model in request.models if isinstance(model, LanguageModel))
    print_estimates(estimate_run(request, limits=limits, out=out_dir, reuse=reuse), limits, as_json=False)
    say(
        "a question is one turn, which sends all that was said before; with --price IN,OUT,CACHED the "
        "expected cost takes what an earlier turn sent from a cache, unless the provider has forgotten it"
    )
    if any(model.own_history for model in request.models):
        say("an assistant is sent each turn alone; what it sends to models of its own is not known")


def _request(
    paths: Sequence[Path],
    names: Sequence[str],
    systems: SystemOptions,
    asking: LlmOptions,
    options: PlayOptions,
) -> RunRequest:
    from tellapart.llm.systems import is_python_system
    from tellapart.longcontext.play import Playing
    from tellapart.longcontext.reading import read_answers
    from tellapart.longcontext.run import RunRequest

    last, answers = options.probes_last, options.answers
    playing = Playing(options.target_tokens, last is not False, options.fork_probes)
    llm_names = [name for name in names if not is_python_system(name)]
    played = systems.systems([name for name in names if is_python_system(name)])
    if last is not None and options.target_tokens is None:
        raise UsageError(
            f"nothing is repeated, so this has no effect: {'--probes-last' if last else '--no-probes-last'}",
            next_step="Give --target-tokens N, up to which the messages are repeated",
        )
    if options.control and playing != Playing():
        raise UsageError(
            "a control asks each probe alone, so --target-tokens and --fork-probes have no effect"
        )
    if answers and options.control != "oracle":
        raise UsageError(
            "only --control oracle looks at the answers before they are graded, so --answers has no effect",
            next_step="Give it to 'tellapart longcontext grade'",
        )
    if not llm_names and not played:
        raise UsageError(
            "no model is given",
            next_step="Give --model PROVIDER/MODEL, or --command with an assistant of your own",
        )
    _check_used(asking, llm_names, played, options)
    return RunRequest(
        cases_with(paths, options.continues),
        [*asking.models_and_systems(llm_names), *played],
        playing,
        options.epochs,
        options.control,
        read_answers(answers) if answers else None,
    )


_OF_SYSTEMS = {"--max-connections", "--max-failures", "--price", "--max-cost", "--dry-run"}


def _check_used(
    asking: LlmOptions, names: Sequence[str], systems: Sequence[System], options: PlayOptions
) -> None:
    """Refuse options that nothing would come of; some have an effect on systems too."""
    if not systems:
        asking.check_used(names, "--model PROVIDER/MODEL", {"--reuse": options.reuse})
        return
    unused = [flag for flag in given_flags(asking) if flag not in _OF_SYSTEMS]
    if unused and not names:
        raise UsageError(
            f"no language model is asked, so this has no effect: {', '.join(unused)}",
            next_step="An assistant asks its models as it likes; name a model to ask with --model "
            "PROVIDER/MODEL",
        )


def _limits(asking: LlmOptions, request: RunRequest, named: Sequence[str], delay: float | None) -> Limits:
    from tellapart.llm.systems import System, is_python_system

    systems = [model for model in request.models if isinstance(model, System) and not model.recording]
    names = [*(name for name in named if not is_python_system(name)), *(system.name for system in systems)]
    here = all(isinstance(model, System) or model.recording or model.is_offline for model in request.models)
    delay_s = delay if delay is not None else 0.0 if here else DELAY_S
    if delay_s and asking.max_connections is not None:
        raise UsageError(
            f"with {delay_s:g} s between two calls they go one at a time, so --max-connections has no effect",
            next_step="Give --delay 0 to play several conversations at the same time",
        )
    return replace(asking.limits(names), delay_s=delay_s)
