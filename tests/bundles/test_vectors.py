import pickle
import zipfile
from io import BytesIO

import numpy as np
import pytest
from numpy.lib.format import write_array_header_1_0

from tellapart.bundles.vectors import look_up
from tellapart.errors import InputError

TEXTS = np.array(["east", "north", "north-east", "nowhere", "unknown", "infinite"])
VECTORS = np.array([[3, 0], [0, 0.5], [1, 1], [0, 0], [np.nan, 1], [np.inf, 1]], dtype=np.float32)


def save(path, **arrays):
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_cosines_from_a_file_in_any_precision_and_order(tmp_path, write):
    for kind, order in ((np.float16, "C"), (np.float64, "F"), (">f4", "C")):
        write(tmp_path / "v.npz", texts=TEXTS, vectors=np.asarray(VECTORS.astype(kind), order=order))
        found = look_up(tmp_path / "v.npz", ["east"], ["north", "north-east"])
        assert not any(found.anchor_faults) and not any(found.option_faults)
        # East against each of the others, by hand.
        cosines = found.similarity(np.array([0, 0]), np.array([0, 1])).tolist()
        assert cosines == pytest.approx([0, 2**-0.5], abs=2e-9)


def test_what_cannot_be_compared_is_told_for_each_text(tmp_path):
    path = save(tmp_path / "v.npz", texts=TEXTS, vectors=VECTORS)
    embedded = look_up(path, ["nowhere", "east", "absent"], ["unknown", "north", "infinite", "absent too"])
    assert embedded.anchor_faults.tolist() == ["zero vector", "", "missing embedding"]
    bad = "NaN or infinite vector"
    assert embedded.option_faults.tolist() == [bad, "", bad, "missing embedding"]
    # The texts without fault can still be compared: east and north are at right angles.
    assert embedded.similarity(np.array([1]), np.array([1])).tolist() == [0]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"vectors": VECTORS}, "no array 'texts'; arrays in the file: vectors"),
        ({}, "no array 'texts'; arrays in the file: none"),
        ({"texts": TEXTS, "vectors": VECTORS[:2]}, "6 texts but 2 vectors"),
        ({"texts": TEXTS, "vectors": VECTORS[:, 0]}, r"'vectors' has shape \(6,\), expected 2 dimension"),
        ({"texts": TEXTS, "vectors": np.ones((6, 2), int)}, "'vectors' holds int64, expected floating"),
        ({"texts": np.arange(6), "vectors": VECTORS}, "'texts' holds int64, expected strings"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, arrays, message):
    path = save(tmp_path / "v.npz", **arrays)
    with pytest.raises(InputError, match=message) as raised:
        look_up(path, ["east"], ["north"])
    assert str(raised.value).startswith(f"{path}: ")


class Harmful:
    def __reduce__(self):
        return (raise_alarm, ())


def raise_alarm():
    raise AssertionError("the pickle was loaded")


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "v.npz"
    for name, other in (("texts", VECTORS), ("vectors", TEXTS)):
        pickled = np.empty(6, dtype=object)
        pickled[:] = [Harmful()] * 6
        rest = "vectors" if name == "texts" else "texts"
        save(path, **{name: pickled, rest: other})
        with pytest.raises(InputError, match="which could run code and are never loaded"):
            look_up(path, ["a"], [])
    path.write_bytes(pickle.dumps(Harmful()))
    with pytest.raises(InputError, match="no .npz"):
        look_up(path, ["a"], [])


def test_a_member_that_is_no_array_is_named(tmp_path):
    path = save(tmp_path / "v.npz", texts=TEXTS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("vectors.npy", b"not an array")
    with pytest.raises(InputError, match="'vectors' is no array"):
        look_up(path, ["east"], ["north"])


def test_a_header_that_claims_more_than_its_member_holds_is_damaged(tmp_path):
    path, member = save(tmp_path / "v.npz", texts=TEXTS), BytesIO()
    write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": (6 * 10**11, 2)})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("vectors.npy", member.getvalue() + VECTORS.tobytes())
    with pytest.raises(InputError, match="damaged: 'vectors' is too short or too long for its shape"):
        look_up(path, ["east"], ["north"])
