"""Issues to search for, and a system that searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.output import say, warn
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.codesearch.commands.options import (
    AtBase,
    ConfigOptions,
    In,
    Iteration,
    Out,
    Seed,
    check_out,
    read,
    write,
)
from tellapart.codesearch.config import MOST_FILES, Config
from tellapart.codesearch.kinds import SYSTEM_FORMS, SYSTEMS, TIMEOUT_S, load, parse_system
from tellapart.core.seed import SEED
from tellapart.environment.programs import PASS_ENV_HELP

if TYPE_CHECKING:
    from tellapart.codesearch.model import SearchResults
    from tellapart.codesearch.repositories import Repositories
    from tellapart.codesearch.searching import Search
    from tellapart.codesearch.systems.system import SystemRequest


SearchedBy = Annotated[
    str | None,
    typer.Option(
        "--system",
        help=f"The system under test: {', '.join(SYSTEM_FORMS.values())}.",
        show_default="that of the config, else lexical:",
        metavar="NAME",
    ),
]


@dataclass(frozen=True)
class SystemOptions:
    """The system that searches, as far as the command line says; None where the config or a default does."""

    system: SearchedBy = None
    command: Annotated[
        str | None,
        typer.Option("--command", help="Short for --system command:…; a program, as 'prog {issue}'."),
    ] = None
    timeout_s: Annotated[
        float | None,
        typer.Option(
            "--search-timeout",
            min=1,
            help="Seconds for one issue, for systems that can be interrupted.",
            show_default=f"{TIMEOUT_S:g}",
        ),
    ] = None
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k",
            min=1,
            help="Most files of one issue; a service is told.",
            show_default=f"{MOST_FILES} for searches of ours",
        ),
    ] = None
    pass_env: Annotated[
        tuple[str, ...], typer.Option("--pass-env", help=PASS_ENV_HELP, metavar="NAME", show_default=False)
    ] = ()


@with_settings
def issues(
    *,
    out: Out = None,
    configured: ConfigOptions,
    count: Annotated[int, typer.Option("--count", min=1, help="How many.")] = 20,
    source: Annotated[
        str, typer.Option("--source", help="docstrings, or commits: the subjects in a git history.")
    ] = "docstrings",
    seed: Seed = SEED,
) -> None:
    """Draft issues from a repository's own words, to try things."""
    from tellapart.codesearch.drafting import draft_issues

    config = configured.read()
    repositories = configured.open(config)
    check_out(out)
    record, notes = draft_issues(repositories, count, source=source, seed=seed)
    write(out, record)
    warn(notes)


@with_settings
def search(
    *,
    source: In = None,
    out: Out = None,
    configured: ConfigOptions,
    options: SystemOptions,
    iteration: Iteration = None,
    at_base: AtBase = False,
) -> None:
    """Run a search system over conversations.

    Your own with --system, or a lexical one.

    A program prints JSON (a list of paths or of objects with path, or {"files_found": […],
    "search_terms_used": […]}) or a path a line, absolute or relative to the repositories, to one of them, or
    to the working directory. Other lines are left out and counted. No match is an empty list, or nothing
    printed with status 0 or 1.
    """
    from tellapart.codesearch.gold.placing import read_issues

    config = configured.read()
    repositories = configured.open(config)
    check_out(out, source, apart=repositories)
    content, where = read(source, "conversations.json")
    conversations = read_issues(content, repositories, where=where)
    number = iteration or conversations.iteration
    request = system_request(config, repositories, number, options)
    searched = search_issues(conversations, request, at_base=at_base)
    write(out, searched.record)
    warn_of_search(searched)
    again = "; started again, the command searches for all of them" if searched.end else ""
    done, of = len(searched.record["conversations"]), len(conversations.searched)
    say(f"searched for {done} of {of} issues{again}")
    if searched.end:
        raise searched.end


def warn_of_search(searched: Search) -> None:
    """Say on stderr which conversations are left out and why, and what else people should know."""
    warn(f"conversation {left.conversation!r} is left out: {left.why}" for left in searched.unusable)
    warn(dict.fromkeys(searched.notes))


def search_issues(conversations: SearchResults, request: SystemRequest, *, at_base: bool) -> Search:
    """Search for issues in the repositories as they are, or each in the tree of its base commit."""
    from contextlib import nullcontext

    from tellapart.codesearch.git import BaseTrees
    from tellapart.codesearch.request import FIX_IS_THERE
    from tellapart.codesearch.searching import AtBase, search

    bases = {each.conversation.id: each.conversation.base for each in conversations.searched}
    trees = BaseTrees(request.repositories) if at_base else None
    if trees is not None:
        trees.check_any(bases)
    elif any(bases.values()):
        warn([FIX_IS_THERE])
    system = load("systems", request) if trees is None else AtBase(request, trees)
    with trees or nullcontext():
        return search(
            conversations,
            system,
            request.repositories,
            iteration=request.iteration,
            progress=reporter(),
        )


def system_request(
    config: Config,
    repositories: Repositories,
    iteration: int | None,
    options: SystemOptions,
) -> SystemRequest:
    """The system under test, of the command line or of the config, else the lexical search."""
    from tellapart.codesearch.evaluation import LEXICAL
    from tellapart.codesearch.index import index_directory
    from tellapart.codesearch.systems.system import SystemRequest
    from tellapart.errors import UsageError

    if options.system and options.command:
        raise UsageError("--system and --command both name what searches", next_step="Give one of them")
    command = options.command or (None if options.system else config.search.command)
    name = f"command:{command}" if command else options.system or config.search.system or LEXICAL
    kind, _ = parse_system(name)
    given = {
        "--search-timeout": options.timeout_s,
        "--top-k": options.top_k,
        "--pass-env": options.pass_env,
    }
    unused = [option for option, value in given.items() if value and option not in SYSTEMS[kind].options]
    if unused:
        raise UsageError(f"with the system {kind!r} this has no effect: {', '.join(unused)}")
    return SystemRequest(
        name,
        repositories,
        index_directory(),
        iteration=iteration,
        timeout_s=options.timeout_s or config.search.timeout_s or TIMEOUT_S,
        top_k=options.top_k or config.search.top_k,
        pass_env=(*config.search.pass_env, *options.pass_env),
        progress=reporter(),
    )
