"""Sign-flip tests of many pairs of models at once, for fewer items than Student's t can be trusted with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64

_ENUMERATED = 16
_DENOMINATORS = 100
_STEPS = 2**20
_NEAR = 1e-9


def exact_p(terms: F64) -> float | None:
    """Give the share of all ways to flip signs whose absolute sum is at least that of the terms.

    Up to 16 terms all ways are gone through. More are counted by sum where the terms are multiples of a
    common unit, as cluster sums of right and wrong answers or of grades are: multiples of 1/1 to 1/100 to
    within 1e-9 of it, of which there are at most 2^20 / terms. No term is 0, and there is one or more.

    Sums closer than 1e-9 of a unit, or 1e-11 of the greatest sum, are equal. None where the terms are too
    many and have no unit.

    Source:
        Pagano and Tritchler 1983, "On obtaining permutation distributions in polynomial time", for the
        counting.
    """
    multiples = _multiples(terms)
    if multiples is not None:
        multiples //= np.gcd.reduce(multiples)
        if len(terms) * np.abs(multiples).sum() <= _STEPS:
            return _counted(multiples)
    return _gone_through(terms) if len(terms) <= _ENUMERATED else None


def _multiples(terms: F64) -> I64 | None:
    """The terms over their largest common unit of 1/1 to 1/100."""
    scaled = terms * np.arange(1.0, _DENOMINATORS + 1)[:, None]
    whole = np.rint(scaled)
    fits = ((np.abs(scaled) <= _STEPS) & (np.abs(scaled - whole) <= _NEAR) & (whole != 0)).all(axis=1)
    return whole[np.argmax(fits)].astype(np.int64) if fits.any() else None


def _counted(multiples: I64) -> float:
    """Share of flips by the sum of those terms that come out positive."""
    sizes = np.abs(multiples)
    total = int(sizes.sum())
    # Half of the halvings at either end: up to 1,024 of them at one end would leave the range of a float.
    halvings = len(sizes) // 2
    shares = np.zeros(total + 1)
    shares[0], reach = 2.0**-halvings, 0
    for size in sizes.tolist():
        shares[size : reach + size + 1] += shares[: reach + 1]
        reach += size
    extreme = np.abs(2 * np.arange(total + 1) - total) >= abs(multiples.sum())
    p = float(shares[extreme].sum()) * 2.0 ** (halvings - len(sizes))
    return p if p < 1 - 1e-12 else 1.0


def _gone_through(terms: F64) -> float:
    """Share of flips, by all sums; the last term keeps its sign, for sums come in pairs."""
    units = np.rint(terms * (2.0**50 / np.abs(terms).sum()))
    sums = units[-1:]
    for unit in units[:-1]:
        sums = np.concatenate([sums + unit, sums - unit])
    return np.count_nonzero(np.abs(sums) >= abs(units.sum()) - _TIE) / len(sums)


_BLOCK = 10_000
_MOST_DRAWS = 200_000
_CELLS = 2**22
_AT_ONCE = 2**15
_WORDS = 4
_MOST_TERMS = 64 * _WORDS
# Integers up to 2^50 add up to exactly the same float64 in whatever order a matrix product takes them.
_GREATEST = 2.0**50
_TIE = 2.0**14
_ROUNDING = 1e-12
_SURE = 100


def draws_for(n_pairs: int, alpha: float, *, tail: int = 40) -> int:
    """Give the draws with which Holm's correction over so many pairs can be told from chance.

    They are tail n_pairs / alpha, ``tail`` being those on which the smallest p that is claimed is to rest,
    but from 10,000 to 200,000; and never fewer than 2 n_pairs / alpha, below which not even one draw would be
    few enough.
    """
    per_draw = n_pairs / alpha
    return int(max(_BLOCK, min(tail * per_draw, _MOST_DRAWS), 2 * per_draw))


def sign_flip_p(
    scores: F64,
    clusters: I64,
    pairs: Sequence[tuple[int, int]],
    *,
    rng: np.random.Generator,
    draws: int = _BLOCK,
    alpha: float = 0.05,
    on_draws: Callable[[int], object] = bool,
) -> F64:
    """Test whether two models do equally well, by flipping the signs of whole clusters of differences.

    If they do, the sum of a cluster's differences is as likely to have one sign as the other. The p is the
    share of all ways to flip signs whose absolute sum is at least that found: exactly where `exact_p` can
    say it, else from ``draws`` random ways, (b + 1) / (draws + 1). Sums closer than 1.5e-11 of the greatest
    possible one are ties, and ties count.

    Args:
        scores: Shape (models, n), NaN is missing; an item counts where both models have a score.
        clusters: Shape (n,), the cluster of each item, numbered from 0.
        pairs: Places of the two models of each pair; at most 256 of a pair's clusters may differ.
        rng: Draws the signs. All pairs are flipped by the same draws: the order of pairs does not matter.
        draws: Of random signs; with 0, a p that cannot be said exactly is 1.
        alpha: Level of Holm's correction over the pairs, in (0, 1). After every 10,000 draws, pairs that it
            cannot claim any more, because their p rests on 100 draws and is twice what as many pairs with no
            smaller p leave them, are drawn for no longer.
        on_draws: Called now and then with how many signs are drawn.

    Returns:
        Shape (pairs,), two-sided, in (0, 1]; 1 where nothing differs.

    Source:
        Fisher 1935, "The Design of Experiments", section 21; Pitman 1937, "Significance tests which may be
        applied to samples from any populations"; (b + 1) / (draws + 1) from Phipson and Smyth 2010,
        "Permutation p-values should never be zero".
    """
    terms = [_terms(scores, clusters, a, b) for a, b in pairs]
    exact = [exact_p(of_pair) if len(of_pair) else 1.0 for of_pair in terms]
    p = np.array([1.0 if value is None else value for value in exact])
    drawn = [k for k, value in enumerate(exact) if value is None]
    if drawn and draws:
        columns = _columns(scores, clusters, [pairs[k] for k in drawn], [terms[k] for k in drawn])
        _draw(p, drawn, columns, rng, draws, alpha, on_draws)
    return p


def _terms(scores: F64, clusters: I64, a: int, b: int) -> F64:
    """The cluster sums of one pair that differ from 0 by more than rounding."""
    gaps = scores[a] - scores[b]
    present = ~np.isnan(gaps)
    sums = np.bincount(clusters[present], weights=gaps[present])
    largest = max(np.abs(scores[k][present]).max(initial=0.0) for k in (a, b))
    terms: F64 = sums[np.abs(sums) > _ROUNDING * largest]
    if len(terms) > _MOST_TERMS:
        raise ValueError(
            f"{len(terms)} clusters differ, expected at most {_MOST_TERMS}; Student's t takes more."
        )
    return terms


@dataclass(frozen=True)
class _Columns:
    """Fixed-point terms whose flipped sums, one column minus another, are those of the pairs.

    The matrix has shape (terms, columns), integers, the first column 0; of each pair ``plus`` and ``minus``
    are columns, and absolute sums from ``least`` on are as large as that found.
    """

    matrix: F64
    plus: I64
    minus: I64
    least: F64

    def of(self, pairs: I64) -> _Columns:
        """Keep some pairs and the columns that they need."""
        used, at = np.unique(np.r_[0, self.plus[pairs], self.minus[pairs]], return_inverse=True)
        plus, minus = at[1:].reshape(2, -1)
        return _Columns(self.matrix[:, used], plus, minus, self.least[pairs])


def _columns(scores: F64, clusters: I64, pairs: list[tuple[int, int]], terms: list[F64]) -> _Columns:
    """Give models without a hole a column each, for their pairs to share, and other pairs their own.

    Pairs that differ so much less than others that the common scale would be coarse have their own, too.
    """
    whole = _whole(scores, clusters, sorted({model for pair in pairs for model in pair}))
    columns, plus, minus = [np.zeros(0), *whole.values()], [], []
    column_of = {model: 1 + k for k, model in enumerate(whole)}
    for (a, b), of_pair in zip(pairs, terms, strict=True):
        if a in whole and b in whole and np.abs(whole[a] - whole[b]).sum() > _GREATEST / 256:
            plus.append(column_of[a])
            minus.append(column_of[b])
        else:
            plus.append(len(columns))
            minus.append(0)
            columns.append(np.rint(of_pair * (_GREATEST / np.abs(of_pair).sum())))
    matrix = np.zeros((max(len(column) for column in columns), len(columns)))
    for k, column in enumerate(columns):
        matrix[: len(column), k] = column
    sums = matrix.sum(axis=0)
    return _Columns(matrix, np.array(plus), np.array(minus), np.abs(sums[plus] - sums[minus]) - _TIE)


def _whole(scores: F64, clusters: I64, models: list[int]) -> dict[int, F64]:
    """Cluster sums of the models that have all scores, less those of the first, in fixed point."""
    without_hole = [model for model in models if not np.isnan(scores[model]).any()]
    if not without_hole or int(clusters.max(initial=-1)) >= _MOST_TERMS:
        return {}
    first = scores[without_hole[0]]
    sums = {model: np.bincount(clusters, weights=scores[model] - first) for model in without_hole}
    greatest = max(np.abs(of_model).sum() for of_model in sums.values())
    scale = _GREATEST / 2 / greatest if greatest else 0.0
    return {model: np.rint(of_model * scale) for model, of_model in sums.items()}


def _draw(
    p: F64,
    drawn: list[int],
    columns: _Columns,
    rng: np.random.Generator,
    draws: int,
    alpha: float,
    on_draws: Callable[[int], object],
) -> None:
    """Fill in the p of the pairs that are drawn for."""
    extreme = np.zeros(len(p), dtype=np.int64)
    still, of_still = np.array(drawn), columns
    for n_drawn in range(0, draws, _BLOCK):
        now = min(_BLOCK, draws - n_drawn)
        for signs in _signs(rng, now, of_still.matrix):
            sums = of_still.matrix.T @ signs.T
            extreme[still] += _extreme(sums, of_still.plus, of_still.minus, of_still.least)
        on_draws(n_drawn + now)
        p[still] = (extreme[still] + 1) / (n_drawn + now + 1)
        open_ = (extreme[still] < _SURE) | ~_is_hopeless(p, alpha)[still]
        still, of_still = still[open_], of_still.of(np.flatnonzero(open_))
        if not len(still):
            break


def _is_hopeless(p: F64, alpha: float) -> NDArray[np.bool_]:
    """Whether Holm cannot claim a pair even at half its p; the k-th largest is claimed at alpha / k or less.

    Nor can it claim one with a larger p than one that it cannot claim.
    """
    descending = np.argsort(-p, kind="stable")
    claimable = np.maximum.accumulate(p[descending] <= 2 * alpha / np.arange(1, len(p) + 1))
    hopeless = np.empty(len(p), dtype=np.bool_)
    hopeless[descending] = ~claimable
    return hopeless


def _signs(rng: np.random.Generator, draws: int, matrix: F64) -> Iterator[F64]:
    """Rows of signs, the same whatever the matrix, as many at a time as memory is kept small with."""
    words = rng.integers(0, 2**64, size=(draws, _WORDS), dtype=np.uint64).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    step = max(64, _CELLS // matrix.shape[1])
    for start in range(0, draws, step):
        yield 2 * bits[start : start + step, : len(matrix)].astype(np.float64) - 1


def _extreme(sums: F64, plus: I64, minus: I64, least: F64) -> I64:
    """How many draws are as extreme, by pair; ``sums`` has a row a column of the terms."""
    extreme = np.empty(len(plus), np.int64)
    step = max(1, _AT_ONCE // sums.shape[1])
    for start in range(0, len(plus), step):
        some = slice(start, start + step)
        gaps = np.abs(sums[plus[some]] - sums[minus[some]])
        extreme[some] = np.count_nonzero(gaps >= least[some, None], axis=1)
    return extreme
