"""The kinds of systems under test, and how they are named: ``ripgrep:``, ``mcp:COMMAND``, ``python:a:b``."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.errors import UsageError, near_match

TIMEOUT_S = 60.0
"""For one conversation, where nobody says otherwise."""


@dataclass(frozen=True)
class SystemKind:
    """A kind of system under test, and the class of a module in ``systems`` that makes one."""

    module: str
    made_by: str
    argument: str
    options: tuple[str, ...]


KINDS = {
    "lexical": SystemKind("words", "LexicalSystem", "", ("--top-k",)),
    "ripgrep": SystemKind("words", "RipgrepSystem", "", ("--top-k", "--search-timeout")),
    "embeddings": SystemKind("embeddings", "EmbeddingSystem", "MODEL", ("--top-k",)),
    "mcp": SystemKind("mcp", "McpSystem", "COMMAND or URL", ("--search-timeout", "--pass-env")),
    "http": SystemKind("http", "HttpSystem", "URL", ("--top-k", "--search-timeout")),
    "python": SystemKind("python", "PythonSystem", "MODULE:FUNCTION", ("--search-timeout",)),
    "command": SystemKind("command", "CommandSystem", "PROGRAM {issue}", ("--search-timeout", "--pass-env")),
}

FORMS = {kind: f"{kind}:{entry.argument}" for kind, entry in KINDS.items()}
"""How a system of each kind is written."""


def parse_spec(spec: str) -> tuple[str, str]:
    """Split ``kind:argument``.

    The colon may be left out where nothing follows it. An address alone, ``http://…``, is of the kind
    ``http``.
    """
    kind, _, argument = spec.partition(":")
    if kind == "https" or (kind == "http" and argument.startswith("//")):
        kind, argument = "http", spec
    argument = argument.strip()
    if kind not in KINDS:
        forms = ", ".join(repr(form) for form in FORMS.values())
        near = near_match(kind, KINDS) if kind else ""
        raise UsageError(
            f"the system is {spec!r}, expected one of {forms}",
            next_step=near if near.startswith("Did") else f"For a program of yours: 'command:{spec}'",
        )
    if bool(KINDS[kind].argument) != bool(argument):
        raise UsageError(f"the system is {spec!r}, expected {FORMS[kind]!r}")
    return kind, argument
