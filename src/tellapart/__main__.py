"""Where the command line starts, as ``tellapart`` or ``python -m tellapart``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; an error or interrupt while its modules are imported ends it like any other."""
    try:
        if sys.getfilesystemencoding() != "utf-8":
            _start_again_in_utf8()
        from tellapart.cli.boundary import run_guarded

        run_guarded(_run)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _start_again_in_utf8() -> None:
    """Become a Python for which names of files are UTF-8, as they are almost everywhere.

    In a locale such as ``C`` or ``de_DE.ISO-8859-1``, names with other letters could be neither hashed nor
    stored, and a run would not be the same as elsewhere. What is printed stays in the encoding of the locale.
    """
    options = ["-X", "utf8", "-X", f"tellapart_output={sys.stdout.encoding if sys.stdout else 'utf-8'}"]
    os.execv(sys.executable, [sys.executable, *options, *sys.orig_argv[1:]])


def _run() -> None:
    from tellapart.cli.main import run

    run()


if __name__ == "__main__":
    main()
