"""YAML that people wrote, with the lines where its values stand.

What holds of JSON holds here: a key that occurs twice in one mapping and more than ``DEEPEST`` levels are
faults, and a key is the text that was written, though it looks like a number, a date or true. Half a
surrogate pair is none that YAML could say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from tellapart.errors import InputError
from tellapart.files.reading import DEEPEST

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
        _prepare(node, where)
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


def _prepare(root: yaml.Node, where: object) -> None:
    """Make each key the text that was written, and refuse one that a mapping has twice."""
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        # An alias is the node that it stands for.
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            todo += reversed(node.value)
            continue
        todo += reversed([part for pair in node.value for part in pair])
        node.value = [(_written(key), value) for key, value in node.value]
        names = set[str]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if key.value in names:
                    raise InputError(
                        f"the key {key.value!r} occurs twice in one mapping",
                        where=f"{where}:{key.start_mark.line + 1}",
                        next_step="Keep one of them",
                    )
                names.add(key.value)


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
