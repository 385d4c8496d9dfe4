"""JSON, JSON Lines and YAML: other values, types and shapes, anywhere in them."""

import json

import numpy as np
import yaml

from damage.registry import ANY, JSON, LINES, REFUSED, SAME, YAML, of, pick

# Where libyaml is: in Python, what was made long takes half a second.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# As JSON writes them: most are no number or text that Python's own encoder would give.
NUMBERS = (
    "NaN", "Infinity", "-Infinity", "1e308", "-1e308", "1e400", "5e-324", "1e-200", "-0.0", "0", "-1",
    "1", "0.5", "1e16", "9007199254740993", "2147483648", "-2147483649", "9223372036854775808",
    "18446744073709551616", "1" + "0" * 30, "1" + "0" * 400, "0.1" + "0" * 60 + "1", "1E5", "1.0",
)  # fmt: skip
TEXTS = (
    '""', '" "', '"\\ud800"', '"\\udc80x"', '"\\u0000"', '"\\u001b]0;owned\\u0007\\u001b[31mX"',
    '"\\u202eabc"', '"\\u0085\\u2028\\u009b31m"', '"NaN"', '"null"', '"1"', '"é"', '"e\\u0301"', '"=1+1"',
    '"../../etc/passwd"', '"/etc/passwd"', '"<script>alert(1)</script>"', '"{{7*7}} {0} %s"', '"\\n"',
    '"\\r\\n"', '"a,b;c\\td"', '"' + "x" * 300 + '"', '"file\\u0000name"', '"~"', '"\\ufeff"', '"\\uffff"',
    '"😀"', '"."', '".."',
)  # fmt: skip
OTHERS = (
    "null", "true", "false", "[]", "{}", "[[]]", "[null]", "[{}]", '{"a":1}', '{"":null}', "[1,2,3]", '["x"]',
)  # fmt: skip
LONG = '"' + "x" * 1_000_000 + '"'
DEEP = "[" * 5_000 + "]" * 5_000
DEEP_OBJECT = '{"a":' * 5_000 + "1" + "}" * 5_000
MANY = "[" + ",".join(["0"] * 20_000) + "]"


class Raw:
    """Text that stands in JSON as it is."""

    def __init__(self, text):
        self.text = text


def any_value(rng) -> Raw:
    if rng.random() < 0.04:
        return Raw(pick(rng, (LONG, DEEP, DEEP_OBJECT, MANY)))
    return Raw(pick(rng, pick(rng, (NUMBERS, TEXTS, OTHERS))))


class _Object(dict):
    """An object whose pairs are written as they are, keys twice if need be."""

    def __init__(self, pairs):
        super().__init__(pairs)
        self.pairs = list(pairs)


def _load(text):
    return json.loads(text, object_pairs_hook=_Object)


def _dump(value, **options) -> str:
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, _Object):
        return "{" + ", ".join(f"{_dump(name)}: {_dump(one)}" for name, one in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_dump, value)) + "]"
    return json.dumps(value, **options)


