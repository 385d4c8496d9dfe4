"""The kinds of explorers and of systems under test: how users name them, and how one is made from its name.

Explorers have names such as ``lexical`` or ``agent:PROVIDER/MODEL``, systems such as ``ripgrep:``.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from tellapart.errors import UsageError, close_match, near_match

AGENT_TURNS = 40  # Maximum replies of an agent for one issue
AGENT_SECONDS = 900.0  # Maximum seconds of an agent for one issue
TIMEOUT_S = 60.0  # Default seconds of a system for one conversation


@dataclass(frozen=True)
class Kind:
    """A kind, the class of a module that makes one, and the options of ``search`` that it takes."""

    module: str
    made_by: str
    argument: str = ""
    options: tuple[str, ...] = ()
    asks_model: bool = False


EXPLORERS = {
    "lexical": Kind("lexical", "Lexical"),
    "names": Kind("lexical", "Lexical"),
    "docstrings": Kind("lexical", "Lexical"),
    "agent": Kind("agent", "Agent", "PROVIDER/MODEL", asks_model=True),
    "claude-code": Kind("claude_code", "ClaudeCode", "MODEL", asks_model=True),
    "replay": Kind("lexical", "Replay", "FILE"),
}
SYSTEMS = {
    "lexical": Kind("words", "LexicalSystem", "", ("--top-k",)),
    "ripgrep": Kind("words", "RipgrepSystem", "", ("--top-k", "--search-timeout")),
    "embeddings": Kind("embeddings", "EmbeddingSystem", "MODEL", ("--top-k",)),
    "mcp": Kind("mcp", "McpSystem", "COMMAND", ("--search-timeout", "--pass-env")),
    "http": Kind("http", "HttpSystem", "URL", ("--top-k", "--search-timeout")),
    "python": Kind("python", "PythonSystem", "MODULE:FUNCTION", ("--search-timeout",)),
    "command": Kind("command", "CommandSystem", "PROGRAM {issue}", ("--search-timeout", "--pass-env")),
}
EXPLORER_FORMS = {name: f"{name}:{kind.argument}".removesuffix(":") for name, kind in EXPLORERS.items()}
SYSTEM_FORMS = {name: f"{name}:{kind.argument}" for name, kind in SYSTEMS.items()}


def parse_explorer(name: str) -> tuple[str, str]:
    """Split ``kind:argument``."""
    kind, colon, argument = name.partition(":")
    if kind not in EXPLORERS:
        raise UsageError(f"the explorer is {name!r}", next_step=near_match(kind, EXPLORERS))
    if bool(EXPLORERS[kind].argument) != bool(argument) or (colon and not argument):
        raise UsageError(f"the explorer is {name!r}, expected {EXPLORER_FORMS[kind]!r}")
    return kind, argument


def parse_system(name: str) -> tuple[str, str]:
    """Split ``kind:argument``; the colon may be left out, and ``http://…`` alone is of the kind ``http``."""
    kind, _, argument = name.partition(":")
    if kind == "https" or (kind == "http" and argument.startswith("//")):
        kind, argument = "http", name
    argument = argument.strip()
    if kind not in SYSTEMS:
        close = close_match(kind, SYSTEMS) if kind else None
        raise UsageError(
            f"the system is {name!r}, expected one of {', '.join(map(repr, SYSTEM_FORMS.values()))}",
            next_step=f"Did you mean {close!r}?" if close else f"For a program of yours: 'command:{name}'",
        )
    if bool(SYSTEMS[kind].argument) != bool(argument):
        raise UsageError(f"the system is {name!r}, expected {SYSTEM_FORMS[kind]!r}")
    return kind, argument


def load(package: Literal["explorers", "systems"], request: Any) -> Any:
    """Make the explorer or the system that a request names; nothing is read, started or asked yet."""
    name = request.name
    kind = EXPLORERS[parse_explorer(name)[0]] if package == "explorers" else SYSTEMS[parse_system(name)[0]]
    return getattr(import_module(f"tellapart.codesearch.{package}.{kind.module}"), kind.made_by)(request)
