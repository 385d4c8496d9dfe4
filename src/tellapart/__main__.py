"""Where the command line starts, as ``tellapart`` or ``python -m tellapart``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interrupt while its modules are imported ends it like any other."""
    try:
        from tellapart.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
