"""``run``: cases played against models, and what a person sees meanwhile."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import MaxTokens, Temperature, check_named
from tellapart.cli.output import say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import given_flags, with_settings
from tellapart.environment.programs import PASS_ENV_HELP
from tellapart.errors import UsageError
from tellapart.llm.budget import cost, dollars
from tellapart.longcontext.commands.options import CASE_FILES, FewLlmOptions, RunPlace, cases_with, paths
from tellapart.longcontext.defaults import DELAY_S, MAX_TOKENS, TEMPERATURE
from tellapart.longcontext.design import Playing, setting

if TYPE_CHECKING:
    from tellapart.core.progress import Progress, Step
    from tellapart.llm.budget import Limits
    from tellapart.llm.systems import System
    from tellapart.longcontext.run import RunRequest
    from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results

_MODEL = (
    "Model: PROVIDER/MODEL, python:MODULE:FACTORY for an assistant in Python, or replay:RUN for recorded "
    "answers; repeat for several."
)
_COMMAND = (
    "Assistant to test: a program that reads a turn and writes its reply, a line of JSON each. It is started "
    "once for each conversation, whose name replaces {session}. Repeat for several."
)
_NAME = "Name of a command, by default its first word; once for each, in their order."
_PASS_ENV = PASS_ENV_HELP.replace("the program", "a command")
_ANSWERS = "The right answers, by which --control oracle finds evidence."
_CONTINUES = "Play this case's messages and checkpoints first, as one case."
_CONTROL = "Ask each probe alone (closed-book), or after just its evidence (oracle)."
_DELAY = "Seconds between two calls, which then go one at a time."
_REUSE = "Reuse the answers of an earlier run; ask only what failed there."
_OUT = "Write the results there too."


@dataclass(frozen=True)
class RunOptions:
    """Who plays what, as it was typed."""

    model: Annotated[tuple[str, ...], setting("--model", _MODEL, "NAME")] = ()
    command: Annotated[tuple[str, ...], setting("--command", _COMMAND, "COMMAND")] = ()
    name: Annotated[tuple[str, ...], setting("--name", _NAME, "NAME")] = ()
    pass_env: Annotated[tuple[str, ...], setting("--pass-env", _PASS_ENV, "NAME")] = ()
    epochs: Annotated[
        int, setting("--epochs", "Number of times each case is played.", default=True, min=1)
    ] = 1
    control: Annotated[
        Literal["closed-book", "oracle"] | None, setting("--control", _CONTROL, "closed-book|oracle")
    ] = None
    answers: Annotated[Path | None, setting("--answers", _ANSWERS, "FILE")] = None
    continues: Annotated[Path | None, setting("--continues", _CONTINUES, "FILE")] = None
    delay: Annotated[
        float | None, setting("--delay", _DELAY, None, f"{DELAY_S:g}, and 0 for offline models", min=0.0)
    ] = None
    reuse: Annotated[Path | None, setting("--reuse", _REUSE, "RUN")] = None


@dataclass(frozen=True)
class PlayingLlmOptions(FewLlmOptions):
    """With the defaults of the original experiment."""

    temperature: Temperature = TEMPERATURE
    max_tokens: MaxTokens = MAX_TOKENS
    attempt_timeout_s: Annotated[
        int | None,
        setting("--timeout", "Time limit of a call, or of a turn of an assistant.", "SECONDS", "120", min=1),
    ] = None


@with_settings
def run(
    cases: Annotated[list[Path], paths(CASE_FILES)],
    *,
    options: RunOptions,
    playing: Playing,
    out: Annotated[Path | None, setting("--out", _OUT, "FILE", writable=True)] = None,
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

    request = _request(cases, options, playing, asking)
    limits = _limits(request, options, asking)
    if asking.dry_run:
        _estimate(request, limits, run_directory, options.reuse)
        return
    progress = reporter(quiet=quiet)
    with progress.step("played", _steps_of(request), unit="steps") as step:
        watching = _Watching(request, limits, progress, step)
        finished = run_cases(
            request,
            limits=limits,
            out=run_directory,
            reuse=options.reuse,
            on_step=watching.on_step,
            on_recorded=watching.on_recorded,
            progress=reporter(),
        )
    if out is not None:
        write_text(out, (finished.path / RESULTS_FILE).read_text(encoding="utf-8"))
    place = ["--run", f"{finished.path}-again"] if run_directory else []
    again = shlex.join(["--reuse", str(finished.path), *place])
    warn(_warnings(read_results(finished.path), again))
    say(f"results: {finished.path / RESULTS_FILE}")
    say(f"next: {_grade_command(finished.path, cases, request, options)}")


def _request(
    paths: Sequence[Path], options: RunOptions, playing: Playing, asking: PlayingLlmOptions
) -> RunRequest:
    from tellapart.llm.systems import is_python_system
    from tellapart.longcontext.reading import read_answers
    from tellapart.longcontext.run import RunRequest

    names = [name for name in options.model if not is_python_system(name)]
    systems = _systems(options, asking)
    unused = [flag for flag in given_flags(asking) if flag in ("--temperature", "--max-tokens")]
    for refused, what, next_step in (
        (
            not playing.probes_last and playing.target_tokens is None,
            "nothing is repeated, so this has no effect: --no-probes-last",
            "Give --target-tokens N, up to which the messages are repeated",
        ),
        (
            options.control and playing != Playing(),
            "a control asks each probe alone, so --target-tokens and --fork-probes have no effect",
            "Leave them out",
        ),
        (
            options.answers and options.control != "oracle",
            "only --control oracle looks at the answers before they are graded, so --answers has no effect",
            "Give it to 'tellapart longcontext grade'",
        ),
        (
            not names and not systems,
            "no model is given",
            "Give --model PROVIDER/MODEL, or --command with an assistant of your own",
        ),
        (
            unused and not names,
            f"no language model is asked, so this has no effect: {', '.join(unused)}",
            "An assistant asks its models as it likes",
        ),
    ):
        if refused:
            raise UsageError(what, next_step=next_step)
    if not systems:
        asking.check_used(names, "--model PROVIDER/MODEL", {"--reuse": options.reuse})
    return RunRequest(
        cases_with(paths, options.continues),
        [*asking.models_and_systems(names), *systems],
        playing,
        options.epochs,
        options.control,
        read_answers(options.answers) if options.answers else None,
    )


def _systems(options: RunOptions, asking: PlayingLlmOptions) -> list[System]:
    """Read the commands, and those models that are objects of Python, in their order."""
    from tellapart.llm.systems import TURN_TIMEOUT_S, command_system, is_python_system, python_system

    if options.name and len(options.name) != len(options.command):
        raise UsageError(
            f"--name is given {len(options.name)} times and --command {len(options.command)} times",
            next_step="Name each command once, in their order; a --model has its own name",
        )
    seconds = asking.attempt_timeout_s or TURN_TIMEOUT_S
    names = options.name or (None,) * len(options.command)
    commands = [
        command_system(text, name=name, turn_timeout_s=seconds, pass_env=options.pass_env)
        for text, name in zip(options.command, names, strict=True)
    ]
    objects = dict.fromkeys(filter(is_python_system, options.model))
    return commands + [python_system(text, turn_timeout_s=seconds) for text in objects]


def _limits(request: RunRequest, options: RunOptions, asking: PlayingLlmOptions) -> Limits:
    from tellapart.llm.systems import System, is_python_system

    systems = [model for model in request.models if isinstance(model, System) and not model.recording]
    names = [name for name in options.model if not is_python_system(name)]
    here = all(isinstance(model, System) or model.recording or model.is_offline for model in request.models)
    delay_s = options.delay if options.delay is not None else 0.0 if here else DELAY_S
    return replace(asking.limits([*names, *(system.name for system in systems)]), delay_s=delay_s)


def _estimate(request: RunRequest, limits: Limits, out: Path | None, reuse: Path | None) -> None:
    from tellapart.llm.models import LanguageModel
    from tellapart.longcontext.run import estimate_run

    check_named(model for model in request.models if isinstance(model, LanguageModel))
    print_estimates(estimate_run(request, limits=limits, out=out, reuse=reuse), limits, as_json=False)
    say("a question is one turn, which sends all that was said before; an assistant is sent the turn alone")


def _warnings(results: Results, again: str) -> Iterator[str]:
    """How many steps have no response and why, how many were not reached, and how to ask again."""
    lost = [(case.name, step) for case in results.cases for step in case.steps if step.response is None]
    failed = [(name, step) for name, step in lost if step.cause != "infeasible"]
    if lost:
        kinds = Counter(str(step.cause) for _, step in lost)
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


def _grade_command(run: Path, paths: Sequence[Path], request: RunRequest, options: RunOptions) -> str:
    """The command that grades a run."""
    beside = any(step.expected for case in request.cases for step in case.probes)
    words = ["tellapart", "longcontext", "grade", str(run)]
    words += [word for path in paths if beside for word in ("--cases", str(path))]
    if options.answers or not beside:
        words += ["--answers", str(options.answers or "ANSWERS")]
    return shlex.join([*words, "--out", "report.md"])


_FIRST_WORDS = 100
"""Characters of a reply that are shown."""


class _Watching:
    """Reports a block a step, and how many steps, tokens and dollars there were."""

    def __init__(self, request: RunRequest, limits: Limits, progress: Progress, step: Step) -> None:
        self._request, self._limits, self._progress, self._step = request, limits, progress, step
        self._done, self._total, self._tokens, self._dollars = 0, _steps_of(request), 0, 0.0

    def on_step(self, conversation: PlayedCase, step: PlayedStep) -> None:
        """Report a step."""
        if not step.given:
            self._progress(f"{self._name(conversation)} {_block(step)}")
        self._advance(conversation, [step], step.id)

    def on_recorded(self, conversation: PlayedCase) -> None:
        """Report a conversation that is in a journal whole."""
        self._progress(f"{self._name(conversation)}: all {len(conversation.steps)} steps are recorded")
        self._advance(conversation, conversation.steps, "recorded")

    def _name(self, conversation: PlayedCase) -> str:
        epoch = f", epoch {conversation.epoch}" if self._request.epochs > 1 else ""
        model = f", {conversation.model}" if len(self._request.models) > 1 else ""
        return f"{conversation.name}{epoch}{model}"

    def _advance(self, conversation: PlayedCase, steps: Sequence[PlayedStep], where: str) -> None:
        price = self._limits.price_of(conversation.model)
        for usage in (step.usage for step in steps if step.usage):
            sent, back = usage.prompt_tokens or 0, usage.completion_tokens or 0
            self._tokens += sent + back
            if price:
                cached, written = usage.cache_hit_tokens or 0, usage.cache_written_tokens or 0
                self._dollars += cost(price, sent, back, cached, written)
        # How many repeats there will be is not known before.
        self._total += sum(step.is_repeat for step in steps)
        self._done += len(steps)
        money = f", {dollars(self._dollars)} US dollars" if price and self._tokens else ""
        note = f", {self._tokens:,} tokens{money}; {self._name(conversation)} {where}"
        self._step.update(self._done, note=note, total=self._total)


def _block(step: PlayedStep) -> str:
    usage, status = step.usage, "" if step.http_status is None else f", HTTP {step.http_status}"
    tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens" if usage else "tokens not known"
    words = step.response if step.response is not None else f"{step.cause}: {step.error_message}"
    # On one line, and without what a terminal would obey.
    line = "".join(c if c.isprintable() else "�" for c in " ".join(words.split()))
    shown = line if len(line) <= _FIRST_WORDS else f"{line[:_FIRST_WORDS]}…"
    return f"{step.id} ({step.type}{', forked' if step.forked else ''}): {tokens}{status}\n  {shown}"


def _steps_of(request: RunRequest) -> int:
    """How many steps a request has, repeats not counted."""
    steps = sum(len(case.probes if request.control else case.steps) for case in request.cases)
    return steps * request.epochs * len(request.models)
