"""The selection of distractors and the ranking of options, one comparison at a time."""

import math
from statistics import fmean, pstdev


def dot(a, b):
    return math.fsum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def nearest(queries, documents, targets, pool, k):
    """Others by inner product, equal ones by position, with -1 where there are too few."""
    rows = []
    for target in targets:
        others = [i for i in pool if i != target]
        others.sort(key=lambda i: (-round(dot(queries[target], documents[i]), 5), i))
        rows.append([*others, *[-1] * k][:k])
    return rows


def standardised(vectors, sample, query, document):
    """How many standard deviations a document is nearer to a query than to the sample."""
    usual = [dot(vectors[i], vectors[document]) for i in sample]
    return (dot(vectors[query], vectors[document]) - fmean(usual)) / pstdev(usual)


def mean_rank(scores, at):
    """Place among the scores, the largest first; equal ones share the mean of their places."""
    above = sum(score > scores[at] for score in scores)
    equal = sum(score == scores[at] for score in scores)
    return above + (equal + 1) / 2


def fused(lists, constant):
    """Reciprocal-rank fusion: for each candidate the sum over the lists of 1 / (constant + its rank)."""
    return [sum(1 / (constant + mean_rank(scores, at)) for scores in lists) for at in range(len(lists[0]))]


def concept_shares(summary, codes, words_of):
    """For each code the share of the summary's words that it has, by how few of the codes have them."""
    having = [words_of(code) for code in codes]
    weight = {}
    for word in words_of(summary):
        if count := sum(word in words for words in having):
            weight[word] = math.log((len(codes) + 1) / (count + 1))
    whole = math.fsum(weight.values()) if len(weight) > 1 else 0
    return [math.fsum(weight[w] for w in weight if w in words) / whole if whole else 0 for words in having]
