"""Can an evaluation separate its models, and if not, why not, and what is the cheapest fix.

Scores go in, from any harness; verdicts, causes, recommendations, items, order and a smallest set come out.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tellapart.callable_module import make_callable

if TYPE_CHECKING:
    from tellapart.audit.analysis import analyse
    from tellapart.audit.options import AuditOptions
    from tellapart.audit.results import Findings

__all__ = ["AuditOptions", "Findings", "analyse"]

_HOME = {"AuditOptions": "options", "Findings": "results", "analyse": "analysis"}


def __getattr__(name: str) -> Any:
    """Import a name's module when it is first used: the statistics take seconds to import."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


make_callable(__name__, "tellapart.api", "audit")
