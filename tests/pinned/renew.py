"""Write the pinned outputs anew: ``python tests/pinned/renew.py``.

The files beside this one are what an earlier version printed, wrote and stored. They are there so that the
inside of the house can be rebuilt and nobody outside notices. Renewing them is legitimate in one case: an
output was meant to change, the changelog says so, and every line of the difference is that change. It is
never the way to make a failing test pass after a change that should have changed nothing.
"""

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from pinned.terminal import groups, help_text  # noqa: E402


def write(place, text):
    """Write a pinned file, and say so if it was another."""
    if not place.exists() or place.read_text(encoding="utf-8") != text:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{place.relative_to(HERE)}\n")


def main():
    """Renew what is pinned."""
    with tempfile.TemporaryDirectory() as directory:
        for name, commands in groups().items():
            write(HERE / "help" / f"{name}.txt", help_text(Path(directory), commands))


if __name__ == "__main__":
    main()
