"""From the name of an explorer, as users type it, to the explorer."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tellapart.codesearch.explorers.protocol import Explorer
from tellapart.codesearch.index.snapshot import Snapshot
from tellapart.codesearch.repositories import Repositories
from tellapart.errors import UsageError, near_match

KINDS = {"lexical": "", "symbols": "", "agent": "PROVIDER/MODEL", "claude-code": "MODEL", "replay": "FILE"}
"""What follows the colon, by what stands before it; empty where there is no colon."""


@dataclass(frozen=True)
class ExplorerRequest:
    """What a module of an explorer needs to make one; each offers ``load(request)``.

    Attributes:
        name: The whole name.
        argument: What follows the colon; empty where there is none.
        repositories: What may be read; None where the run needs none, since all is replayed.
        index: Directory of what is kept of the repositories between runs.
        role: ``run_a`` or ``run_b``: which of the recorded runs is replayed.
        limits: Of language models; see ``agents``.
        snapshot: Of the repositories, where one was taken: explorers that index files then index just these.
    """

    name: str
    argument: str
    repositories: Repositories
    index: Path
    role: str = "run_a"
    limits: Any = None
    snapshot: Snapshot | None = None


def parse_name(name: str) -> tuple[str, str]:
    """Cut ``kind:argument``.

    Raises:
        UsageError: There is no such kind, or its argument is missing or too much.
    """
    kind, colon, argument = name.partition(":")
    if kind not in KINDS:
        raise UsageError(f"the explorer is {name!r}", next_step=near_match(kind, KINDS))
    if bool(KINDS[kind]) != bool(argument) or (colon and not argument):
        expected = f"{kind}:{KINDS[kind]}" if KINDS[kind] else kind
        raise UsageError(f"the explorer is {name!r}, expected {expected!r}")
    return kind, argument


def load_explorer(request: ExplorerRequest) -> Explorer:
    """Make an explorer; nothing is read or asked yet."""
    kind, _ = parse_name(request.name)
    module = import_module(f"tellapart.codesearch.explorers.{kind.replace('-', '_')}")
    explorer: Explorer = module.load(request)
    return explorer
