import hashlib

import pytest

from tellapart.core.fingerprint import Fingerprint, canonical_json, fingerprint


def test_is_the_documented_form():
    data = b'{"bundle_id": 1}\n'
    expected = hashlib.sha256(data).hexdigest()[:16]
    assert str(fingerprint(data, seed=42, item_count=3786)) == f"{expected}|42|3786"


def test_reads_back_what_it_writes():
    made = fingerprint(b"x", seed=-1, item_count=0)
    assert Fingerprint.parse(str(made)) == made


@pytest.mark.parametrize("text", ["", "abc|1|2", "a1b2c3d4e5f6a7b8|42", "a1b2c3d4e5f6a7b8|42|x"])
def test_another_form_is_refused(text):
    with pytest.raises(ValueError, match="fingerprint|invalid literal"):
        Fingerprint.parse(text)


def test_canonical_json_has_one_spelling():
    assert canonical_json({"b": [1.5, "é"], "a": None}) == '{"a":null,"b":[1.5,"é"]}'.encode()
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(float("nan"))
