"""Issues to search for, and a system that searches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import say, warn
from tellapart.cli.progress import reporter
from tellapart.codesearch.commands.options import (
    ConfigFile,
    In,
    Index,
    Iteration,
    Out,
    Repos,
    ReposPath,
    Seed,
    as_json,
    check_out,
    open_repositories,
    read,
    read_settings,
    write,
)

if TYPE_CHECKING:
    from tellapart.codesearch.config import Config
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.searching import SearchSystem

Command = Annotated[
    str | None,
    typer.Option(
        "--command",
        help="The system under test, as 'prog {issue}'; the lexical search by default.",
    ),
]
TopK = Annotated[
    int | None, typer.Option("--top-k", min=1, help="Files that the lexical search gives.", show_default="20")
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", help="A word that the lexical search never searches for; repeat for several."),
]
Timeout = Annotated[
    float | None, typer.Option("--search-timeout", min=1, help="Seconds for one run of --command.")
]


def issues(
    out: Out = None,
    config: ConfigFile = None,
    repos_path: ReposPath = None,
    repos: Repos = None,
    count: Annotated[int, typer.Option("--count", min=1, help="How many.")] = 20,
    source: Annotated[
        str, typer.Option("--source", help="docstrings, or commits: the subjects in a git history.")
    ] = "docstrings",
    seed: Seed = None,
) -> None:
    """Draft issues from a repository's own words, to try things."""
    from tellapart.codesearch.drafting import draft_issues

    chosen = read_settings(config, repos_path)
    repositories = open_repositories(chosen, repos_path, repos)
    check_out(out)
    drafts = draft_issues(repositories, count, source=source, seed=chosen.seed if seed is None else seed)
    write(out, as_json(drafts.record))
    warn(drafts.notes)


def search(
    source: In = None,
    out: Out = None,
    config: ConfigFile = None,
    repos_path: ReposPath = None,
    repos: Repos = None,
    command: Command = None,
    timeout_s: Timeout = None,
    top_k: TopK = None,
    without: Without = None,
    learnings: Annotated[
        Path | None, typer.Option("--learnings", help="For the placeholder {learnings} of --command.")
    ] = None,
    iteration: Iteration = None,
    index: Index = None,
) -> None:
    """Run a search system over conversations.

    Your own with --command, or a lexical one.
    """
    from tellapart.codesearch.metrics.warnings import JUDGES_ITSELF
    from tellapart.codesearch.reading import read_conversations
    from tellapart.codesearch.searching import LexicalSystem
    from tellapart.codesearch.searching import search as run_search

    chosen = read_settings(config, repos_path)
    repositories = open_repositories(chosen, repos_path, repos)
    check_out(out, source, learnings, apart=repositories)
    content, where = read(source, "conversations.json")
    conversations = read_conversations(content, where=where)
    number = iteration or conversations.iteration
    system = searcher(
        chosen,
        repositories,
        index,
        command=command,
        timeout_s=timeout_s,
        top_k=top_k,
        without=without or (),
        learnings=learnings,
        iteration=number,
    )
    searched = run_search(conversations, system, repositories, iteration=number, progress=reporter())
    write(out, as_json(searched.record))
    warn(f"conversation {left.conversation!r} is left out: {left.why}" for left in searched.unusable)
    warn(dict.fromkeys(searched.notes))
    if system.name == LexicalSystem.name and LexicalSystem.name in chosen.explorer_names:
        warn([JUDGES_ITSELF])
    say(f"searched for {len(searched.record['conversations'])} of {len(conversations.conversations)} issues")


def searcher(
    config: Config,
    repositories: Repositories,
    index: Path | None,
    *,
    command: str | None = None,
    timeout_s: float | None = None,
    top_k: int | None = None,
    without: Sequence[str] = (),
    learnings: Path | None = None,
    iteration: int | None = None,
) -> SearchSystem:
    """The system under test: a command, of the command line or of the config, else the lexical search.

    Raises:
        UsageError: The command cannot work, or an option has no use with it.
    """
    from tellapart.codesearch.index.cache import index_directory
    from tellapart.codesearch.search_command import TIMEOUT_S, CommandSystem
    from tellapart.codesearch.searching import MOST_FILES, LexicalSystem
    from tellapart.errors import UsageError

    line = command or config.search.command
    unused = [name for name, value in (("--top-k", top_k), ("--without", without)) if value]
    if line and unused:
        raise UsageError(f"with a command, which searches by itself, this has no effect: {', '.join(unused)}")
    if line:
        return CommandSystem(
            line, repositories, iteration, learnings=learnings, timeout_s=timeout_s or TIMEOUT_S
        )
    if timeout_s or learnings:
        raise UsageError("--search-timeout and --learnings have an effect only with --command")
    most = top_k or config.search.top_k or MOST_FILES
    return LexicalSystem(repositories, index or index_directory(), without=without, most_files=most)
