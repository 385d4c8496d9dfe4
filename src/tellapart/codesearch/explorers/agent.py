"""``agent:PROVIDER/MODEL``: a language model with four tools that read, and nothing else."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tellapart.codesearch.explorers import repository_tools
from tellapart.codesearch.explorers.explorer import Explorer, ExplorerRequest, Issue
from tellapart.codesearch.explorers.repository_tools import Readable
from tellapart.codesearch.kinds import AGENT_SECONDS, AGENT_TURNS
from tellapart.codesearch.model import Explored, Failed
from tellapart.codesearch.repositories import NotThere, OutOfBounds, Repositories
from tellapart.core.settings import NO_EFFECT, Unrecorded
from tellapart.llm.agents import SUBMIT, AgentLimits, AgentModel, Purse, Tool
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.connection import connect
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Question
from tellapart.llm.quoting import quote

MOST_FILES = 300  # Files that an answer may name; recorded explorations of agents have 26 to 52

# As models write where in a file something is.
_PLACE = re.compile(r"(?::\d+(?:[-:]\d+){0,16}|#L\d+(?:-L?\d+)?)$")

MOST_TOKENS = 4000  # Default tokens of one reply, by which an agent thinks and calls tools


@dataclass(frozen=True)
class AgentOptions:
    """How explorers with a language model explore; one object for all of a run, which share its purse.

    ``parameters`` are those of `LanguageModel` that somebody set.
    """

    turns: int = AGENT_TURNS
    seconds: float = AGENT_SECONDS
    tokens: int | None = None
    parameters: Annotated[Mapping[str, Any], Unrecorded("a model has them in its own record")] = field(
        default_factory=dict
    )
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    purse: Annotated[Purse, Unrecorded(NO_EFFECT)] = field(default_factory=Purse)

    def model(self, name: str) -> LanguageModel:
        """A model as it is asked under these options."""
        return LanguageModel(name, **{"max_tokens": MOST_TOKENS, **self.parameters})


class FoundFiles(BaseModel):
    """The answer of an exploration."""

    model_config = ConfigDict(extra="forbid")

    files: list[str] = Field(description="REPOSITORY/PATH of each file, those first that matter most")
    reasoning: str = Field(description="How they belong to the issue, in at most three sentences")


MOST_OPEN = 8  # Trees whose listing stays open for the next issue of the same base commit


class Agent(Explorer):
    """Explores with a model, named as Inspect names it."""

    def __init__(self, request: ExplorerRequest) -> None:
        """Explore under the request's limits."""
        super().__init__(request)
        self.options: AgentOptions = request.limits or AgentOptions()
        self.model = self.options.model(request.argument)
        self._agents: AgentModel | None = None
        self._tools = lru_cache(MOST_OPEN)(lambda repositories: _tools(Readable.of(repositories)))

    @property
    def connected(self) -> Any:
        """The model of Inspect, None before ``prepare``; ``explore`` is awaited inside ``run_workers``."""
        return self._agents.connected if self._agents else None

    def check(self) -> None:
        """See that the model could be asked; nothing is sent."""
        connect(self.model, max_connections=1)

    def prepare(self) -> None:
        """Connect anew, since a connection lasts as long as its event loop."""
        self._agents = AgentModel(self.model, self.options.limits, self.options.purse)

    async def explore(self, issue: Issue, repositories: Repositories) -> Explored:
        """Let the model look for the files of one issue."""
        assert self._agents is not None, "prepare() comes before explore()"
        limits = AgentLimits(self.options.turns, self.options.seconds, self.options.tokens)
        question = explore_question(issue, repositories, submit=SUBMIT)
        answer = await self._agents.run(question, self._tools(repositories), limits)
        if answer.value is not None:
            return found_files(self.name, answer.value, repositories, answer.usage)
        assert answer.failure is not None
        return Explored(self.name, (), Failed.of(answer.failure), answer.usage)

    def record(self) -> dict[str, Any] | None:
        """How the model was asked, what went over the wire, and what it took; None where it never was."""
        return self.options.purse.record(self.model, self.options.limits)


@cache
def explore_prompt() -> Prompt:
    """The prompt, for explorers that hand in their answer and for those that reply with it."""
    return read_prompt("tellapart.codesearch.explorers", "explore")


def explore_question(
    issue: Issue, repositories: Repositories, submit: str | None = None
) -> Question[FoundFiles]:
    """Ask for the files of an issue: conversation, summary and code bases are all that is shown."""
    quoted = quote((issue.conversation_id, issue.summary, "\n".join(repositories.names)))
    conversation, summary, names = quoted.texts
    prompt = explore_prompt().render(
        marker=quoted.marker,
        conversation=conversation,
        issue=summary,
        repositories=names,
        submit=submit,
        schema=schema_text(FoundFiles),
    )
    return Question(issue.conversation_id, prompt, FoundFiles, _check)


def found_files(
    explorer: str, answer: FoundFiles, repositories: Repositories, usage: Mapping[str, int]
) -> Explored:
    """Keep the files that are there and may be read, each once, in the answer's order."""
    kept: dict[str, None] = {}
    dropped: Counter[str] = Counter()
    for named in answer.files:
        path = _PLACE.sub("", named.strip()).removeprefix("./")
        try:
            if not repositories.locate(path).is_file():
                raise NotThere(f"{path!r} is not a file")
        except OutOfBounds as error:
            dropped["not_there" if isinstance(error, NotThere) else "refused"] += 1
        else:
            kept[path.removesuffix("/")] = None
    failure = None
    if answer.files and not kept:
        why = (
            f"none of the {len(answer.files)} files named is one of the repositories', such as {path[:200]!r}"
        )
        failure = Failed("parse", "out_of_range", why)
    return Explored(explorer, tuple(kept), failure, {**usage, **dropped})


def _check(answer: FoundFiles) -> str | None:
    if len(answer.files) > MOST_FILES:
        return f"{len(answer.files)} files are named, expected at most {MOST_FILES}"
    return None


def _tools(readable: Readable) -> tuple[Tool, ...]:
    """The four tools; each works in a thread, so that the other explorations go on."""

    async def list_files(path: str = "") -> str:
        """List a directory: its directories, with how many files are below them, and its files.

        Args:
            path: REPOSITORY or REPOSITORY/PATH; leave it empty to list the repositories.
        """
        return await asyncio.to_thread(repository_tools.list_directory, readable, path)

    async def glob(pattern: str) -> str:
        """Find files by their paths.

        Args:
            pattern: What a path must end with, such as *.py, services/**/*.rb or app/**/*.{ts,tsx}.
        """
        return await asyncio.to_thread(repository_tools.find_paths, readable, pattern)

    async def grep(pattern: str, path: str = "", ignore_case: bool = False) -> str:
        """Find lines of files by a regular expression.

        Args:
            pattern: A regular expression, without look-around, that a line must match somewhere.
            path: The directory or the file to search; leave it empty to search all repositories.
            ignore_case: Whether upper and lower case are the same.
        """
        return await asyncio.to_thread(
            repository_tools.search_lines, readable, pattern, path, ignore_case=ignore_case
        )

    async def read(path: str, first_line: int = 1, lines: int = repository_tools.MOST_LINES) -> str:
        """Read lines of a file.

        Args:
            path: REPOSITORY/PATH of the file.
            first_line: The first line to read, from 1.
            lines: How many lines to read, at most 400.
        """
        return await asyncio.to_thread(repository_tools.read_lines, readable, path, first_line, lines)

    return (list_files, glob, grep, read)
