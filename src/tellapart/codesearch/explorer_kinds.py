"""The kinds of explorers, and their names as users type them: ``lexical``, ``agent:PROVIDER/MODEL``."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.errors import UsageError, near_match

AGENT_TURNS = 40
"""Most replies of an agent for one issue."""

AGENT_SECONDS = 900.0
"""Most seconds of an agent for one issue."""


@dataclass(frozen=True)
class ExplorerKind:
    """A kind of explorer; see ``load_explorer`` for the module that makes one."""

    argument: str = ""
    deterministic: bool = False
    asks_model: bool = False


KINDS = {
    "lexical": ExplorerKind(deterministic=True),
    "names": ExplorerKind(deterministic=True),
    "docstrings": ExplorerKind(deterministic=True),
    "agent": ExplorerKind("PROVIDER/MODEL", asks_model=True),
    "claude-code": ExplorerKind("MODEL", asks_model=True),
    "replay": ExplorerKind("FILE"),
}

FORMS = {kind: f"{kind}:{entry.argument}" if entry.argument else kind for kind, entry in KINDS.items()}
"""How a name of each kind is typed."""


def is_deterministic(name: str) -> bool:
    """Whether an explorer of this name is known to find the same files for the same issue."""
    kind = KINDS.get(name.partition(":")[0])
    return kind is not None and kind.deterministic


def parse_name(name: str) -> tuple[str, str]:
    """Split ``kind:argument``."""
    kind, colon, argument = name.partition(":")
    if kind not in KINDS:
        raise UsageError(f"the explorer is {name!r}", next_step=near_match(kind, KINDS))
    if bool(KINDS[kind].argument) != bool(argument) or (colon and not argument):
        raise UsageError(f"the explorer is {name!r}, expected {FORMS[kind]!r}")
    return kind, argument
