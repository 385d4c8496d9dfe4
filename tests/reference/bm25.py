"""BM25 by the formula, one document at a time; slow and obvious."""

from collections import Counter
from math import log


def bm25(
    query: list[str], document: list[str], corpus: list[list[str]], k1: float = 1.5, b: float = 0.75
) -> float:
    mean_length = sum(map(len, corpus)) / len(corpus)
    known = [word for word in document if any(word in other for other in corpus)]
    counts = Counter(known)
    score = 0.0
    for word in query:
        containing = sum(word in other for other in corpus)
        idf = log(1 + (len(corpus) - containing + 0.5) / (containing + 0.5))
        damping = k1 * (1 - b + b * len(known) / mean_length)
        score += idf * counts[word] / (counts[word] + damping)
    return score
