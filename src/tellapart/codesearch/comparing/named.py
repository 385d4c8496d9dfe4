"""What the systems of several evaluations are called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tellapart.codesearch.evaluation import SYSTEM, Evaluation
from tellapart.errors import UsageError
from tellapart.store import path_names


def named(given: Sequence[tuple[str | None, Path, Evaluation]]) -> dict[str, Evaluation]:
    """Name systems as an audit of their runs does.

    Args:
        given: Of each evaluation the name that it was given, if one was, where it lies, and what it says.

    Returns:
        By name: the one that was given, else that of the system as the evaluation says it, else the file's.
        Systems of the same name are two things to compare: ``name (run)``.

    Raises:
        UsageError: One evaluation is given twice under one name.
    """
    paths = list(dict.fromkeys(path for _, path, _ in given))
    of_path = dict(zip(paths, path_names(paths), strict=True))
    labels = [of_path[path] for _, path, _ in given]
    names = [
        name or str((one.facts or {}).get(SYSTEM) or label)
        for (name, _, one), label in zip(given, labels, strict=True)
    ]
    apart = [
        f"{name} ({label})" if names.count(name) > 1 else name
        for name, label in zip(names, labels, strict=True)
    ]
    twice = next((name for name in apart if apart.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the evaluation {twice!r} is given twice", next_step="Name them apart: NAME=PATH")
    return {name: one for name, (_, _, one) in zip(apart, given, strict=True)}
