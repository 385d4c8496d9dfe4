"""The definitions of `tellapart.core.stats`, written out slowly enough to be checked by eye."""


def clustered_variance(values, clusters):
    """Miller's double sum over pairs of items in the same cluster, times G / (G - 1); Kish counts G."""
    n = len(values)
    groups = n**2 / sum(clusters.count(label) ** 2 for label in set(clusters))
    mean = sum(values) / n
    total = 0.0
    for i in range(n):
        for j in range(n):
            if clusters[i] == clusters[j]:
                total += (values[i] - mean) * (values[j] - mean)
    return total / n**2 * groups / (groups - 1)


def auroc(scores, labels):
    """Share of (positive, negative) pairs in the right order, ties counting half."""
    right = [s for s, label in zip(scores, labels, strict=True) if label]
    wrong = [s for s, label in zip(scores, labels, strict=True) if not label]
    wins = sum((r > w) + (r == w) / 2 for r in right for w in wrong)
    return wins / (len(right) * len(wrong))


def expected_calibration_error(probabilities, outcomes, bins):
    """Bins of sizes that differ by at most one, larger ones first; no ties allowed."""
    pairs = sorted(zip(probabilities, outcomes, strict=True))
    size, extra = divmod(len(pairs), bins)
    total = 0.0
    for b in range(bins):
        start = b * size + min(b, extra)
        inside = pairs[start : start + size + (b < extra)]
        stated = sum(p for p, _ in inside) / len(inside)
        observed = sum(y for _, y in inside) / len(inside)
        total += len(inside) * abs(stated - observed)
    return total / len(pairs)
