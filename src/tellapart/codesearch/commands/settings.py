"""From options and the config file to the settings of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import check_named
from tellapart.cli.output import say
from tellapart.codesearch.commands.options import open_repositories
from tellapart.codesearch.explorer_kinds import KINDS, parse_name
from tellapart.errors import UsageError

if TYPE_CHECKING:
    from tellapart.cli.llm_options import LlmOptions
    from tellapart.codesearch.config import Config
    from tellapart.codesearch.explorers.agent import AgentOptions
    from tellapart.codesearch.iteration import Workspace
    from tellapart.codesearch.settings import EvaluationSettings

_AGENT = "agent:"


def build_settings(
    config: Config,
    explorers: tuple[str, str],
    judge: str,
    asking: LlmOptions,
    *,
    turns: int | None = None,
    explore_seconds: float | None = None,
    system: str | None = None,
    unranked: bool = False,
    reuse: Path | None = None,
) -> EvaluationSettings:
    """Read how to evaluate.

    Args:
        config: The config file, options already in it.
        explorers: Names of both.
        judge: ``PROVIDER/MODEL``, ``replay:RUN`` or ``none``.
        asking: How language models are asked.
        turns: Replies of an agent for one issue.
        explore_seconds: Of an agent for one issue.
        system: Name of the system under test; None where it is not said.
        unranked: Whether the order of the system's files means nothing.
        reuse: An earlier run, whose judge is not asked again.

    Raises:
        UsageError: A name or an option cannot work.
    """
    from tellapart.codesearch.config import NO_JUDGE
    from tellapart.codesearch.settings import EvaluationSettings

    judges = [] if judge == NO_JUDGE else [judge]
    agents = _models(explorers)
    # Claude Code asks its model itself, and keeps to our limits all the same.
    names = [*judges, *agents, *(name for name in explorers if name.startswith("claude-code:"))]
    asking.check_used(
        names, "--judge PROVIDER/MODEL or --explorer-a agent:PROVIDER/MODEL", {"--reuse": reuse}
    )
    models = asking.models(judges)
    return EvaluationSettings(
        explorers=explorers,
        judge=models[0] if models else None,
        judge_repeats=config.judge_repeats,
        assess=config.assess,
        retest=config.retest,
        concurrency=config.concurrency,
        system=system,
        unranked=unranked,
        seed=config.seed,
        limits=asking.limits(names),
        agents=_agent_options(asking, agents, names, turns, explore_seconds),
        reuse=reuse,
    )


def _agent_options(
    asking: LlmOptions,
    agents: Sequence[str],
    names: Sequence[str],
    turns: int | None,
    seconds: float | None,
) -> AgentOptions:
    """What was typed, else the defaults of agents, which are longer than those of a single question."""
    from tellapart.codesearch.explorers.agent import AgentOptions

    given = asking.parameters(agents)
    unused = {"response_schema"} & given.keys()
    if unused and agents and set(names) == set(agents):
        raise UsageError("agents hand in their answer with a tool, so --response-schema has no effect")
    url = given.pop("base_url", None)
    fields = {name: value for name, value in given.items() if name not in unused}
    fields |= {"turns": turns, "seconds": seconds, "limits": asking.limits(names)}
    return AgentOptions(
        **{name: value for name, value in fields.items() if value is not None or name == "temperature"},
        base_url={name: url for name in agents} if url else {},
    )


def _models(explorers: Sequence[str]) -> list[str]:
    """The language models among explorers whose calls go through ours."""
    return [name.removeprefix(_AGENT) for name in explorers if name.startswith(_AGENT)]


def check_options_used(
    explorers: Sequence[str], judge: str, agents: Mapping[str, object], judging: Mapping[str, object]
) -> None:
    """Refuse options that nothing would come of.

    Args:
        explorers: Names of both.
        judge: As for ``build_settings``.
        agents: Options of explorers that are language models, by name; None where not given.
        judging: Those of a judge.

    Raises:
        UsageError: There are such options.
    """
    from tellapart.codesearch.config import NO_JUDGE

    models = [name for name in explorers if KINDS[parse_name(name)[0]].asks_model]
    for wanted, there, given in (
        ("an explorer that is a language model", bool(models), agents),
        ("a judge", judge != NO_JUDGE, judging),
    ):
        named = [option for option, value in given.items() if value is not None]
        if named and not there:
            raise UsageError(f"without {wanted} this has no effect: {', '.join(named)}")


def replayed(explorers: Sequence[str]) -> list[Path]:
    """The evaluations whose runs are replayed: of a run directory, its file.

    Raises:
        UsageError: There is no such explorer.
        InputError: There is no evaluation.
    """
    from tellapart.codesearch.evaluation import evaluation_file

    named = [parse_name(name) for name in explorers]
    return [evaluation_file(Path(argument)) for kind, argument in named if kind == "replay"]


def open_workspace(
    config: Config, root: Path | None, names: Sequence[str] | None, index: Path | None
) -> Workspace:
    """Find repositories, index and state.

    Raises:
        UsageError: Nobody says where the repositories are.
        InputError: One is missing.
    """
    from tellapart.codesearch.index.cache import index_directory
    from tellapart.codesearch.iteration import Workspace
    from tellapart.codesearch.looping.calibration import CalibrationRule

    return Workspace(
        open_repositories(config, root, names),
        index or index_directory(),
        config.state,
        CalibrationRule(config.calibration_iterations, config.calibration_overlap_threshold),
    )


def print_cost_estimate(
    content: bytes, where: str, settings: EvaluationSettings, around: Workspace, run: Path | None
) -> None:
    """Print what the judge would take at most; what explorers take depends on what they will read.

    Raises:
        UsageError: No language model would be asked.
        InputError: The search results cannot be used.
    """
    from tellapart.codesearch.judging.cost_estimate import estimate_judging_cost, unexplored
    from tellapart.codesearch.reading import read_search_results

    results = read_search_results(content, approved=around.repositories.names, where=where)
    areas = {searched.conversation.product_area for searched in results.searched}
    estimates = {}
    if settings.judge is not None:
        check_named([settings.judge])
        estimates = estimate_judging_cost(
            unexplored(results.searched),
            settings.judge,
            around.repositories,
            run or Path("runs"),
            areas=areas if settings.assess else None,
            limits=settings.limits,
            reuse=settings.reuse,
            repeats=settings.judge_repeats,
        )
    print_estimates(estimates, settings.limits, as_json=False)
    for name in dict.fromkeys(settings.explorers):
        if KINDS[parse_name(name)[0]].asks_model:
            say(
                f"the cost of {name} is not estimated: at most {settings.agents.turns} replies for each of "
                f"{len(results.searched)} issues, and again for each that is retested"
            )
