import numpy as np
import polars as pl

from tellapart.bundles.reading.checks import Identities


def test_against_a_dictionary_over_batches_of_all_sizes():
    rng = np.random.default_rng(5)
    seen, first = Identities(), {}
    start = 1
    for size in (0, 1, 700, 3, 1, 1, 90, 4_000, 2, 0, 512, 4_000):
        ids = [f"id {i}" for i in rng.integers(0, 9_000, size)]
        expected = []
        for place, name in enumerate(ids):
            if name in first:
                expected.append((place, first[name]))
            first.setdefault(name, start + place)
        lines = pl.Series(range(start, start + size), dtype=pl.Int64)
        assert list(seen.add(pl.Series(ids, dtype=pl.String), lines)) == expected
        start += size
