"""What Inspect finds under the name ``tellapart``: our tasks, one row a suite, and our offline models."""

from tellapart.contrastive.inspect_task import contrastive
from tellapart.longcontext.inspect_task import longcontext
from tellapart.testing.offline import codesearch as codesearch_models
from tellapart.testing.offline import contrastive as contrastive_models
from tellapart.testing.offline import longcontext as longcontext_models
from tellapart.testing.offline.provider import Offline

__all__ = [
    "Offline",
    "codesearch_models",
    "contrastive",
    "contrastive_models",
    "longcontext",
    "longcontext_models",
]
