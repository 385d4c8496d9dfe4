"""From options and the config file to what the suite is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.cli.codesearch.options import open_repositories

if TYPE_CHECKING:
    from tellapart.cli.llm_options import LlmOptions
    from tellapart.codesearch.config import Config
    from tellapart.codesearch.iteration import Surroundings
    from tellapart.codesearch.settings import Settings

_AGENT = "agent:"


def made(
    config: Config,
    explorers: tuple[str, str],
    judge: str,
    asking: LlmOptions,
    *,
    system: str = "search",
    reuse: Path | None = None,
) -> Settings:
    """Read how to evaluate.

    Args:
        config: The config file, options already in it.
        explorers: Names of both.
        judge: ``PROVIDER/MODEL``, ``replay:RUN`` or ``none``.
        asking: How language models are asked.
        system: Name of the system under test.
        reuse: An earlier run, whose judge is not asked again.

    Raises:
        UsageError: A name or an option cannot work.
    """
    from tellapart.codesearch.config import NO_JUDGE
    from tellapart.codesearch.settings import Settings

    judges = [] if judge == NO_JUDGE else [judge]
    names = [*judges, *_models(explorers)]
    asking.check_used(
        names, "--judge PROVIDER/MODEL or --explorer-a agent:PROVIDER/MODEL", {"--reuse": reuse}
    )
    models = asking.models(judges)
    return Settings(
        explorers=explorers,
        judge=models[0] if models else None,
        judge_repeats=config.judge_repeats,
        assess=config.assess,
        retest=config.retest,
        concurrency=config.concurrency,
        system=system,
        seed=config.seed,
        limits=asking.limits(names),
        reuse=reuse,
    )


def _models(explorers: Sequence[str]) -> list[str]:
    """The language models among explorers whose calls go through ours."""
    return [name.removeprefix(_AGENT) for name in explorers if name.startswith(_AGENT)]


def surroundings(
    config: Config, root: Path | None, names: Sequence[str] | None, index: Path | None
) -> Surroundings:
    """Find repositories, index and state.

    Raises:
        UsageError: Nobody says where the repositories are.
        InputError: One is missing.
    """
    from tellapart.codesearch.calibrated import Rule
    from tellapart.codesearch.index.kept import index_directory
    from tellapart.codesearch.iteration import Surroundings

    return Surroundings(
        open_repositories(config, root, names),
        index or index_directory(),
        config.state,
        Rule(config.calibration_iterations, config.calibration_overlap_threshold),
    )


def foresee(content: bytes, where: str, settings: Settings, around: Surroundings) -> None:
    """Print what the judge would take; what explorers take is not known before they explore."""
