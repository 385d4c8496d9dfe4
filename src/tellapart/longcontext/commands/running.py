"""``run``: cases played against models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.cli.llm_options import LlmOptions, MaxTokens, Temperature, check_named
from tellapart.cli.output import print_text, say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import given_flags, with_settings
from tellapart.errors import UsageError
from tellapart.longcontext.commands.options import (
    Cases,
    Models,
    Out,
    PlayOptions,
    Quiet,
    RunPlace,
    SystemOptions,
    cases_with,
)
from tellapart.longcontext.commands.progress import cached_lines, grade_command, watching
from tellapart.longcontext.defaults import DELAY_S, MAX_TOKENS, TEMPERATURE

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.llm.systems import System
    from tellapart.longcontext.case import Case
    from tellapart.longcontext.run import RunRequest
    from tellapart.longcontext.transcript import Results


@dataclass(frozen=True)
class PlayingLlmOptions(LlmOptions):
    """The same with the defaults of the original experiment."""

    temperature: Temperature = TEMPERATURE
    max_tokens: MaxTokens = MAX_TOKENS


@with_settings
def run(
    cases: Cases,
    *,
    models: Models = None,
    out: Out = None,
    systems: SystemOptions,
    options: PlayOptions,
    run_directory: RunPlace = None,
    quiet: Quiet = False,
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
    results = read_results(finished.path)
    warn(_warnings(results, _asking_again(finished.path, named=run_directory is not None)))
    for line in cached_lines(finished.record.models):
        say(line)
    say(f"results: {played}" if out is None else f"run: {finished.path}")
    if request.until_separated:
        held, most = len({case.name for case in results.cases}), len(request.cases)
        whole = f"all {most:,} cases were played"
        say(whole if held == most else f"stopped after {held:,} of {most:,} cases")
    written = request.cases if options.continues is None else _cases(cases, None)
    say(f"next: {grade_command(finished.path, cases, written, options.answers)}")


def _asking_again(run: Path, *, named: bool) -> str:
    """Options that ask again what failed in a run; one that was given its place needs another place."""
    import shlex
    from itertools import count

    places = (run.with_name(f"{run.name}-again{n if n > 1 else ''}") for n in count(1))
    other_run = ["--run", str(next(path for path in places if not path.exists()))] if named else []
    return shlex.join(["--reuse", str(run), *other_run])


def _warnings(results: Results, asking_again: str) -> list[str]:
    """How many steps have no response and why, how many were not reached, and how to ask again."""
    from collections import Counter

    lost = [(case.name, step) for case in results.cases for step in case.steps if step.response is None]
    steps = sum(len(case.steps) for case in results.cases)
    kinds = Counter(
        str(step.cause) if step.http_status in (None, 200) else f"HTTP {step.http_status}" for _, step in lost
    )
    left = sum(len(case.not_asked) for case in results.cases)
    warnings = []
    if lost:
        why = ", ".join(f"{name} {n:,}" for name, n in sorted(kinds.items()))
        name, first = next(((name, step) for name, step in lost if step.cause != "infeasible"), lost[0])
        warnings.append(
            f"{len(lost):,} of {steps:,} steps have no response ({why}); the first is {first.id} of "
            f"{name}: {first.error_message}"
        )
    if left:
        warnings.append(f"{left:,} steps were not asked, since their conversation stopped before them")
    if any(step.cause != "infeasible" for _, step in lost):
        warnings.append(f"to ask again what failed: the same command with {asking_again}")
    return warnings


def _estimate(request: RunRequest, limits: Limits, out_dir: Path | None, reuse: Path | None) -> None:
    from tellapart.cli.dry_run import print_estimates
    from tellapart.llm.models import LanguageModel
    from tellapart.longcontext.run import estimate_run

    check_named(model for model in request.models if isinstance(model, LanguageModel))
    print_estimates(estimate_run(request, limits=limits, out=out_dir, reuse=reuse), limits, as_json=False)
    say(
        "a question is one turn, which sends all that was said before; with caching, what an earlier turn "
        "sent is read from a cache, unless the provider has forgotten it"
    )
    if request.until_separated:
        say("note: with --until-separated this is the most; the run may stop before")
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
    from tellapart.longcontext.plan import Playing
    from tellapart.longcontext.reading import read_answers
    from tellapart.longcontext.run import RunRequest

    last, answers = options.probes_last, options.answers
    playing = Playing(options.target_tokens, probes_last=last is not False, fork_probes=options.fork_probes)
    llm_names = [name for name in names if not is_python_system(name)]
    played = systems.systems([name for name in names if is_python_system(name)])
    for useless, what, next_step in (
        (
            last is not None and options.target_tokens is None,
            f"nothing is repeated, so this has no effect: {'--probes-last' if last else '--no-probes-last'}",
            "Give --target-tokens N, up to which the messages are repeated",
        ),
        (
            options.control and playing != Playing(),
            "a control asks each probe alone, so --target-tokens and --fork-probes have no effect",
            None,
        ),
        (
            answers and options.control != "oracle" and not options.until_separated,
            "only --control oracle and --until-separated look at the answers before they are graded, so "
            "--answers has no effect",
            "Give it to 'tellapart longcontext grade'",
        ),
        (
            not llm_names and not played,
            "no model is given",
            "Give --model PROVIDER/MODEL, or --command with an assistant of your own",
        ),
    ):
        if useless:
            raise UsageError(what, next_step=next_step)
    _check_used(asking, llm_names, played, options)
    return RunRequest(
        _cases(paths, options.continues),
        [*asking.models_and_systems(llm_names), *played],
        playing,
        options.epochs,
        options.control,
        read_answers(answers) if answers else None,
        options.until_separated,
    )


def _cases(paths: Sequence[Path], continues: Path | None) -> list[Case]:
    return cases_with(
        paths, continues, "Play that case in a run of its own, or write 'continues' into its YAML"
    )


_OF_SYSTEMS = {"--max-connections", "--max-failures", "--price", "--max-cost", "--on-budget", "--dry-run"}


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
