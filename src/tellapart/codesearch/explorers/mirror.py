"""A copy of what may be read, for explorers whose own tools read whatever lies there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

from tellapart.codesearch.repositories import Repositories
from tellapart.store import storage


class Mirror:
    """The approved repositories once more, without secrets, version control and symbolic links.

    A tool that greps a whole directory asks nobody about single files: what must not be read is best not
    there. Files are hard links where the file system allows it, and copies elsewhere.

    Attributes:
        root: Directory of the copies, one a repository, under their names; removed by ``close``.
    """

    def __init__(self, repositories: Repositories) -> None:
        """Copy all files that may be read.

        Raises:
            StorageError: There is no room.
        """
        self.root = scratch(self, "repositories-")
        with storage(self.root):
            for name in repositories.names:
                (self.root / name).mkdir()
            for path in repositories.files():
                copy = self.root / path
                copy.parent.mkdir(parents=True, exist_ok=True)
                _link(repositories.locate(path), copy)

    def close(self) -> None:
        """Remove the copies; without it they go with the mirror itself."""
        shutil.rmtree(self.root, ignore_errors=True)

    def refusal(self, path: str) -> str | None:
        """Say why a path that a tool is given leads out of the copies, or None when it does not.

        Args:
            path: Absolute, or relative to ``root``; may hold wild cards.
        """
        if path.startswith("~") or "\0" in path or ".." in Path(path).parts:
            return f"{path!r} may not be read: give a path below {self.root}, without '..' and '~'"
        place = Path(os.path.normpath(self.root / path))
        if place != self.root and self.root not in place.parents:
            return f"{path!r} may not be read: only what lies below {self.root} may"
        return None


def scratch(owner: object, prefix: str) -> Path:
    """Make a directory that is removed when its owner goes, or the program ends."""
    directory = Path(mkdtemp(prefix=prefix)).resolve()
    finalize(owner, shutil.rmtree, directory, ignore_errors=True)
    return directory


def _link(source: Path, copy: Path) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copyfile(source, copy)
