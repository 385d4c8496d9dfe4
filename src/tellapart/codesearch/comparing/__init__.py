"""Several systems on the same conversations."""

from tellapart.codesearch.comparing.compare import SystemsCompared, compare
from tellapart.codesearch.comparing.named import named

__all__ = ["SystemsCompared", "compare", "named"]
