"""The frontier as the source document computes it, and dominance within noise as it is defined."""


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


def clearly_ahead(a, b, name, way):
    """Whether A's interval lies wholly on the better side of B's."""
    a_low, a_high = a.get(f"{name}_ci") or (a[name], a[name])
    b_low, b_high = b.get(f"{name}_ci") or (b[name], b[name])
    return a_low > b_high if way == "max" else a_high < b_low


def within_noise(results, metrics):
    """Names dominated by no frontier point that is clearly ahead in any metric."""
    rows = {r["name"]: r for r in results}
    _, by = pareto(results, metrics)
    return {
        name
        for name, dominators in by.items()
        if not any(
            clearly_ahead(rows[other], rows[name], metric, way)
            for other in dominators
            for metric, way in metrics.items()
        )
    }
