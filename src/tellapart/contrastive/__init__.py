"""Contrastive benchmarks: can a model pick the code that a summary describes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tellapart.contrastive.build_options import BuildOptions
    from tellapart.contrastive.judging.request import JudgeSettings
    from tellapart.contrastive.judging.run import judge
    from tellapart.contrastive.ranking.run import Ranking, rank
    from tellapart.contrastive.run import bias, validate

__all__ = ["BuildOptions", "JudgeSettings", "Ranking", "bias", "build", "judge", "rank", "run", "validate"]

_HOME = {
    "BuildOptions": "build_options",
    "JudgeSettings": "judging.request",
    "Ranking": "ranking.run",
    "bias": "run",
    "judge": "judging.run",
    "rank": "ranking.run",
    "validate": "run",
}
_CALLABLE = ("build", "run")


def __getattr__(name: str) -> Any:
    """Import a name's module when it is first used; ``build`` and ``run`` are modules that can be called."""
    if name in _CALLABLE:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
