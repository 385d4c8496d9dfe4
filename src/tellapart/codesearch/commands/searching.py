"""Issues to search for, and a system that searches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.codesearch.commands.options import (
    AtBase,
    ConfigOptions,
    In,
    Index,
    Iteration,
    Out,
    SeedOverConfig,
    as_json,
    check_out,
    open_repositories,
    read,
    write,
)
from tellapart.codesearch.config import MOST_FILES, Config

if TYPE_CHECKING:
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.searching import SearchSystem


@dataclass(frozen=True)
class SystemOptions:
    """The system that searches, as far as the command line says; None where the config or a default does.

    Attributes:
        command: Run for each issue.
        timeout_s: For one run of it.
        top_k: Most files of the lexical search.
        without: Words that it never searches for.
        learnings: For the command's placeholder of that name.
    """

    command: Annotated[
        str | None,
        typer.Option(
            "--command", help="The system under test, as 'prog {issue}'; the lexical search by default."
        ),
    ] = None
    timeout_s: Annotated[
        float | None, typer.Option("--search-timeout", min=1, help="Seconds for one run of --command.")
    ] = None
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k", min=1, help="Files that the lexical search gives.", show_default=str(MOST_FILES)
        ),
    ] = None
    without: Annotated[
        tuple[str, ...],
        typer.Option(
            "--without", help="A word that the lexical search never searches for; repeat for several."
        ),
    ] = ()
    learnings: Annotated[
        Path | None, typer.Option("--learnings", help="For the placeholder {learnings} of --command.")
    ] = None


@with_settings
def issues(
    *,
    out: Out = None,
    configured: ConfigOptions,
    count: Annotated[int, typer.Option("--count", min=1, help="How many.")] = 20,
    source: Annotated[
        str, typer.Option("--source", help="docstrings, or commits: the subjects in a git history.")
    ] = "docstrings",
    seed: SeedOverConfig = None,
) -> None:
    """Draft issues from a repository's own words, to try things."""
    from tellapart.codesearch.drafting import draft_issues

    config = configured.read()
    repositories = open_repositories(config)
    check_out(out)
    drafts = draft_issues(repositories, count, source=source, seed=config.seed if seed is None else seed)
    write(out, as_json(drafts.record))
    warn(drafts.notes)


@with_settings
def search(
    *,
    source: In = None,
    out: Out = None,
    configured: ConfigOptions,
    options: SystemOptions,
    iteration: Iteration = None,
    at_base: AtBase = False,
    index: Index = None,
) -> None:
    """Run a search system over conversations.

    Your own with --command, or a lexical one.
    """
    from contextlib import nullcontext

    from tellapart.codesearch.base_trees import BaseTrees
    from tellapart.codesearch.gold.conversations import read_issues
    from tellapart.codesearch.run import FIX_IS_THERE
    from tellapart.codesearch.searching import AtBase as AtBaseSystem
    from tellapart.codesearch.searching import search as run_search

    config = configured.read()
    repositories = open_repositories(config)
    check_out(out, source, options.learnings, apart=repositories)
    content, where = read(source, "conversations.json")
    conversations = read_issues(content, repositories, where=where)
    number = iteration or conversations.iteration
    system = searcher(config, repositories, index, number, options)
    bases = {one.id: one.base for one in conversations.conversations}
    trees = BaseTrees(repositories) if at_base else None
    if trees is not None:
        trees.check_any(bases)
        system = AtBaseSystem(system, lambda tree: searcher(config, tree, index, number, options), trees)
    elif any(bases.values()):
        warn([FIX_IS_THERE])
    with trees or nullcontext():
        searched = run_search(conversations, system, repositories, iteration=number, progress=reporter())
    write(out, as_json(searched.record))
    warn(f"conversation {left.conversation!r} is left out: {left.why}" for left in searched.unusable)
    warn(dict.fromkeys(searched.notes))
    say(f"searched for {len(searched.record['conversations'])} of {len(conversations.conversations)} issues")


def searcher(
    config: Config,
    repositories: Repositories,
    index: Path | None,
    iteration: int | None,
    options: SystemOptions,
) -> SearchSystem:
    """The system under test: a command, of the command line or of the config, else the lexical search.

    Raises:
        UsageError: The command cannot work, or an option has no use with it.
    """
    from tellapart.codesearch.index.cache import index_directory
    from tellapart.codesearch.search_command import TIMEOUT_S, CommandSystem
    from tellapart.codesearch.searching import LexicalSystem
    from tellapart.errors import UsageError

    line = options.command or config.search.command
    unused = [name for name, value in (("--top-k", options.top_k), ("--without", options.without)) if value]
    if line and unused:
        raise UsageError(f"with a command, which searches by itself, this has no effect: {', '.join(unused)}")
    if line:
        return CommandSystem(
            line,
            repositories,
            iteration,
            learnings=options.learnings,
            timeout_s=options.timeout_s or TIMEOUT_S,
        )
    if options.timeout_s or options.learnings:
        raise UsageError("--search-timeout and --learnings have an effect only with --command")
    return LexicalSystem(
        repositories,
        index or index_directory(),
        without=options.without,
        most_files=options.top_k or config.search.top_k or MOST_FILES,
    )
