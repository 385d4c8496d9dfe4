"""Whether a language model's wrong picks favour a place in the list."""

from __future__ import annotations

import numpy as np
import polars as pl

from tellapart.contrastive.figures import Figures
from tellapart.contrastive.llm.places import CONTRASTS, F64, contrasts

_TIE = 1e-9


def pick_test(scored: pl.DataFrame, *, rng: np.random.Generator, draws: int) -> Figures:
    """Test that a model that picks a wrong option picks it wherever it stands.

    The seed, and nothing else, decides where a distractor stands, so that the wrong picks of a model without
    preference are spread evenly over the slots that the target leaves. They are held against draws from these
    by the largest of four standardised contrasts (``CONTRASTS``). The more a model errs, the more this tells:
    of one that always takes the first option a few items do, where accuracy by slot says nothing yet. Of a
    model that is always right it tells nothing.

    Args:
        scored: Rows of ``ITEM_SCHEMA`` that have a score. Of repeats of an order the first one counts: the
            others stand on the same list.
        rng: Draws the slots.
        draws: How many times.

    Returns:
        ``n`` wrong picks; ``p``, in (0, 1], (b + 1) / (draws + 1), None without any that could have been
        elsewhere; ``z``, each contrast by name, above 0 where wrong picks favour the first slot, the last,
        late ones (``trend``) or both ends.
    """
    lists = scored.sort("item", "order", "replicate").unique(["item", "order"], keep="first")
    wrong = lists.filter(pl.col("correct") == 0)
    found, drawn, variance = _sums(wrong, rng, draws)
    varies = variance > 1e-12
    if not varies.any():
        return {"n": wrong.height, "p": None, "z": dict.fromkeys(CONTRASTS)}
    spread = np.sqrt(variance[varies])
    z = found[varies] / spread
    least = np.abs(z).max() * (1 - _TIE)
    above = int((np.abs(drawn[:, varies] / spread).max(axis=1) >= least).sum())
    known = iter(z.tolist())
    return {
        "n": wrong.height,
        "p": (above + 1) / (draws + 1),
        "z": {name: next(known) if one else None for name, one in zip(CONTRASTS, varies, strict=True)},
    }


def _sums(wrong: pl.DataFrame, rng: np.random.Generator, draws: int) -> tuple[F64, F64, F64]:
    """Sums of each contrast less its mean: found, shape (4,), and drawn, (draws, 4); and their variance."""
    found, drawn, variance = np.zeros(4), np.zeros((draws, 4)), np.zeros(4)
    alike = wrong.group_by("options", "slot").agg("picked_slot").sort("options", "slot")
    for options, slot, picked in alike.iter_rows():
        free = np.delete(np.arange(1, options + 1), slot - 1)
        values = contrasts(free, np.full(len(free), options))
        values -= values.mean(axis=0)
        counts = [picked.count(place) for place in free]
        found += np.einsum("s,sk->k", counts, values)
        random = rng.multinomial(len(picked), np.full(len(free), 1 / len(free)), size=draws)
        drawn += np.einsum("ds,sk->dk", random, values)
        variance += len(picked) * np.square(values).mean(axis=0)
    return found, drawn, variance
