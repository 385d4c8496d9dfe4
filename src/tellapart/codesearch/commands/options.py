"""Options, input and output that several commands of ``tellapart codesearch`` share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.output import print_text, say, warn
from tellapart.cli.settings import override
from tellapart.codesearch.config import Config, read_config
from tellapart.errors import InputError, Refused, UsageError

if TYPE_CHECKING:
    from tellapart.codesearch.evaluation import Evaluation
    from tellapart.codesearch.repositories import Repositories

DOCUMENTED = Path("config.json")
"""Where the original pipeline keeps its configuration."""


@dataclass(frozen=True)
class ConfigOptions:
    """Which config file to read, and what goes before it: the repositories."""

    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="Configuration file; command-line options override it.",
            show_default="config.json, if it is here and --repos-path is not given",
            metavar="FILE",
        ),
    ] = None
    repos_path: Annotated[
        Path | None,
        typer.Option("--repos-path", help="Directory that holds the repositories.", metavar="DIR"),
    ] = None
    approved_repos: Annotated[
        tuple[str, ...],
        typer.Option(
            "--repo", help="A repository in it that may be read; repeat for several.", metavar="NAME"
        ),
    ] = ()

    @property
    def _file(self) -> Path | None:
        """The config file that is read; None where there is none."""
        if self.config is None and self.repos_path is None and DOCUMENTED.is_file():
            return DOCUMENTED
        return self.config

    def read(self) -> Config:
        """The config file, or the defaults where there is none; what is odd in it is reported on stderr."""
        config, file = Config(), self._file
        if self.config is None and file is not None:
            say(f"configured by {file} in this directory")
        if file is not None:
            config, warnings = read_config(file)
            warn(warnings)
        return replace(
            config,
            repos_path=self.repos_path or config.repos_path,
            approved_repos=self.approved_repos or config.approved_repos,
        )

    @contextmanager
    def named(self) -> Iterator[None]:
        """Name the config file in errors about the repositories, if it is what names them."""
        try:
            yield
        except (InputError, UsageError) as error:
            if self._file is None or self.approved_repos:
                raise
            below = f" in {error.where!r}" if error.where else ""
            where = f"{self._file}: 'approved_repos'"
            raise type(error)(f"{error.what}{below}", where=where, next_step=error.next_step) from None


Iteration = Annotated[
    int | None,
    typer.Option(
        "--iteration",
        min=1,
        help="Number of this iteration, if the input has none.",
        show_default="1, or counted by a --state",
    ),
]
AtBase = Annotated[
    bool,
    typer.Option(
        "--at-base",
        help="Search each issue in the tree of its base commit, the one before it was solved.",
    ),
]
GoldFile = Annotated[
    Path | None,
    typer.Option(
        "--gold",
        help="Files that each issue is known to be about: SWE-bench and its like, Loc-Bench, "
        "ContextBench, qrels, conversations.json or other JSON.",
        show_default="touched_files of the input",
        metavar="FILE",
    ),
]
_SEED = override(Config, "seed", "--seed", "Seed for all random choices.")
Seed = Annotated[int, _SEED]
SeedOverConfig = Annotated[int | None, _SEED]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with 1 on suspect or failed explorations, lost conversations, over 5 % failed verdicts.",
    ),
]


def open_repositories(config: Config) -> Repositories:
    """The repositories that may be read."""
    from tellapart.codesearch.repositories import Repositories

    if config.repos_path is None:
        raise UsageError(
            "the directory of the repositories is not given",
            next_step="Give --repos-path DIR and --repo NAME, or --config config.json with repos_path",
        )
    return Repositories.open(config.repos_path, config.approved_repos)


def has_repositories(config: Config) -> bool:
    """Whether a place is named that holds all approved repositories."""
    root = config.repos_path
    return root is not None and all((root / name).is_dir() for name in config.approved_repos)


def warn_of(evaluation: Evaluation) -> None:
    """Say on stderr which conversations an evaluation leaves out, and what to beware of in it."""
    warn(f"conversation {left.conversation!r} is left out: {left.why}" for left in evaluation.unusable)
    warn(evaluation.warnings)


def fail_if_doubtful(evaluation: Evaluation, *, strict: bool) -> None:
    """Under ``--strict``, end with exit code 1 where something makes an evaluation doubtful."""
    from tellapart.codesearch.iteration import doubtful

    reasons = doubtful(evaluation) if strict else []
    if reasons:
        raise Refused(f"the evaluation is doubtful, and --strict was given: {'; '.join(reasons)}")


STANDARD_INPUT = "standard input"

In = Annotated[
    Path | None, typer.Option("--in", help="Read this file.", show_default="standard input", metavar="FILE")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", writable=True, help="Write this file.", show_default="standard output", metavar="FILE"
    ),
]


def read(source: Path | None, what: str) -> tuple[bytes, str]:
    """Read all that is given."""
    if source is None or str(source) == "-":
        if sys.stdin.isatty():
            raise UsageError(
                f"no input: {what} is expected on standard input",
                next_step=f"Write '< {what}', or name a file with --in",
            )
        return sys.stdin.buffer.read(), STANDARD_INPUT
    from tellapart.files import read_bytes

    return read_bytes(source), str(source)


def read_recorded(source: Path | None, *, iteration: int | None = None) -> Evaluation:
    """Read an evaluation, or that of a run directory."""
    from tellapart.codesearch.recordings import read_evaluation

    if source is not None and source.is_dir():
        from tellapart.codesearch.evaluation import evaluation_file

        source = evaluation_file(source)
    content, where = read(source, "evaluation.json")
    return read_evaluation(content, where=where, iteration=iteration)


def check_out(out: Path | None, *inputs: Path | None, apart: Repositories | None = None) -> None:
    """See that the output has a place of its own, before any work."""
    from tellapart.store import check_outs

    files = [path for path in inputs if path is not None and str(path) != "-"]
    written = None if out is None or str(out) == "-" else out
    check_outs([written], files)
    if apart is not None:
        from tellapart.codesearch.repositories import check_outside_repositories

        check_outside_repositories(
            apart, {"the output": written, **{f"the input {path}": path for path in files}}
        )


def write(out: Path | None, text: str) -> None:
    """Write a text to a file, whole or not at all, or to standard output."""
    if out is None or str(out) == "-":
        print_text(text)
        return
    from tellapart.files import write_text

    write_text(out, text)


def as_json(record: Any) -> str:
    """Put a record as the files of the suite have it; NaN and infinity are no JSON."""
    import json

    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