def _places(value, above=None, at=None, depth=0):
    """Every value inside with what holds it and where: a list's index or a pair's."""
    if above is not None:
        yield above, at, depth
    if isinstance(value, _Object):
        for index, (_, inner) in enumerate(value.pairs):
            yield from _places(inner, value.pairs, index, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places(inner, value, index, depth + 1)


def _place(value, rng):
    """A place, those near the top as likely as the many below."""
    places = list(_places(value))
    if not places:
        return None
    depths = sorted({depth for _, _, depth in places})
    depth = pick(rng, depths)
    return pick(rng, [(above, at) for above, at, there in places if there == depth])


def _get(above, at):
    return above[at][1] if isinstance(above[at], tuple) else above[at]


def _put(above, at, value):
    above[at] = (above[at][0], value) if isinstance(above[at], tuple) else value


def renamed(name, rng):
    return pick(rng, (name.upper(), name + " ", name[:-1], name + "_", "", "x", name.replace("_", "-")))


def change_value(tree, rng):
    if (place := _place(tree, rng)) is None:
        return any_value(rng)
    above, at = place
    old = _get(above, at)
    if isinstance(old, bool | int | float) and rng.random() < 0.5:
        new = Raw(pick(rng, NUMBERS))
    elif isinstance(old, str) and rng.random() < 0.4:
        new = Raw(pick(rng, TEXTS))
    else:
        new = any_value(rng)
    _put(above, at, new)
    return tree


def _change_type(tree, rng):
    """Keep what is there, in another dress."""
    if (place := _place(tree, rng)) is None:
        return [tree]
    above, at = place
    old = _get(above, at)
    choices = [[old], _Object([("value", old)]), Raw(json.dumps(_dump(old)))]
    if isinstance(old, list) and old:
        choices += [old[0], [*old, *old], _Object([(str(i), one) for i, one in enumerate(old)]), old[:-1]]
    if isinstance(old, dict):
        choices += [[list(pair) for pair in old.pairs], [one for _, one in old.pairs], list(old)]
    if isinstance(old, int | float) and not isinstance(old, bool):
        choices += [float(old), Raw(f"{-old}"), bool(old), Raw(f"{old}.5")]
    _put(above, at, pick(rng, choices))
    return tree


def _within(value):
    """All lists and all objects' pairs."""
    if isinstance(value, _Object):
        yield value.pairs
        for _, inner in value.pairs:
            yield from _within(inner)
    elif isinstance(value, list):
        yield value
        for inner in value:
            yield from _within(inner)


def _change_shape(tree, rng):
    """Drop, double, swap, rename or move what a list or an object holds."""
    holders = [value for value in _within(tree) if value]
    if not holders:
        return [tree, tree]
    holder = pick(rng, holders)
    at, other = int(rng.integers(len(holder))), int(rng.integers(len(holder)))
    act = pick(rng, ("drop", "double", "swap", "rename", "clear", "borrow", "add"))
    if act == "rename" and isinstance(holder[at], tuple):
        holder[at] = (renamed(holder[at][0], rng), holder[at][1])
    elif act == "double":
        holder.insert(other, holder[at])
    elif act == "swap":
        one, two = _get(holder, at), _get(holder, other)
        _put(holder, at, two)
        _put(holder, other, one)
    elif act == "clear":
        holder.clear()
    elif act == "add":
        new = any_value(rng)
        holder.append(("unexpected", new) if isinstance(holder[0], tuple) else new)
    elif act == "borrow" and (place := _place(tree, rng)):
        text = _dump(_get(*place))
        _put(holder, at, Raw(text))
    else:
        del holder[at]
    return tree


def _shuffled(value, rng):
    if isinstance(value, _Object):
        pairs = [(name, _shuffled(inner, rng)) for name, inner in value.pairs]
        return _Object([pairs[int(at)] for at in rng.permutation(len(pairs))])
    return [_shuffled(inner, rng) for inner in value] if isinstance(value, list) else value


def tree_changed(text, change, rng):
    return _dump(change(_load(text), rng))


def _in_json(data, change, rng):
    return tree_changed(data.decode(), change, rng).encode()


def _in_line(data, change, rng):
    lines = data.decode().splitlines()
    if not lines:
        return None
    at = int(rng.integers(len(lines)))
    lines[at] = tree_changed(lines[at], change, rng).replace("\n", " ")
    return "".join(line + "\n" for line in lines).encode()


def _everywhere(data, change, rng):
    """The same place in every line: a whole column of the file."""
    seed = int(rng.integers(2**32))
    new = [tree_changed(line, change, np.random.default_rng(seed)) for line in data.decode().splitlines()]
    return "".join(line.replace("\n", " ") + "\n" for line in new).encode()


def _in_yaml(data, change, rng):
    if b"*a8" in data:
        # Of nested anchors, which would be written out.
        return None
    return _dump(change(_load(json.dumps(yaml.load(data, LOADER))), rng)).encode()


def _add(kind, where, change, weight, effect=ANY):
    def changed(data, rng):
        return where(data, change, rng)

    suffix = "_everywhere" if where is _everywhere else ""
    changed.__name__ = change.__name__.removeprefix("_") + suffix
    of(kind, effect=effect, weight=weight)(changed)


for _change, _weight in ((change_value, 12), (_change_type, 6), (_change_shape, 8)):
    _add(JSON, _in_json, _change, _weight)
    _add(LINES, _in_line, _change, _weight)
    _add(LINES, _everywhere, _change, _weight // 3)
    _add(YAML, _in_yaml, _change, _weight)
_add(JSON, _in_json, _shuffled, 1, SAME)
_add(LINES, _everywhere, _shuffled, 1, SAME)


@of(JSON, effect=SAME, weight=1)
def indented(data, rng):
    return json.dumps(json.loads(data), indent=3, ensure_ascii=bool(rng.integers(2))).encode()


@of(JSON, weight=1)
def replaced(data, rng):
    return any_value(rng).text.encode()


@of(JSON, effect=REFUSED, weight=2)
def document_cut(data, rng):
    """The last bracket is missing, so it cannot be whole."""
    end = data.rstrip()
    return end[: int(rng.integers(1, len(end)))] if len(end) > 1 else None


@of(JSON, weight=1)
def followed(data, rng):
    return data + pick(rng, (b"x", b"{}", b"]", b"\0", b"\n\n" + data))
