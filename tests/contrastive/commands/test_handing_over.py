"""What a benchmark hands over, from the user's seat; bundles themselves are tested with ``bundles``."""

import pytest


@pytest.mark.parametrize("out", ["", "benchmark.json"])
def test_no_output_takes_the_place_of_the_benchmark(tellapart, tiny_bench, out):
    before = {path: path.read_bytes() for path in tiny_bench.iterdir()}
    refused = tellapart("contrastive", "bundles", tiny_bench, "--out", tiny_bench / out)
    assert (refused.code, refused.out) == (2, "")
    assert ("this is a directory" if not out else "this file is an input and would be lost") in refused.err
    assert {path: path.read_bytes() for path in tiny_bench.iterdir()} == before
