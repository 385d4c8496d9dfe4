import hashlib

import pytest

from tellapart.core.fingerprint import canonical_json, fingerprint


def test_is_the_documented_form():
    data = b'{"bundle_id": 1}\n'
    expected = hashlib.sha256(data).hexdigest()[:16]
    assert str(fingerprint(data, seed=42, item_count=3786)) == f"{expected}|42|3786"


def test_canonical_json_has_one_spelling():
    assert canonical_json({"b": [1.5, "é"], "a": None}) == '{"a":null,"b":[1.5,"é"]}'.encode()
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(float("nan"))
