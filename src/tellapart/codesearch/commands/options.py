"""Options, input and output that several commands of ``tellapart codesearch`` share."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.llm_options import Effort, LlmOptions
from tellapart.cli.output import print_text, say, warn
from tellapart.cli.settings import override
from tellapart.codesearch.config import Config, read_config
from tellapart.errors import InputError, Refused, UsageError

if TYPE_CHECKING:
    from tellapart.codesearch.evaluation import Evaluation
    from tellapart.codesearch.repositories import Repositories

DOCUMENTED = Path("config.json")  # Where the original pipeline keeps its configuration
STANDARD_INPUT = "standard input"


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

    def read(self) -> Config:
        """The config file, or the defaults where there is none; what is odd in it is reported on stderr."""
        config, file = Config(), self.file
        if file is not None and self.config is None:
            say(f"configured by {file} in this directory")
        if file is not None:
            config, warnings = read_config(file)
            warn(warnings)
        return replace(
            config,
            repos_path=self.repos_path or config.repos_path,
            approved_repos=self.approved_repos or config.approved_repos,
        )

    @property
    def file(self) -> Path | None:
        """The config file that is read; None for none."""
        is_here = self.config is None and self.repos_path is None and DOCUMENTED.is_file()
        return DOCUMENTED if is_here else self.config

    def open(self, config: Config) -> Repositories:
        """The repositories that may be read; a refusal names the config file if they are from there."""
        from tellapart.codesearch.repositories import Repositories

        if config.repos_path is None:
            raise UsageError(
                "the directory of the repositories is not given",
                next_step="Give --repos-path DIR and --repo NAME, or --config config.json with repos_path",
            )
        try:
            return Repositories.open(config.repos_path, config.approved_repos)
        except (InputError, UsageError) as error:
            if self.file is None or (self.repos_path and self.approved_repos):
                raise
            what = f"of 'repos_path' and 'approved_repos': {error.what}"
            raise InputError(what, where=self.file, next_step=error.next_step) from None


@dataclass(frozen=True)
class AskingOptions(LlmOptions):
    """Those of language models, but for what only Python or the environment sets, as ``OPENAI_BASE_URL``."""

    base_url: str | None = None
    temperature: float | str | None = None
    seed: int | None = None
    reasoning_effort: Effort | None = None
    attempt_timeout_s: int | None = None
    max_retries: int | None = None
    max_connections: int | None = None


Iteration = Annotated[
    int | None,
    typer.Option(
        "--iteration",
        min=1,
        help="Number of this iteration, if the input has none.",
        show_default="1, or counted by the config's 'state'",
    ),
]
AtBase = Annotated[
    bool,
    typer.Option(
        "--at-base",
        help="Search each issue in the tree of its base commit, the one before it was solved; so does "
        "evaluate then.",
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
Seed = Annotated[int, override(Config, "seed", "--seed", "Seed for all random choices.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with 1 on suspect or failed explorations, lost conversations, over 5 % failed verdicts.",
    ),
]
In = Annotated[
    Path | None, typer.Option("--in", help="Read this file.", show_default="standard input", metavar="FILE")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", writable=True, help="Write this file.", show_default="standard output", metavar="FILE"
    ),
]


def warn_of(evaluation: Evaluation) -> None:
    """Say on stderr which conversations an evaluation leaves out, and what to beware of in it."""
    warn(f"conversation {left.conversation!r} is left out: {left.why}" for left in evaluation.unusable)
    warn(evaluation.warnings)


def fail_if_doubtful(evaluation: Evaluation, *, strict: bool) -> None:
    """Under ``--strict``, end with exit code 1 where something makes an evaluation doubtful."""
    from tellapart.codesearch.scoring import doubtful

    reasons = doubtful(evaluation) if strict else []
    if reasons:
        raise Refused(f"the evaluation is doubtful, and --strict was given: {'; '.join(reasons)}")


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


def read_recorded(source: Path | None) -> Evaluation:
    """Read an evaluation, or that of a run directory."""
    from tellapart.codesearch.evaluation import evaluation_file
    from tellapart.codesearch.recordings import read_evaluation

    if source is not None and source.is_dir():
        source = evaluation_file(source)
    content, where = read(source, "evaluation.json")
    return read_evaluation(content, where=where)


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


def write(out: Path | None, record: Any) -> None:
    """Write a record to a file, whole or not at all, or to standard output."""
    if out is None or str(out) == "-":
        print_text(as_json(record))
    else:
        from tellapart.files import write_text

        write_text(out, as_json(record))


def as_json(record: Any) -> str:
    """Put a record as the files of the suite have it; NaN and infinity are no JSON."""
    import json

    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
