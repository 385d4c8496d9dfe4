"""Search results held against two explorations: from options and the config file to an evaluation."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import QUESTION_PANEL, LlmOptions, check_named
from tellapart.cli.output import MetricsJson, say, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import override, replaced, with_settings
from tellapart.codesearch.commands.options import (
    AtBase,
    ConfigOptions,
    GoldFile,
    In,
    Iteration,
    Out,
    SeedOverConfig,
    Strict,
    as_json,
    check_out,
    fail_if_doubtful,
    has_repositories,
    open_repositories,
    read,
    warn_of,
    write,
)
from tellapart.codesearch.config import NO_JUDGE, OFFLINE, Config
from tellapart.codesearch.explorer_kinds import FORMS, KINDS, parse_name
from tellapart.llm.models import LanguageModel

if TYPE_CHECKING:
    from tellapart.codesearch.explorers.agent import AgentOptions
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.run import EvaluationRequest, NamedGold, Workspace
    from tellapart.codesearch.settings import EvaluationSettings

_AGENT = "agent:"


Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="Take over what an earlier run, or a loop, found and judged; what failed there is done again.",
        metavar="RUN",
        rich_help_panel=QUESTION_PANEL,
    ),
]

*_FIRST, _LAST = FORMS.values()
_EXPLORERS = f"{', '.join(_FIRST)} or {_LAST}"


@dataclass(frozen=True)
class EvaluationOptions:
    """How to evaluate, as far as the command line says; None where the config or a default does.

    Fields that `Config` has too go before it under the same name.
    """

    explorer_a: Annotated[
        str | None,
        typer.Option("--explorer-a", help=f"Run A's explorer: {_EXPLORERS}.", show_default=OFFLINE[0]),
    ] = None
    explorer_b: Annotated[
        str | None,
        typer.Option("--explorer-b", help="Run B's explorer, the cheaper one.", show_default=OFFLINE[1]),
    ] = None
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            help="PROVIDER/MODEL rules on the files that only the system found; replay:FILE takes the "
            "verdicts of an earlier evaluation; none leaves them unjudged.",
            show_default=NO_JUDGE,
        ),
    ] = None
    iteration: Iteration = None
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            writable=True,
            help="File that keeps the iterations and their calibration.",
            metavar="FILE",
        ),
    ] = None
    retest: Annotated[
        int | None,
        override(
            Config,
            "retest",
            "--retest",
            "Number of conversations to explore twice, to see whether an explorer agrees with itself.",
            show_default=False,
        ),
    ] = None
    concurrency: Annotated[
        int | None, override(Config, "concurrency", "--concurrency", "Explorations at the same time.")
    ] = None
    sample_rest: Annotated[
        int,
        typer.Option(
            "--sample-rest",
            min=0,
            help="Number of files to draw, of those that nobody returned, and to judge: a lower bound of "
            "recall that holds whatever the explorers missed.",
            show_default="none",
        ),
    ] = 0
    run: Annotated[
        Path | None,
        typer.Option(
            "--run",
            file_okay=False,
            writable=True,
            help="Run directory; by default named after the settings.",
        ),
    ] = None
    gold: GoldFile = None
    at_base: AtBase = False
    reuse: Reuse = None
    seed: SeedOverConfig = None


def build_settings(config: Config, options: EvaluationOptions, asking: LlmOptions) -> EvaluationSettings:
    """Read how to evaluate."""
    from tellapart.codesearch.judging.recorded import recorded_judge
    from tellapart.codesearch.looping.run import evaluation_runs
    from tellapart.codesearch.settings import EvaluationSettings

    run_a, run_b = config.explorer_names
    explorers = (options.explorer_a or run_a, options.explorer_b or run_b)
    judge = options.judge or config.judge_name
    recorded = recorded_judge(judge)
    judges = [] if judge == NO_JUDGE or recorded else [judge]
    agents = _models(explorers)
    # Claude Code asks its model itself, and keeps to our limits all the same.
    names = [*judges, *agents, *(name for name in explorers if name.startswith("claude-code:"))]
    asking.check_used(
        names, "--judge PROVIDER/MODEL or --explorer-a agent:PROVIDER/MODEL", {"--reuse": options.reuse}
    )
    models = asking.models(judges)
    built: dict[str, Any] = {
        "explorers": explorers,
        "judge": models[0] if models else None,
        "recorded_judge": recorded,
        "limits": asking.limits(names),
        "reuse": tuple(evaluation_runs(options.reuse) or [options.reuse]) if options.reuse else (),
        "agents": _agent_options(asking, agents, names, config),
    }
    # A field of the same name in the config file or among the options goes over as it is.
    same = {
        field.name: getattr(source, field.name)
        for field in fields(EvaluationSettings)
        for source in (options, config)
        if field.name not in built and hasattr(source, field.name)
    }
    return EvaluationSettings(**built | same)


def _agent_options(
    asking: LlmOptions, agents: Sequence[str], names: Sequence[str], config: Config
) -> AgentOptions:
    """What was typed or configured, else the defaults of agents, which exceed those of a question."""
    from tellapart.codesearch.explorers.agent import AgentOptions

    given = asking.parameters(agents)
    url = given.pop("base_url", None)
    fields = given | {
        "turns": config.turns,
        "seconds": config.explore_timeout_s,
        "limits": asking.limits(names),
    }
    return AgentOptions(
        **{name: value for name, value in fields.items() if value is not None or name == "temperature"},
        base_url={name: url for name in agents} if url else {},
    )


def _models(explorers: Sequence[str]) -> list[str]:
    """The language models among explorers whose calls go through ours."""
    return [name.removeprefix(_AGENT) for name in explorers if name.startswith(_AGENT)]


def replayed(settings: EvaluationSettings) -> list[Path]:
    """The evaluations whose runs or verdicts are replayed: of a run directory, its file."""
    from tellapart.codesearch.evaluation import evaluation_file

    named = [parse_name(name) for name in settings.explorers]
    recordings = [Path(argument) for kind, argument in named if kind == "replay"]
    if settings.recorded_judge is not None:
        recordings.append(settings.recorded_judge)
    return [evaluation_file(path) for path in recordings]


def _reads_repositories(settings: EvaluationSettings) -> bool:
    """Whether anybody looks into the repositories: not where all is replayed from evaluations."""
    explores = any(parse_name(name)[0] != "replay" for name in settings.explorers)
    return explores or settings.judge is not None or settings.at_base


def open_workspace(config: Config, settings: EvaluationSettings) -> Workspace:
    """Find repositories, index and state.

    Where all is replayed from evaluations, repositories that are not there are not needed.
    """
    from tellapart.codesearch.index import index_directory
    from tellapart.codesearch.looping.calibration import CalibrationRule
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.run import Workspace

    if _reads_repositories(settings) or has_repositories(config):
        repositories = open_repositories(config)
    else:
        repositories = Repositories.none()
        say("no repository is read: everything is taken from recordings")
    return Workspace(
        repositories,
        index_directory(),
        config.state,
        CalibrationRule(config.calibration_iterations, config.calibration_overlap_threshold),
    )


def open_gold(path: Path | None, repositories: Repositories) -> NamedGold | None:
    """Read the gold files that the command line names; None where it names none."""
    if path is None:
        return None
    from tellapart.codesearch.gold.forms import read_gold
    from tellapart.codesearch.gold.placing import place_gold
    from tellapart.codesearch.run import NamedGold
    from tellapart.core.fingerprint import sha256
    from tellapart.files import read_bytes

    content = read_bytes(path)
    return NamedGold(place_gold(read_gold(content, str(path)), repositories), sha256(content))


def print_cost_estimate(request: EvaluationRequest, settings: EvaluationSettings, run: Path | None) -> None:
    """Print what the judge would take at most; what explorers take depends on what they will read."""
    from tellapart.codesearch.run import estimate_evaluation

    judges = [] if settings.judge is None else [settings.judge]
    check_named([*judges, *map(LanguageModel, _models(settings.explorers))])
    print_estimates(estimate_evaluation(request, settings, out=run), settings.limits, as_json=False)
    for name in dict.fromkeys(settings.explorers):
        if KINDS[parse_name(name)[0]].asks_model:
            say(
                f"the cost of {name} is not estimated: at most {settings.agents.turns} replies for each of "
                f"{len(request.results.searched)} issues, and again for each that is retested"
            )


@with_settings
def evaluate(
    *,
    source: In = None,
    out: Out = None,
    configured: ConfigOptions,
    options: EvaluationOptions,
    strict: Strict = False,
    metrics_json: MetricsJson = None,
    as_json_: Annotated[
        bool, typer.Option("--json", help="Print the evaluation as JSON, even if --out is given.")
    ] = False,
    asking: LlmOptions,
) -> None:
    """Evaluate search results against two blind explorations.

    The same command resumes an interrupted evaluation.
    """
    from tellapart.codesearch.iteration import evaluate_results, failed_on_the_way, request_evaluation
    from tellapart.codesearch.page.verdict import headline
    from tellapart.codesearch.page.view import View
    from tellapart.codesearch.tracked import tracked_evaluation

    config = replaced(configured.read(), options)
    settings = build_settings(config, options, asking)
    with configured.named():
        around = open_workspace(config, settings)
    check_out(out, source, config.state, options.gold, *replayed(settings), apart=around.repositories)
    gold = open_gold(options.gold, around.repositories)
    content, where = read(source, "search_results.json")
    if asking.dry_run:
        request, settings = request_evaluation(
            content, settings, around, where=where, iteration=options.iteration, gold=gold
        )
        print_cost_estimate(request, settings, options.run)
        return
    evaluated = evaluate_results(
        content,
        settings,
        around,
        where=where,
        iteration=options.iteration,
        gold=gold,
        out=options.run,
        progress=reporter(),
    )
    evaluation = evaluated.evaluation
    text = as_json(evaluation.to_json())
    write(out, text)
    if as_json_ and out is not None:
        write(None, text)
    write_tracked(metrics_json, lambda: tracked_evaluation(evaluation))
    warn_of(evaluation)
    say(headline(View(evaluation)))
    if failed_on_the_way(evaluation):
        say(f"to ask again for what failed: the same command with --reuse {shlex.quote(str(evaluated.run))}")
    say(f"next: tellapart codesearch report {shlex.quote(str(evaluated.run))} --html report.html")
    fail_if_doubtful(evaluation, strict=strict)
