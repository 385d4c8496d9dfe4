"""Zip archives, and NumPy's arrays in them: members lacking, cut, doubled, bombs, or mutated inside."""

import io
import warnings
import zipfile
from pathlib import Path

import numpy as np

from damage.registry import ARCHIVE, changed, draw, kind_of, of, pick
from damage.texts import bits_flipped
from damage.trees import renamed

_ACTS = ("drop", "cut", "double", "bomb", "rename", "empty", "slip", "bits", *["inside"] * 4)


@of(ARCHIVE, weight=16)
def members_changed(data, rng):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    act, at = pick(rng, _ACTS), int(rng.integers(len(members)))
    name, content = members[at]
    if act == "drop":
        del members[at]
    elif act == "double":
        members.append((name, pick(rng, members)[1]))
    elif act == "rename":
        members[at] = (renamed(name, rng), content)
    elif act == "slip":
        members.append(("../../slipped.txt", b"x"))
    else:
        members[at] = (name, _content(act, name, content, rng))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings(action="ignore"):
        for name, content in members:
            archive.writestr(name or "x", content)
    return out.getvalue()


def _content(act, name, content, rng):
    if act == "cut":
        return content[: int(rng.integers(len(content) + 1))]
    if act == "bomb":
        return content + b" " * 50_000_000
    if act == "empty":
        return b""
    if act == "bits":
        return bits_flipped(content, rng) or b""
    if name.endswith(".npy"):
        return _array_changed(content, rng)
    return changed(draw(kind_of(Path(name)), rng), content, rng) or b""


_OTHER_ARRAYS = {
    "value": lambda array, rng: _value_changed(array, rng),
    "cast": lambda array, rng: array.astype(pick(rng, ("U", "S", "f2", "f8", "c16", "b"))),
    "shape": lambda array, _: array.reshape(-1, 1) if array.ndim == 1 else array.reshape(-1),
    "rows": lambda array, rng: array[: int(rng.integers(len(array) + 1))],
    "pickle": lambda array, _: array.astype(object),
    "zero": lambda array, _: np.zeros_like(array),
    "order": lambda array, _: np.asfortranarray(array),
}


def _array_changed(content, rng):
    if rng.random() < 0.1:
        return content.replace(b"'shape': (", b"'shape': (9999999999", 1)
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, MemoryError):
        # An earlier mutation has been here.
        return content[: int(rng.integers(len(content) + 1))]
    array = _OTHER_ARRAYS[pick(rng, list(_OTHER_ARRAYS))](array, rng)
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def _value_changed(array, rng):
    array = array.copy()
    values = (np.nan, np.inf, 3e38, 1e-45, 0.0, -1.0) if array.dtype.kind == "f" else ("", "x", array.flat[0])
    array.flat[int(rng.integers(array.size))] = pick(rng, values)
    return array
