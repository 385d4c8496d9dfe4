"""Partial matches: code that shares some but not all of the concepts of a summary."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from tellapart.embed.protocol import I64

LEAST, MOST = 0.3, 0.8
"""A partial match has a Jaccard index strictly between the two."""

_CONCEPT = re.compile(r"[a-z0-9]{3,}")


def concepts(text: str) -> set[str]:
    """Lower-case runs of at least three ASCII letters and digits, each once."""
    return set(_CONCEPT.findall(text.lower()))


def partial_matches(summaries: Sequence[str], codes: Sequence[str]) -> list[I64]:
    """Find the codes that match each summary in part.

    Args:
        summaries: Any number of texts.
        codes: Candidates for each of them.

    Returns:
        For each summary the positions of its partial matches in ``codes``, largest Jaccard index first, equal
        ones by position; mostly empty, since code has many more words than a summary.

    Source:
        "Contrastive Evaluation Analysis", recommendation 3.1.
    """
    vocabulary = set().union(*map(concepts, summaries))
    if not vocabulary or not codes:
        return [np.empty(0, np.int64) for _ in summaries]
    sizes = [np.array([len(concepts(text)) for text in texts]) for texts in (summaries, codes)]
    counter = CountVectorizer(analyzer=concepts, vocabulary=sorted(vocabulary), dtype=np.int32)
    asked, offered = (csr_array(counter.transform(texts)) for texts in (summaries, codes))
    found = []
    for row in range(len(summaries)):
        shared = (offered @ asked[[row]].T).toarray().ravel()
        union = sizes[0][row] + sizes[1] - shared
        jaccard = np.divide(shared, union, out=np.zeros(len(codes)), where=union > 0)
        order = np.argsort(-jaccard, kind="stable")
        found.append(order[(jaccard[order] > LEAST) & (jaccard[order] < MOST)])
    return found
