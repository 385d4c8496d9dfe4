"""What Inspect finds under the name ``tellapart``: our tasks and our offline models."""

from tellapart.contrastive.llm import offline as contrastive_models
from tellapart.llm.offline import Offline

__all__ = ["Offline", "contrastive_models"]
