"""Bugs that a worker's child can be given, each of which the oracle has to see."""

import sys
from pathlib import Path


def traceback():
    from tellapart.audit.reading import plain_table

    plain_table.read = lambda *_: {}["no such key"]


def escape_sequence():
    from tellapart.cli import output

    output.say = lambda text: sys.stderr.write(f"\x1b[31m{text}\n")


def no_number():
    sys.stdout.write('{"items": 10, "mean": NaN}')
    sys.exit(0)


def file_left():
    Path("left.tmp").write_text("")


def temporary_left():
    import tempfile

    tempfile.mkstemp()


def gate_failed():
    sys.exit(1)


def nameless():
    from tellapart.errors import TellapartError

    TellapartError.__str__ = lambda _: "something is wrong"


def always_right():
    sys.stdout.write('{"items": 10}')
    sys.exit(0)


def killed():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def busy():
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 1, -1))
    while True:
        pass


def greedy():
    from tellapart.audit.reading import plain_table

    plain_table.read = lambda *_: bytearray(5 * 2**30)


def blind_to_changes():
    """What is frozen may be changed."""
    from tellapart.bundles import run

    run.frozen_version = lambda _: None
