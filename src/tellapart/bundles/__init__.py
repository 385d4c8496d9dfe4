"""Bundles of an anchor, a positive and negatives: danger, tiers, scoreboards, mining."""

from importlib import import_module
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from tellapart.errors import MissingExtra, called_from_python

if TYPE_CHECKING:
    from tellapart.bundles.evaluator import BundleEvaluator
    from tellapart.bundles.results import Scoreboard, read_scoreboard
    from tellapart.bundles.run import score
    from tellapart.bundles.tiers import assign_tiers
    from tellapart.core.bundle import Bundle, Text

__all__ = ["Bundle", "BundleEvaluator", "Scoreboard", "Text", "assign_tiers", "read_scoreboard", "score"]

_HOME = {
    "Bundle": "tellapart.core.bundle",
    "BundleEvaluator": "tellapart.bundles.evaluator",
    "Scoreboard": "tellapart.bundles.results",
    "Text": "tellapart.core.bundle",
    "assign_tiers": "tellapart.bundles.tiers",
    "read_scoreboard": "tellapart.bundles.results",
    "score": "tellapart.bundles.run",
}


def __getattr__(name: str) -> Any:
    """Import a name's module when it is first asked for: torch takes seconds and need not be installed."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(_HOME[name]), name)
        return called_from_python()(value) if isfunction(value) else value
    except ModuleNotFoundError as error:
        if error.name in {"sentence_transformers", "torch"}:
            raise MissingExtra(name, "st") from None
        raise
