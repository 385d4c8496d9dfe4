"""Search results held against two explorations: from options and the config file to an evaluation."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import QUESTION_PANEL, check_named
from tellapart.cli.output import say
from tellapart.cli.progress import reporter
from tellapart.cli.settings import override, replaced, with_settings
from tellapart.codesearch.commands.options import (
    AskingOptions,
    ConfigOptions,
    GoldFile,
    In,
    Iteration,
    Out,
    Strict,
    check_out,
    fail_if_doubtful,
    read,
    warn_of,
    write,
)
from tellapart.codesearch.config import NO_JUDGE, OFFLINE, Config
from tellapart.codesearch.kinds import (
    AGENT_SECONDS,
    AGENT_TURNS,
    EXPLORER_FORMS,
    EXPLORERS,
    parse_explorer,
)
from tellapart.llm.models import REPLAY, LanguageModel, is_replay

if TYPE_CHECKING:
    from tellapart.codesearch.gold.placing import PlacedGold
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.request import EvaluationRequest, Workspace
    from tellapart.codesearch.settings import EvaluationSettings

Reuse = Annotated[
    Path | None,
    typer.Option(
        "--reuse",
        help="Take over what an earlier run, or a loop, found and judged; what failed there is done again.",
        metavar="RUN",
        rich_help_panel=QUESTION_PANEL,
    ),
]

*_FIRST, _LAST = EXPLORER_FORMS.values()
_EXPLORERS = f"{', '.join(_FIRST)} or {_LAST}"


@dataclass(frozen=True)
class EvaluationOptions:
    """How to evaluate, as far as the command line says; None where the config or a default does."""

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
    concurrency: Annotated[
        int | None,
        override(
            Config, "concurrency", "--concurrency", "Explorations, or questions to a judge, at the same time."
        ),
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
    reuse: Reuse = None


def build_settings(config: Config, options: EvaluationOptions, asking: AskingOptions) -> EvaluationSettings:
    """Read how to evaluate."""
    from tellapart.codesearch.explorers.agent import AgentOptions
    from tellapart.codesearch.looping.run import evaluation_runs
    from tellapart.codesearch.settings import EvaluationSettings

    run_a, run_b = config.explorer_names
    explorers = (options.explorer_a or run_a, options.explorer_b or run_b)
    judge = options.judge or config.judge_name
    recorded = _recorded_judge(judge)
    judges = [] if judge == NO_JUDGE or recorded else [judge]
    # Claude Code asks its model itself, and keeps to our limits all the same.
    agents = _agents(explorers)
    names = [*judges, *agents, *(name for name in explorers if name.startswith("claude-code:"))]
    asking.check_used(
        names, "--judge PROVIDER/MODEL or --explorer-a agent:PROVIDER/MODEL", {"--reuse": options.reuse}
    )
    asking = replace(asking, max_connections=options.concurrency, max_retries=config.max_retries)
    models = asking.models(judges)
    limits = asking.limits(names)
    return EvaluationSettings(
        explorers=explorers,
        agents=AgentOptions(
            config.turns or AGENT_TURNS,
            config.explore_timeout_s or AGENT_SECONDS,
            parameters=asking.parameters(agents),
            limits=limits,
        ),
        assess=config.assess,
        retest=config.retest,
        unranked=config.unranked,
        sample_rest=options.sample_rest,
        judge=models[0] if models else None,
        recorded_judge=recorded,
        concurrency=config.concurrency,
        limits=limits,
        reuse=tuple(evaluation_runs(options.reuse) or [options.reuse]) if options.reuse else (),
        seed=config.seed,
    )


def _recorded_judge(name: str) -> Path | None:
    """The evaluation whose verdicts ``replay:PATH`` takes; a run that asked a model answers as that model."""
    from tellapart.llm.journal import has_calls
    from tellapart.store.runs import DATABASE

    path = Path(name.removeprefix(REPLAY))
    is_model = not is_replay(name) or "#" in name or path.suffix == ".db" or has_calls(path / DATABASE)
    return None if is_model else path


def _agents(explorers: tuple[str, str]) -> list[str]:
    """The language models among explorers whose calls go through ours."""
    return [argument for kind, argument in map(parse_explorer, explorers) if kind == "agent"]


def open_workspace(configured: ConfigOptions, config: Config, settings: EvaluationSettings) -> Workspace:
    """Find repositories, index and state."""
    from tellapart.codesearch.index import index_directory
    from tellapart.codesearch.looping.calibration import CalibrationRule
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.request import Workspace

    root = config.repos_path
    are_there = root is not None and all((root / name).is_dir() for name in config.approved_repos)
    explores = any(parse_explorer(name)[0] != "replay" for name in settings.explorers)
    if explores or settings.judge is not None or are_there:
        repositories = configured.open(config)
    else:
        repositories = Repositories.none()
        say("no repository is read: everything is taken from recordings")
    return Workspace(
        repositories,
        index_directory(),
        config.state,
        CalibrationRule.of(config),
    )


def open_gold(path: Path | None, repositories: Repositories) -> PlacedGold | None:
    """Read the gold files that the command line names; None where it names none."""
    if path is None:
        return None
    from tellapart.codesearch.gold.forms import read_gold
    from tellapart.codesearch.gold.placing import place_gold
    from tellapart.core.fingerprint import sha256
    from tellapart.files import read_bytes

    content = read_bytes(path)
    return replace(place_gold(read_gold(content, str(path)), repositories), digest=sha256(content))


def _print_cost_estimate(request: EvaluationRequest, run: Path | None) -> None:
    """Print what the judge would take at most; what explorers take depends on what they will read."""
    from tellapart.codesearch.run import estimate_evaluation

    settings = request.settings
    judges = [] if settings.judge is None else [settings.judge]
    check_named([*judges, *map(LanguageModel, _agents(settings.explorers))])
    print_estimates(estimate_evaluation(request, out=run), settings.limits, as_json=False)
    for name in dict.fromkeys(settings.explorers):
        if EXPLORERS[parse_explorer(name)[0]].asks_model:
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
    asking: AskingOptions,
) -> None:
    """Evaluate search results against two blind explorations.

    The same command resumes an interrupted evaluation.
    """
    from tellapart.codesearch.page.verdict import headline
    from tellapart.codesearch.page.view import View
    from tellapart.codesearch.request import request_evaluation
    from tellapart.codesearch.run import evaluate as evaluate_request
    from tellapart.codesearch.run import failed_on_the_way

    config = replaced(configured.read(), options)
    settings = build_settings(config, options, asking)
    around = open_workspace(configured, config, settings)
    check_out(
        out, source, config.state, options.gold, *settings.recordings.values(), apart=around.repositories
    )
    gold = open_gold(options.gold, around.repositories)
    content, where = read(source, "search_results.json")
    request = request_evaluation(
        content,
        settings,
        around,
        where=where,
        iteration=options.iteration,
        gold=gold,
        progress=reporter(),
    )
    if asking.dry_run:
        _print_cost_estimate(request, options.run)
        return
    evaluated = evaluate_request(request, out=options.run, progress=reporter())
    evaluation, run = evaluated.evaluation, shlex.quote(str(evaluated.run))
    write(out, evaluation.to_json())
    warn_of(evaluation)
    say(headline(View(evaluation)))
    if failed_on_the_way(evaluation) and settings.recorded_judge is None:
        say(f"to ask again for what failed: the same command with --reuse {run}")
    say(f"next: tellapart codesearch report {run} --html report.html")
    fail_if_doubtful(evaluation, strict=strict)
