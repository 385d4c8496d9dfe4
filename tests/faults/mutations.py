"""What a disk, an editor, another version or an enemy makes of a file: mutations that know its form.

Every mutation takes the bytes of a file and a random generator, and gives other bytes. They are drawn by
weight from those of the file's kind.
"""

from pathlib import Path

from faults import archives, tables, texts, trees  # noqa: F401
from faults.registry import ANY, BY_KIND, REFUSED, SAME, Mutation, changed, draw, kind_of, pick

DIRECTORY, DANGLING, LOOP, MISSING = "a directory", "a link to nothing", "a link to itself", "nothing"
INSTEAD = (DIRECTORY, DANGLING, LOOP, MISSING)
"""What may stand in place of a file."""


def put_instead(path: Path, what: str) -> None:
    path.unlink()
    if what == DIRECTORY:
        path.mkdir()
    elif what == DANGLING:
        path.symlink_to("no-such-file")
    elif what == LOOP:
        path.symlink_to(path.name)


__all__ = [
    "ANY",
    "BY_KIND",
    "DANGLING",
    "INSTEAD",
    "MISSING",
    "REFUSED",
    "SAME",
    "Mutation",
    "changed",
    "draw",
    "kind_of",
    "pick",
    "put_instead",
]
