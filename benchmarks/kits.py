"""The test kits that benchmarks run against, from ``tests/support``."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.loopback import LoopbackServer, Request  # noqa: E402

__all__ = ["LoopbackServer", "Request"]
