"""Bugs that a worker's child can be given, each of which the oracle has to see."""

import sys
from pathlib import Path

SEEN_AS = {
    "traceback": ("table.csv", "traceback"),
    "file_left": ("table.csv", "left behind"),
    "nameless": ("table.csv", "refused without the name of the file"),
    "always_right": ("table.json", "took what cannot be whole"),
    "blind_to_changes": ("frozen eval", "a change went unnoticed"),
}
"""In cases of which form, and as what, the oracle sees each."""


def traceback():
    from tellapart.readers import table

    table.read = lambda *_: {}["no such key"]


def file_left():
    Path("left.tmp").write_text("")


def nameless():
    from tellapart.errors import TellapartError

    TellapartError.__str__ = lambda _: "something is wrong"


def always_right():
    sys.stdout.write('{"items": 10}')
    sys.exit(0)


def blind_to_changes():
    """What is frozen may be changed."""
    from tellapart.bundles import run

    run.frozen_version = lambda _: None
