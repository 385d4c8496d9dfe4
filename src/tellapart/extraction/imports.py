"""What a language says of its imports: how they are written, and what files they can mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


class Import(NamedTuple):
    """One import.

    Attributes:
        module: What is imported from, as it is written, without quotes and white space.
        names: What of it, in the file's order; ``*`` is all of it, and none means the module itself.
        beside: Whether it is looked for beside the file, though its name does not say so.
    """

    module: str
    names: tuple[str, ...] = ()
    beside: bool = False


class Target(NamedTuple):
    """What an import can mean.

    Attributes:
        kind: ``file`` and ``directory`` are found by the end of their path, or from the importing file's
            directory where they begin with ``./`` or ``../``; ``name`` is found by its qualified name, and
            ``within`` means what is defined directly within that name, as far as the importing file uses it.
        what: A path with slashes, or a name with dots.
    """

    kind: Literal["file", "directory", "name", "within"]
    what: str


Targets = Iterable[tuple[Target, ...]]
"""For each thing that is imported, what it can mean: the first that is there counts."""


def nowhere(imported: Import) -> Targets:
    """Take an import for something outside the repository."""
    return ()


def no_imports(node: Node) -> Iterable[Import]:
    """Read nothing out of a tree of imports."""
    return ()


@dataclass(frozen=True)
class ReferenceSyntax:
    """How a language refers to what is defined elsewhere.

    Attributes:
        identifiers: The kinds of node that are identifiers and have no identifier inside.
        names: tree-sitter query of further names: ``@defined`` are names that are defined here without being
            units (constants, types, attributes, declarations), ``@package`` is the name that holds for the
            whole file.
        imports: tree-sitter query that captures ``@module``, or ``@module.beside``; where names of it are
            imported, they are ``@imported`` and what holds both is the ``@import``. Or ``@tree``, which
            ``read_tree`` reads.
        read_tree: Reads imports that share their beginning, as in Rust.
        targets: Says what an import can mean.
        package_file: A file whose directory is inside a package: no import begins there. Empty if any
            directory can be where the names of imports begin.
    """

    identifiers: tuple[str, ...] = ("identifier",)
    names: str = ""
    imports: str = ""
    read_tree: Callable[[Node], Iterable[Import]] = no_imports
    targets: Callable[[Import], Targets] = nowhere
    package_file: str = ""


def files(*paths: str) -> tuple[Target, ...]:
    """Name files that one import can mean, the likeliest first."""
    return tuple(Target("file", path) for path in paths)


def ends_of(parts: list[str], *, shortest: int) -> Iterable[list[str]]:
    """Give a path's ends, the longest first."""
    return (parts[start:] for start in range(max(len(parts) - shortest, 0) + 1))
