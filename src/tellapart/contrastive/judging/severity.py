"""How severe judges are: what each gives more or less than others give the same summaries."""

from __future__ import annotations

import numpy as np
import polars as pl


def severities(scored: pl.DataFrame, column: str) -> dict[str, float]:
    """Fit score = summary + judge by least squares.

    A writer whose own family's judge is left out is scored by fewer judges than the others. If these are
    lenient, it must not look better for it.

    Source:
        The two-way additive model with summaries as blocks; Scheffé 1959, "The Analysis of Variance", 4.4.
    """
    judges = scored["judge"].unique(maintain_order=True).to_list()
    row_of = {judge: i for i, judge in enumerate(judges)}
    normal, pull = np.zeros((len(judges), len(judges))), np.zeros(len(judges))
    grouped = scored.group_by("writer", "target").agg("judge", column).sort("writer", "target")
    for rated_by, values in grouped.select("judge", column).iter_rows():
        if len(rated_by) < 2:
            continue
        at = np.array([row_of[judge] for judge in rated_by])
        given = np.asarray(values, dtype=np.float64)
        normal[at, at] += 1
        normal[np.ix_(at, at)] -= 1 / len(at)
        pull[at] += given - given.mean()
    effects = np.linalg.pinv(normal, hermitian=True) @ pull
    # What is exactly 0 is 1e-16 after the least squares.
    return dict(zip(judges, (effects.round(12) + 0.0).tolist(), strict=True))
