"""Several systems on the same conversations."""

from tellapart.codesearch.comparing.compare import compare

__all__ = ["compare"]
