"""The frontier as the source document computes it, and dominance within noise as it is defined."""

from math import sqrt
from statistics import NormalDist


def dominates(a, b, metrics):
    """Whether A is no worse in every metric and better in one; ``metrics`` maps names to max or min."""
    gains = [(a[name] - b[name]) * (1 if way == "max" else -1) for name, way in metrics.items()]
    return all(gain >= 0 for gain in gains) and any(gain > 0 for gain in gains)


def pareto(results, metrics):
    """Names on the frontier, and for each other the set of frontier names that dominate it."""
    on = {r["name"] for r in results if not any(dominates(other, r, metrics) for other in results)}
    by = {
        r["name"]: {
            other["name"] for other in results if other["name"] in on and dominates(other, r, metrics)
        }
        for r in results
        if r["name"] not in on
    }
    return on, by


def p_of(a, b, name, way):
    """Two-sided p of A ahead of B in a metric, from the ends of their 95 % intervals that face each other."""
    turn = 1 if way == "max" else -1
    gap = turn * (a[name] - b[name])
    if gap <= 0:
        return 1.0
    a_low, a_high = a.get(f"{name}_ci") or (a[name], a[name])
    b_low, b_high = b.get(f"{name}_ci") or (b[name], b[name])
    near = a[name] - a_low if way == "max" else a_high - a[name]
    far = b_high - b[name] if way == "max" else b[name] - b_low
    noise = sqrt(near**2 + far**2) / NormalDist().inv_cdf(0.975)
    return 2 * NormalDist().cdf(-gap / noise) if noise else 0.0


def within_noise(results, metrics):
    """Names that no dominating frontier point beats in any metric, with Bonferroni over all looks."""
    rows = {r["name"]: r for r in results}
    _, by = pareto(results, metrics)
    looks = len(results) * (len(results) - 1) // 2 * len(metrics)
    return {
        name
        for name, dominators in by.items()
        if not any(
            looks * p_of(rows[other], rows[name], metric, way) <= 0.05
            for other in dominators
            for metric, way in metrics.items()
        )
    }
