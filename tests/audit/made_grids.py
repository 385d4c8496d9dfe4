"""Small tables for the tests of causes and fixes."""

import numpy as np
import polars as pl

from support.planted_tables import collect_evidence
from support.score_tables import grid_of
from tellapart.audit.causes import explain
from tellapart.audit.evidence import Evidence
from tellapart.audit.fixes import recommend
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Pair
from tellapart.core.comparison import PairComparison


def answers(both: int, only_a: int, only_b: int, none: int) -> dict[str, list[float | str]]:
    """Scores of models a and b, by how many items both, one and none of them get right."""
    return {
        "a": [1.0] * (both + only_a) + [0.0] * (only_b + none),
        "b": [1.0] * both + [0.0] * only_a + [1.0] * only_b + [0.0] * none,
    }


def evidence_of(scores: dict, *, limits=(0.0, 1.0), sesoi: float = 0.02, cluster=None) -> Evidence:
    """Evidence from scores by model, item by item; a string is the cause of a missing score."""
    return collect_evidence(grid_of(scores, cluster, limits, name="i{:05}"), AuditOptions(sesoi=sesoi))


def compared(evidence: Evidence, a: str = "a", b: str = "b") -> PairComparison:
    """A pair as it was compared."""
    return next(pair for pair in evidence.pairs if (pair.a, pair.b) == (a, b))


def told(evidence: Evidence, a: str = "a", b: str = "b") -> Pair:
    """A pair with its causes and fixes."""
    pair = compared(evidence, a, b)
    why = explain(pair, evidence)
    return Pair.explained(pair, why, recommend(pair, why, evidence))


def repeated(luck: float, items: int, gap: float, seed: int = 0) -> pl.DataFrame:
    """Two answers an item of two models that differ by ``gap`` and by luck, on a scale without limits."""
    rng = np.random.default_rng(seed)
    easy = rng.normal(size=items)
    parts = [
        pl.DataFrame(
            {
                "model": model,
                "item": [f"i{place:04d}" for place in range(items)],
                "score": easy + mean + rng.normal(size=items) * luck**0.5,
                "replicate": replicate,
            }
        )
        for model, mean in (("a", gap), ("b", 0.0))
        for replicate in (0, 1)
    ]
    return pl.concat(parts)
