"""False claims and power of this package, evalsig, evalgate-cli, evalstats and errorbars on the same tables.

Scores are 0 or 1. Clusters suit one model better and another worse, as sources do; without clusters items are
independent. A claim is what each says by itself at 5 %: of tellapart the verdict; of evalsig ``significant``,
by its automatic choice, which is McNemar's test where the call does not name the clusters that the scores
carry, and with ``cluster=`` named, which is its bootstrap of clusters, here of 1,000 resamples; of
evalgate-cli a p below 5 % of its paired McNemar test, and of evalstats ``significant`` of its default
comparison, neither of which takes clusters; of errorbars a mean difference beyond Student's quantile of its
clustered standard errors. False claims are those about models that are equal.

Usage: python benchmarks/peers_compare.py [TABLES]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import numpy as np
import pandas as pd
from errorbars import cluster_robust_se
from evalgate.io import discordant_counts
from evalgate.stats import mcnemar_test
from evalsig import ItemResult, RunFrame
from evalsig import compare as evalsig_compare
from evalstats import compare_models, load_from
from scipy.special import stdtrit

from tellapart.core.comparison import compare
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from worlds import Draw, interacting, right_or_wrong

TABLES = 400
RESAMPLES = 1_000
SIZE = 20
ALPHA = 0.05

WORLDS: dict[str, tuple[int, float, Draw]] = {
    **{
        f"{n} clusters of {SIZE}": (n * SIZE, gap, partial(interacting, size=SIZE, taste=0.25))
        for n, gap in ((8, 0.26), (12, 0.22), (20, 0.16), (60, 0.08))
    },
    "no clusters, 200 items": (200, 0.13, right_or_wrong),
}
"""Items, the difference that power is for, and how tables are drawn."""


def frame(table: ScoreGrid, model: int) -> RunFrame:
    """The scores of one model as evalsig takes them."""
    shared = len(np.unique(table.clusters)) < len(table.clusters)
    items = [
        ItemResult(f"q{i:04d}", float(score), str(cluster) if shared else None)
        for i, (score, cluster) in enumerate(zip(table.scores[model], table.clusters, strict=True))
    ]
    return RunFrame(f"run{model}", table.models[model], "task", "accuracy", items)


def ours(table: ScoreGrid) -> bool:
    """Whether one is better."""
    return compare(table).primary.pairs[0].is_separated


def evalsig(table: ScoreGrid, cluster: str | None = None) -> bool:
    """Whether the difference is significant."""
    a, b = frame(table, 0), frame(table, 1)
    return evalsig_compare(a, b, cluster=cluster, alpha=ALPHA, n_resamples=RESAMPLES).significant


def evalgate(table: ScoreGrid) -> bool:
    """Whether p is small, in either direction."""
    baseline, candidate = ([bool(score) for score in row] for row in table.scores)
    return mcnemar_test(*discordant_counts(baseline, candidate)).p_value < ALPHA


def evalstats(table: ScoreGrid) -> bool:
    """Whether the difference is significant."""
    items = table.scores.shape[1]
    frame = pd.DataFrame(
        {
            "model": np.repeat(table.models, items),
            "item": np.tile(np.arange(items), len(table.models)),
            "score": table.scores.ravel(),
        }
    )
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (pair,) = compare_models(load_from(frame)).to_dict()["pairwise"]
    return bool(pair["significant"])


def errorbars(table: ScoreGrid) -> bool:
    """Whether the mean difference lies beyond chance."""
    difference = table.scores[0] - table.scores[1]
    error = cluster_robust_se(difference.tolist(), table.clusters.tolist())
    quantile = float(stdtrit(len(np.unique(table.clusters)) - 1, 1 - ALPHA / 2))
    return bool(abs(difference.mean()) > quantile * error)


TOOLS: dict[str, Callable[[ScoreGrid], bool]] = {
    "tellapart": ours,
    "evalsig, auto": evalsig,
    "evalsig, cluster=": partial(evalsig, cluster="source"),
    "evalgate-cli": evalgate,
    "evalstats": evalstats,
    "errorbars": errorbars,
}


def main(tables: int = TABLES) -> int:
    """Print the table."""
    seconds = dict.fromkeys(TOOLS, 0.0)
    error = (ALPHA * (1 - ALPHA) / tables) ** 0.5
    print(f"{tables} tables each; false claims should be at most 5 %, with a standard error of {error:.1%}\n")
    print(f"{'':<34}" + "".join(f"{name:>20}" for name in TOOLS))
    for name, (items, gap, draw) in WORLDS.items():
        for planted in (0.0, gap):
            claimed = dict.fromkeys(TOOLS, 0)
            for seed in range(tables):
                table = draw(generator(seed, name, str(planted)), items, planted)
                for tool, claims in TOOLS.items():
                    start = time.perf_counter()
                    claimed[tool] += claims(table)
                    seconds[tool] += time.perf_counter() - start
            what = f"{name}: " + (f"power, {planted:g}" if planted else "false")
            print(f"{what:<34}" + "".join(f"{claimed[t] / tables:>20.1%}" for t in TOOLS), flush=True)
    made = 2 * len(WORLDS) * tables
    print(f"{'ms a table':<34}" + "".join(f"{1000 * seconds[tool] / made:>20.1f}" for tool in TOOLS))
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
