"""Options that several commands of ``tellapart codesearch`` share, and where they meet the config file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.output import say, warn
from tellapart.errors import Refused, UsageError

if TYPE_CHECKING:
    from tellapart.codesearch.config import Config
    from tellapart.codesearch.repositories import Repositories

DOCUMENTED = Path("config.json")
"""Where the source document has the configuration."""

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Settings; options of the command line go before them.",
        show_default="config.json, if it is here and --repos-path is not given",
        metavar="FILE",
    ),
]
ReposPath = Annotated[
    Path | None, typer.Option("--repos-path", help="Directory that the repositories lie in.", metavar="DIR")
]
Repos = Annotated[
    list[str] | None,
    typer.Option("--repo", help="A repository in it that may be read; repeat for several.", metavar="NAME"),
]
Index = Annotated[
    Path | None,
    typer.Option("--index", help="What is kept of the repositories; by default in the cache.", metavar="DIR"),
]
Iteration = Annotated[
    int | None, typer.Option("--iteration", min=1, help="Which iteration this is, where the input is silent.")
]
Seed = Annotated[int | None, typer.Option("--seed", help="Of everything that is drawn.", show_default="42")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with 1 on suspect or failed explorations, lost conversations, over 5 % failed verdicts.",
    ),
]


def read_settings(file: Path | None, root: Path | None, **given: Any) -> Config:
    """The config file, or the defaults where there is none; what is odd in it is said on stderr.

    Args:
        file: As ``--config`` names it. Without it, and without ``--repos-path``, a ``config.json`` in the
            working directory is read, as documented.
        root: As ``--repos-path`` names it.
        given: Options that go before it, by their names in it; None where they were not given.
    """
    from tellapart.codesearch.config import Config
    from tellapart.codesearch.config_reading import read_config

    config = Config()
    if file is None and root is None and DOCUMENTED.is_file():
        file = DOCUMENTED
        say(f"configured by {DOCUMENTED} in this directory")
    if file is not None:
        config, warnings = read_config(file)
        warn(warnings)
    return config.model_copy(update={name: value for name, value in given.items() if value is not None})


def open_repositories(config: Config, root: Path | None, names: Sequence[str] | None) -> Repositories:
    """The repositories that may be read.

    Raises:
        UsageError: Neither the command line nor the config says where they are.
        InputError: One is missing.
    """
    from tellapart.codesearch.repositories import Repositories

    place = root or config.repos_path
    if place is None:
        raise UsageError(
            "nobody says where the repositories are",
            next_step="Give --repos-path DIR and --repo NAME, or --config config.json with repos_path",
        )
    return Repositories.open(place, names or config.approved_repos)


def warn_of(record: Mapping[str, Any]) -> None:
    """Say on stderr which conversations an evaluation leaves out, and what to beware of in it."""
    left_out = record["unusable_conversations"]
    warn(f"conversation {one['conversation_id']!r} is left out: {one['why']}" for one in left_out)
    warn(record["warnings"])


def fail_if_doubtful(record: Mapping[str, Any], *, strict: bool) -> None:
    """Under ``--strict``, end with exit code 1 where something makes an evaluation doubtful.

    Raises:
        Refused: Something does.
    """
    from tellapart.codesearch.iteration import doubtful

    reasons = doubtful(record) if strict else []
    if reasons:
        raise Refused(f"the evaluation is doubtful, and --strict was given: {'; '.join(reasons)}")
