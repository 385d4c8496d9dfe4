"""What Inspect finds under the name ``tellapart``: our tasks, one row a suite, and our offline models."""

from tellapart.codesearch.explorers import offline as codesearch_explorer
from tellapart.codesearch.judging import offline as codesearch_judge
from tellapart.codesearch.learning import offline as codesearch_explainer
from tellapart.contrastive import offline as contrastive_models
from tellapart.contrastive.inspect_task import contrastive
from tellapart.llm.offline import Offline
from tellapart.longcontext import offline as longcontext_models
from tellapart.longcontext.inspect_task import longcontext

__all__ = [
    "Offline",
    "codesearch_explainer",
    "codesearch_explorer",
    "codesearch_judge",
    "contrastive",
    "contrastive_models",
    "longcontext",
    "longcontext_models",
]
