"""A share among some files against the share among all others, conversation by conversation."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.codesearch.metrics.aggregate import FAR_BELOW
from tellapart.codesearch.metrics.conversation import Share
from tellapart.codesearch.metrics.paired_cases import pair_figures
from tellapart.codesearch.results.learnings import ComparedShares
from tellapart.core.comparison import ALPHA, Claim, claims

PATTERN = 3
"""Conversations that make a pattern; what fewer show is an outlier."""

FAR = FAR_BELOW
"""A difference of shares below this is not worth a change; as far as an area is below the whole."""

FEWEST_FILES = 3
"""Nor is a difference of fewer files than this."""


SharesOfCase = tuple[Share, Share]
"""The files of one conversation that are of a sort, among those here and among all others."""

NOT_COMPARED = ComparedShares(
    conversations=0,
    here=None,
    elsewhere=None,
    difference=None,
    interval=None,
    p=None,
    p_holm=None,
    beyond_chance=None,
    excess=0.0,
)
"""Where no conversation has files both here and elsewhere."""


def is_clear(compared: ComparedShares, sign: int) -> bool:
    """Whether the share here is clearly above (1) or below (-1) that of elsewhere.

    So it is in ``PATTERN`` conversations or more, by ``FAR`` and by ``FEWEST_FILES`` at least, with a ``p``
    of at most ``ALPHA`` or, with conversations too few for that, with the least that they allow: all of them
    agree.
    """
    n, difference, p = compared.conversations, compared.difference, compared.p
    if n < PATTERN or difference is None or p is None:
        return False
    # .5 - .35 is above .15 by rounding alone.
    far = round(sign * difference, 9) >= FAR and round(sign * compared.excess, 9) >= FEWEST_FILES
    return far and p <= max(ALPHA, 2.0 ** (1 - n) + 1e-12)


def claim_of(compared: ComparedShares) -> Claim:
    """What may be claimed of it among all that was compared."""
    return Claim(compared.p, compared.p_holm, compared.beyond_chance)


def against(shares: Sequence[SharesOfCase], seed: int) -> ComparedShares:
    """Compare shares."""
    figures = pair_figures((here.value for here, _ in shares), (others.value for _, others in shares))
    if not figures.n:
        return NOT_COMPARED
    effect = figures.test(seed=seed)
    here, elsewhere = figures.means
    excess = sum(
        within.part - within.whole * others.part / others.whole
        for within, others in shares
        if within.whole and others.whole
    )
    return NOT_COMPARED.model_copy(
        update={
            "conversations": figures.n,
            "here": here,
            "elsewhere": elsewhere,
            "difference": effect.value,
            "interval": effect.interval,
            "p": effect.p,
            "excess": float(excess),
        }
    )


def corrected(comparisons: Sequence[ComparedShares]) -> list[ComparedShares]:
    """Correct for having compared so many; those with fewer conversations than a pattern are not claimed."""
    claimed = claims([compared.p if compared.conversations >= PATTERN else None for compared in comparisons])
    return [
        compared.model_copy(update={"p_holm": claim.p_adjusted, "beyond_chance": claim.holds})
        for compared, claim in zip(comparisons, claimed, strict=True)
    ]
