"""YAML that people wrote, with the lines where its values stand.

What holds of JSON holds here: a key that occurs twice in one mapping and more than ``DEEPEST`` levels are
faults, and a key is the text that was written, though it looks like a number, a date or true. Half a
surrogate pair is none that YAML could say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from tellapart.errors import InputError
from tellapart.files.json_text import DEEPEST

# The one in C reads a megabyte in a tenth of the time.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TEXT, _MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"

_QUOTES = "Put quotes around anything that is not a number or a date"


def parse_yaml(text: str, where: object) -> tuple[yaml.Node, Any]:
    """Parse one YAML document."""
    loader = _Loader(text)
    try:
        _check_depth(text, where)
        node = loader.get_single_node()
        if node is None:
            raise InputError("is empty", where=where, next_step="Was it copied whole?")
        # YAML keeps the last of two equal keys without a word.
        for key, line in _twice(node):
            raise InputError(
                f"the key {key!r} occurs twice in one mapping",
                where=f"{where}:{line}",
                next_step="Keep one of them",
            )
        _keep_keys_as_written(node)
        return node, loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = f"{where}:{mark.line + 1}" if mark else where
        raise InputError(f"this is not YAML: {error.problem}", where=position) from None
    except yaml.YAMLError as error:
        raise InputError(f"this is not YAML: {' '.join(str(error).split())}", where=where) from None
    except (ValueError, OverflowError) as error:
        raise InputError(f"a value cannot be read: {error}", where=where, next_step=_QUOTES) from None
    finally:
        loader.dispose()


def _check_depth(text: str, where: object) -> None:
    """See that nothing is nested so deep that building it up would run out of stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise InputError(
                f"has more than {DEEPEST} levels of mappings and lists",
                where=f"{where}:{event.start_mark.line + 1}",
                next_step="Is this the right file?",
            )


def _nodes(root: yaml.Node) -> Iterator[yaml.Node]:
    """Every node once, in the order of the text; an alias is the node that it stands for."""
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            todo += reversed([part for pair in node.value for part in pair])
        elif isinstance(node, yaml.SequenceNode):
            todo += reversed(node.value)


def _twice(root: yaml.Node) -> Iterator[tuple[str, int]]:
    """Keys that a mapping has twice, and the lines of the last ones."""
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode):
            keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            names = Counter(key.value for key in keys)
            yield from (
                (key.value, key.start_mark.line + 1) for key in reversed(keys) if names[key.value] > 1
            )


def _keep_keys_as_written(root: yaml.Node) -> None:
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode):
            node.value = [(_written(key), value) for key, value in node.value]


def _written(key: yaml.Node) -> yaml.Node:
    """The key as a text; a node of its own, since an alias elsewhere may stand for the number."""
    if isinstance(key, yaml.ScalarNode) and key.tag not in (_TEXT, _MERGE):
        return yaml.ScalarNode(_TEXT, key.value, key.start_mark, key.end_mark)
    return key


def line_of(root: yaml.Node, path: Sequence[str | int]) -> int:
    """The line, from 1, of a value or its key; of what is around it where it is not there."""
    node, line = root, int(root.start_mark.line)
    for step in path:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == step), None)
            if pair is None:
                break
            line, node = int(pair[0].start_mark.line), pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = int(node.start_mark.line)
    return line + 1
