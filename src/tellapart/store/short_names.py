"""Short names for files: the end of each path that tells it from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path


def path_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Give the shortest ends of paths that tell them apart, without the ending of a file."""
    parts = [_without_ending(path).parts for path in paths]
    return _numbered([_shortest(part, [other for other in parts if other != part]) for part in parts])


def names_of_runs(models: Sequence[str], paths: Sequence[Path]) -> tuple[str, ...]:
    """Name what is compared: a model by its name, two runs of one model as ``model (file)``."""
    again = Counter(models)
    files = [f" ({name})" for name in path_names(paths)]
    return tuple(
        f"{model}{file}" if again[model] > 1 else model for model, file in zip(models, files, strict=True)
    )


def _without_ending(path: Path) -> Path:
    """Without ``.json``, and without the ``.scores.parquet`` that lies beside it."""
    if path.is_dir():
        return path
    stem = path.with_suffix("")
    return stem.with_suffix("") if stem.suffix == ".scores" else stem


def _shortest(part: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> str:
    for depth in range(1, len(part)):
        if all(other[-depth:] != part[-depth:] for other in others):
            return "/".join(part[-depth:])
    return str(Path(*part))


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    again = Counter(names)
    return tuple(
        f"{name} #{names[: i + 1].count(name)}" if again[name] > 1 else name for i, name in enumerate(names)
    )
