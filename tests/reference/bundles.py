"""Figures of bundles from their vectors, one bundle at a time: slow and obvious."""

import math


def cosine(a, b):
    scale_a, scale_b = max(map(abs, a)), max(map(abs, b))
    a, b = [x / scale_a for x in a], [x / scale_b for x in b]
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def judge(positive, negatives):
    """Figures of one bundle from its similarities."""
    above = sum(s > positive for s in negatives)
    ties = sum(s == positive for s in negatives)
    places = range(above + 1, above + ties + 2)
    return {
        "danger": max(negatives) - positive,
        "margin": positive - max(negatives),
        "rank": 1 + above,
        "ties": ties,
        "expected_rank": sum(places) / len(places),
        "reciprocal_rank": sum(1 / place for place in places) / len(places),
        "top3": sum(place <= 3 for place in places) / len(places),
        "top5": sum(place <= 5 for place in places) / len(places),
    }


def quantile(values, share):
    """Linear interpolation between the two values around place (n - 1) x share."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def tiers(dangers, thresholds=(0.70, 0.90)):
    """The documented algorithm, with its index kept inside the list."""
    ordered = sorted(dangers)
    cuts = [ordered[min(int(len(dangers) * share), len(dangers) - 1)] for share in thresholds]
    return [
        "tier1_easy" if d <= cuts[0] else "tier2_robust" if d <= cuts[1] else "tier3_adversarial"
        for d in dangers
    ]


def tier_stats(bundles):
    """The documented figures of bundles as ``judge`` gives them."""
    n = len(bundles)
    margins = [bundle["margin"] for bundle in bundles]

    def mean(name):
        return sum(bundle[name] for bundle in bundles) / n if n else None

    correct = sum(margin > 0 for margin in margins)
    return {
        "n": n,
        "correct": correct,
        "accuracy": correct / n if n else None,
        "pass_rate": correct / n if n else None,
        "mean_margin": mean("margin"),
        "median_margin": quantile(margins, 0.5) if n else None,
        "q10_margin": quantile(margins, 0.1) if n else None,
        "q90_margin": quantile(margins, 0.9) if n else None,
        "mean_rank": mean("rank"),
        "expected_rank": mean("expected_rank"),
        "mrr": mean("reciprocal_rank"),
        "top3": mean("top3"),
        "top5": mean("top5"),
        "ties": sum(bundle["ties"] > 0 for bundle in bundles),
    }
