"""The kinds of explorers, and their names as users type them: ``lexical``, ``agent:PROVIDER/MODEL``."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.errors import UsageError, near_match

AGENT_TURNS = 40
"""Maximum replies of an agent for one issue."""

AGENT_SECONDS = 900.0
"""Maximum seconds of an agent for one issue."""


@dataclass(frozen=True)
class ExplorerKind:
    """A kind of explorer, and the class of a module in ``explorers`` that makes one."""

    module: str
    made_by: str
    argument: str = ""
    asks_model: bool = False


KINDS = {
    "lexical": ExplorerKind("offline", "Lexical"),
    "names": ExplorerKind("offline", "Lexical"),
    "docstrings": ExplorerKind("offline", "Lexical"),
    "agent": ExplorerKind("agent", "Agent", "PROVIDER/MODEL", asks_model=True),
    "claude-code": ExplorerKind("claude_code", "ClaudeCode", "MODEL", asks_model=True),
    "replay": ExplorerKind("offline", "Replay", "FILE"),
}

FORMS = {kind: f"{kind}:{entry.argument}" if entry.argument else kind for kind, entry in KINDS.items()}
"""How a name of each kind is typed."""


def parse_name(name: str) -> tuple[str, str]:
    """Split ``kind:argument``."""
    kind, colon, argument = name.partition(":")
    if kind not in KINDS:
        raise UsageError(f"the explorer is {name!r}", next_step=near_match(kind, KINDS))
    if bool(KINDS[kind].argument) != bool(argument) or (colon and not argument):
        raise UsageError(f"the explorer is {name!r}, expected {FORMS[kind]!r}")
    return kind, argument
