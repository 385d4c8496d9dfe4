import json
import shutil

import pytest

from tellapart.contrastive.benchmark import FILES, read_benchmark
from tellapart.errors import FingerprintError, InputError


@pytest.fixture
def copy(bench, tmp_path):
    """A benchmark to be changed."""
    return shutil.copytree(bench, tmp_path / "bench")


def test_what_is_read_is_what_was_written(draft, bench):
    found = read_benchmark(bench)
    assert list(found.units) == list(draft.units)
    assert list(found.summaries) == list(draft.summaries)
    assert found.sets.equals(draft.sets)
    assert found.sets.schema == draft.sets.schema
    assert found.header.model_dump(exclude={"fingerprint", "files"}) == draft.header.model_dump(
        exclude={"fingerprint", "files"}
    )


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_in_a_file_is_found_and_the_file_named(copy, name):
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(FingerprintError, match=rf"{name}: its SHA-256 is .*build it again"):
        read_benchmark(copy)


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", 43), ("selector", "lsa"), ("counts", {}), ("fingerprint", "0123456789abcdef|42|312")],
)
def test_an_edited_header_is_found(copy, field, value):
    header = json.loads((copy / "benchmark.json").read_text())
    (copy / "benchmark.json").write_text(json.dumps(header | {field: value}))
    with pytest.raises(FingerprintError, match=r"benchmark\.json: the fingerprint is"):
        read_benchmark(copy)


@pytest.mark.parametrize("place", ["nowhere", "empty", "empty/file"])
def test_what_is_no_benchmark_is_said_to_be_none(tmp_path, place):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "file").write_text("text")
    with pytest.raises(InputError, match=rf"{place}: there is no benchmark here: .*contrastive build"):
        read_benchmark(tmp_path / place)
