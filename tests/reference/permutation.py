"""Permutation within blocks, by writing every permutation down."""

from itertools import permutations, product
from statistics import fmean, pstdev


def every_arrangement(values, blocks):
    """All ways to deal the values of each block out among its places, each as often as it comes about."""
    places = {
        block: [i for i, other in enumerate(blocks) if other == block] for block in dict.fromkeys(blocks)
    }
    for dealt in product(*(permutations([values[i] for i in of_block]) for of_block in places.values())):
        found = [None] * len(values)
        for of_block, new in zip(places.values(), dealt, strict=True):
            for i, value in zip(of_block, new, strict=True):
                found[i] = value
        yield found


def block_permutation(values, contrasts, blocks):
    """The exact p of the largest standardised contrast, and every contrast's z; None where it cannot vary."""
    columns = list(zip(*contrasts, strict=True))
    sums = [
        [sum(v * c for v, c in zip(found, column, strict=True)) for column in columns]
        for found in every_arrangement(values, blocks)
    ]
    centre = [fmean(column) for column in zip(*sums, strict=True)]
    spread = [pstdev(column) for column in zip(*sums, strict=True)]

    def z(row):
        return [(s - m) / sd if sd > 1e-12 else None for s, m, sd in zip(row, centre, spread, strict=True)]

    def largest(row):
        return max(abs(one) for one in z(row) if one is not None)

    # The first arrangement leaves everything in its place.
    p = fmean(largest(row) >= largest(sums[0]) - 1e-9 for row in sums)
    return p, z(sums[0])
