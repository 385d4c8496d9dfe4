"""YAML with the lines where its values stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from tellapart.errors import InputError

# The one in C reads a megabyte in a tenth of the time.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_DEEPEST = 20
_QUOTES = "Put quotes around anything that is not a number or a date"


def loaded(text: str, path: Path) -> tuple[yaml.Node, dict[Any, Any]]:
    """Read YAML whose top is a mapping.

    Returns:
        Its nodes, which know their lines, and its values.

    Raises:
        InputError: It is not YAML, no mapping, nested too deep, or a mapping has a key twice.
    """
    loader = _Loader(text)
    try:
        _check_depth(text, path)
        node = loader.get_single_node()
        data = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else path
        raise InputError(f"this is not YAML: {error.problem}", where=where) from None
    except yaml.YAMLError as error:
        raise InputError(f"this is not YAML: {' '.join(str(error).split())}", where=path) from None
    except (ValueError, OverflowError) as error:
        raise InputError(f"a value cannot be read: {error}", where=path, next_step=_QUOTES) from None
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise InputError(
            f"this is {type(data).__name__}, expected a mapping with 'steps'",
            where=path,
            next_step="A step is written as '- message: M1' with 'text: …' below it",
        )
    # YAML keeps the last of two equal keys without a word, and an answer would be lost.
    for key, line in _twice(node):
        raise InputError(
            f"the key {key!r} occurs twice",
            where=f"{path}:{line}",
            next_step="Keep one of them",
        )
    return node, data


def _check_depth(text: str, path: Path) -> None:
    """See that nothing is nested so deep that building it up would run out of stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise InputError(
                "this is nested too deep for a case", where=f"{path}:{event.start_mark.line + 1}"
            )


def _twice(root: yaml.Node) -> Iterator[tuple[str, int]]:
    """Keys that a mapping has twice, of which YAML would keep the last without notice."""
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        is_mapping = isinstance(node, yaml.MappingNode)
        keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)] if is_mapping else []
        names = Counter(key.value for key in keys)
        yield from ((key.value, key.start_mark.line + 1) for key in reversed(keys) if names[key.value] > 1)
        todo += reversed([value for _, value in node.value] if is_mapping else node.value)


def line_of(root: yaml.Node, place: Sequence[str | int]) -> int:
    """The line, from 1, of a value or its key; of what is around it where it is not there.

    Args:
        root: Of ``loaded``.
        place: Keys and positions on the way.
    """
    node, line = root, int(root.start_mark.line)
    for step in place:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == step), None)
            if pair is None:
                break
            line, node = int(pair[0].start_mark.line), pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = int(node.start_mark.line)
    return line + 1
