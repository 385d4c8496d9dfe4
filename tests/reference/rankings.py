"""Measures of a ranking, from their definitions; ``judged`` is the grade of each judged file."""

from math import log2


def recall(files, judged, k):
    relevant = {file for file, grade in judged.items() if grade > 0}
    return len(relevant & set(files[:k])) / len(relevant)


def reciprocal_rank(files, judged):
    return next((1 / place for place, file in enumerate(files, 1) if judged.get(file, 0) > 0), 0.0)


def ndcg(files, judged, k):
    def gained(grades):
        return sum(grade / log2(place + 1) for place, grade in enumerate(grades[:k], 1))

    best = sorted(judged.values(), reverse=True)
    return gained([judged.get(file, 0) for file in files]) / gained(best)


def bpref(files, judged):
    """Buckley and Voorhees, with the lesser of R and N as trec_eval divides by."""
    relevant = sum(grade > 0 for grade in judged.values())
    irrelevant = len(judged) - relevant
    total, before = 0.0, 0
    for file in files:
        if judged.get(file) == 0:
            before += 1
        elif judged.get(file, 0) > 0:
            total += 1 - min(before, relevant) / min(relevant, irrelevant) if before else 1
    return total / relevant


def judged_share(files, judged, k):
    return sum(file in judged for file in files[:k]) / len(files[:k])
