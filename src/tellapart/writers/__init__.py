"""Writers of summaries: which model describes code best, by judges, by search and by contrastive items."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.writers.judging import JudgeSettings, judge
    from tellapart.writers.page import Ranking
    from tellapart.writers.ranking import rank
    from tellapart.writers.retrieval import RetrievalSettings, retrieve

__all__ = ["JudgeSettings", "Ranking", "RetrievalSettings", "judge", "rank", "retrieve"]

__getattr__ = lazy_names(
    __name__,
    {
        "JudgeSettings": "judging",
        "Ranking": "page",
        "RetrievalSettings": "retrieval",
        "judge": "judging",
        "rank": "ranking",
        "retrieve": "retrieval",
    },
)
