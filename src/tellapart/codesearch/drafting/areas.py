"""Product areas where nobody named any: directories, the large ones split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

LARGEST_SHARE = 1 / 3
"""Of a repository's files that one area may hold, where it has directories to be split into."""


def area_of_each(paths: Iterable[str]) -> dict[str, str]:
    """Name the area of every file.

    An area is a top directory of a repository; one that holds more than ``LARGEST_SHARE`` of the repository's
    files is split into its own directories, and so on. Files beside those keep the directory's name.

    Args:
        paths: As ``repo/path``, distinct.

    Returns:
        Path to area, such as ``repo/src/pins``; the repository's name for a file in no directory.
    """
    paths = list(paths)
    above = {path: [str(parent) for parent in PurePosixPath(path).parents][-2::-1] for path in paths}
    held = Counter(directory for directories in above.values() for directory in directories)
    areas = {}
    for path, directories in above.items():
        all_files = held[directories[0]]
        small = (directory for directory in directories[1:] if held[directory] <= LARGEST_SHARE * all_files)
        areas[path] = next(small, directories[-1])
    return areas
