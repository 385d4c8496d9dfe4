"""tellapart: evaluations that tell models apart.

    import tellapart as ta

    ta.audit("scores.csv")  # which models these scores separate, and why not the others
    ta.compare("main.csv", "candidate.csv", max_drop=0.02)  # a gate: is the candidate worse

Scores are a path, a pattern, a folder, a list of these, a frame of polars, pandas or Arrow, or
``{model: {item: score}}``. Everything is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tellapart import bundles, codesearch, contrastive, longcontext, writers
    from tellapart.api import (
        AuditResult,
        CompareResult,
        LeaderboardResult,
        audit,
        compare,
        leaderboard,
        next_items,
        open_run,
        read_scores,
    )
    from tellapart.core.scores import ScoreTable
    from tellapart.errors import TellapartError
    from tellapart.store import RunDirectory

    __version__: str

__all__ = [
    "AuditResult",
    "CompareResult",
    "LeaderboardResult",
    "RunDirectory",
    "ScoreTable",
    "TellapartError",
    "__version__",
    "audit",
    "bundles",
    "codesearch",
    "compare",
    "contrastive",
    "leaderboard",
    "longcontext",
    "next_items",
    "open_run",
    "read_scores",
    "writers",
]

_API = ("AuditResult", "CompareResult", "LeaderboardResult", "next_items", "open_run", "read_scores")
_HOME = dict.fromkeys(_API, "tellapart.api") | {
    "RunDirectory": "tellapart.store",
    "ScoreTable": "tellapart.core.scores",
    "TellapartError": "tellapart.errors",
}
"""Where a name is that is no package."""


def __getattr__(name: str) -> Any:
    """Import a name's module when it is first used: the statistics take seconds to import."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
