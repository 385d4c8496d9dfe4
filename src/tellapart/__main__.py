"""Where the command line starts, as ``tellapart`` or ``python -m tellapart``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an error or interrupt while its modules are imported ends it like any other."""
    try:
        from tellapart.cli.boundary import run_guarded

        run_guarded(_run)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _run() -> None:
    from tellapart.cli.main import run

    run()


if __name__ == "__main__":
    main()
