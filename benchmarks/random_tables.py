"""Random tables of every kind, in which no interval may contradict its verdict.

0/1, graded, of several answers each and on a scale; alone and in clusters; with holes; 2 to 8 models with
and without differences; in one family and in strata. Of each pair: "cannot tell" and "equivalent" hold 0,
"better" leaves 0 out and has the sign of its difference; the 95 % interval leaves 0 out exactly where the p
of the pair is at most 5 %; intervals hold their difference; no figure is a rounding error.

Usage: python benchmarks/random_tables.py [TABLES]
"""

from __future__ import annotations

import sys
from collections import Counter
from time import process_time

import numpy as np

from tellapart.core.comparison import Comparison, PairComparison, Verdict, compare, from_json, to_json
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid, Stratum
from worlds import grid

TABLES = 100_000
TINY = 1e-15
KINDS = ("0/1", "graded", "3 answers", "scale", "rarely different")


def random_table(rng: np.random.Generator) -> tuple[str, ScoreGrid]:
    """Draw a table and name its kind."""
    kind = str(rng.choice(KINDS))
    models = 2 + int(rng.integers(0, 7, 2).min())
    # Few have so many items that Student's t decides.
    items = int(rng.integers(1, 15) if rng.random() < 0.95 else rng.choice([18, 40, 90, 230]))
    skill = rng.uniform(0.2, 0.8, items) + rng.choice([0.0, 0.2, 1.0]) * (rng.random(models)[:, None] - 0.5)
    clusters, where = None, "alone"
    if rng.random() < 0.5:
        clusters, where = rng.integers(0, int(rng.integers(1, items + 1)), items), "clustered"
        skill = skill + 0.4 * (rng.random((models, items))[:, clusters] - 0.5)
    skill = skill.clip(0, 1)
    scores = {
        "0/1": lambda: (rng.random((models, items)) < skill).astype(np.float64),
        "graded": lambda: (skill + 0.1 * rng.standard_normal((models, items))).clip(0, 1),
        "3 answers": lambda: (rng.random((3, models, items)) < skill).mean(axis=0),
        "scale": lambda: np.rint(4 * (skill + 0.2 * (rng.random((models, items)) - 0.5)).clip(0, 1)) / 4,
        "rarely different": lambda: (rng.random(items) < 0.5) ^ (rng.random((models, items)) < 0.04),
    }[kind]().astype(np.float64)
    if rng.random() < 0.3:
        scores[rng.random(scores.shape) < rng.choice([0.02, 0.2])] = np.nan
    strata = {}
    if rng.random() < 0.3:
        strata["kind"] = Stratum(("x", "y", "z"), rng.integers(0, 3, items))
    return f"{kind}, {where}", grid(scores, clusters, strata=strata)


def faults(pair: PairComparison, alpha: float) -> list[str]:
    """Name what contradicts itself in a pair."""
    alone = pair.interval_95
    claimed = pair.p_adjusted is not None and pair.p_adjusted <= alpha
    direction = 1 if pair.verdict is Verdict.A_BETTER else -1
    ends = [end for one in (pair.interval, alone) if one is not None for end in (one.low, one.high)]
    figures = [pair.difference, pair.sd, *ends, *(pair.bounds or ())]
    checks = {
        "a 95 % interval against its p": alone and pair.p is not None and (0 in alone) == (pair.p <= 0.05),
        "a claim without its p": pair.is_separated and not claimed,
        "a claim against its difference": pair.is_separated and (pair.difference or 0) * direction <= 0,
        "a p that claims and a verdict that does not": claimed
        and not pair.is_separated
        and pair.verdict is not Verdict.WITHHELD,
        "no interval and no reason": pair.interval is None and not pair.reason,
        "a figure that is rounding": any(figure and abs(figure) < TINY for figure in figures),
    }
    return [fault for fault, occurred in checks.items() if occurred] + interval_faults(pair)


def interval_faults(pair: PairComparison) -> list[str]:
    """Name what contradicts itself in the interval beside a verdict."""
    interval = pair.interval
    if interval is None:
        return []
    not_better = pair.verdict in (Verdict.NOT_SEPARATED, Verdict.EQUIVALENT)
    checks = {
        "an interval that holds 0 where one is better": pair.is_separated and 0 in interval,
        "an interval without 0 where none is better": not_better and 0 not in interval,
        "an interval without its difference": pair.difference not in interval,
        "an interval beyond the scores": not -1 <= interval.low <= interval.high <= 1,
    }
    return [fault for fault, occurred in checks.items() if occurred]


def examine(seed: int) -> tuple[str, Comparison | None, Counter[str]]:
    """Compare one table and count what contradicts itself."""
    kind, table = random_table(generator(seed, "random table"))
    if (~np.isnan(table.scores)).any(axis=1).sum() < 2:
        return kind, None, Counter()
    comparison = compare(table, ComparisonSettings(seed=seed, sesoi=(0.02, 0.2, 0.6)[seed % 3]))
    families = [comparison.primary, *([comparison.secondary] if comparison.secondary else [])]
    counted = Counter(
        fault for family in families for pair in family.pairs for fault in faults(pair, comparison.alpha)
    )
    if seed % 100 == 0 and from_json(to_json(comparison)) != comparison:
        counted["JSON that reads otherwise"] += 1
    return kind, comparison, counted


def main(tables: int = TABLES, first: int = 0) -> int:
    """Print counts by kind and give the exit code."""
    start = process_time()
    total, verdicts, pairs = Counter[str](), dict[str, Counter[str]](), 0
    for seed in range(first, first + tables):
        kind, comparison, counted = examine(seed)
        total += counted
        for family in (comparison.primary, comparison.secondary) if comparison else ():
            of_kind = verdicts.setdefault(kind, Counter())
            for pair in family.pairs if family else ():
                pairs += 1
                word = "better" if pair.is_separated else str(pair.verdict)
                of_kind[word if pair.p is not None else "no test"] += 1
    words = ["better", "equivalent", "not_separated", "withheld", "no test"]
    print(f"{tables:,} tables, {pairs:,} pairs, {process_time() - start:.0f} s of processor time\n")
    print(f"{'pairs by verdict':<30}" + "".join(f"{word:>15}" for word in words))
    for kind in sorted(verdicts):
        print(f"{kind:<30}" + "".join(f"{verdicts[kind][word]:>15,}" for word in words))
    print("\n" + ("\n".join(f"x {n:,} times {fault}" for fault, n in total.items()) or "no contradiction"))
    return int(bool(total))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
