"""Contrastive benchmarks: can a model pick the code that a summary describes."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.contrastive.build_options import BuildOptions
    from tellapart.contrastive.building import build
    from tellapart.contrastive.judging.request import JudgeSettings
    from tellapart.contrastive.judging.run import judge
    from tellapart.contrastive.ranking.run import Ranking, rank
    from tellapart.contrastive.running import bias, run, validate

__all__ = ["BuildOptions", "JudgeSettings", "Ranking", "bias", "build", "judge", "rank", "run", "validate"]

__getattr__ = lazy_names(
    __name__,
    {
        "BuildOptions": "build_options",
        "JudgeSettings": "judging.request",
        "Ranking": "ranking.run",
        "bias": "running",
        "build": "building",
        "judge": "judging.run",
        "rank": "ranking.run",
        "run": "running",
        "validate": "running",
    },
)
