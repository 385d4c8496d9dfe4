"""Measures of rankings against judgements, as trec_eval and ir_measures compute them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import comb, fsum, log2
from typing import Any, TypeAlias
from urllib.parse import unquote

from tellapart.errors import MissingExtra, UsageError

_UNSAFE = re.compile(r"[\s%]|^#|^q(?=(uery[-_])?id$)")
"""White space, our own sign, what begins a comment, and what begins BEIR's line of names."""


def encoded(name: str) -> str:
    """Give a name that has no space in it, with the bytes of such characters as ``%20``.

    Only what would be misread is encoded, so that paths stay readable. `decoded` takes it back.
    """
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), name)


def decoded(field: str) -> str:
    """Give the name that `encoded` made a field of."""
    return unquote(field)


Judged: TypeAlias = Mapping[str, Mapping[str, int]]
"""Relevance of each judged document by query; 0 is not relevant."""

Ranked: TypeAlias = Mapping[str, Mapping[str, float]]
"""Score of each document by query, the greatest first."""

_PROVIDERS = ("pytrec_eval", "msmarco", "judged", "compat")
"""Those of ir_measures that need no other program; trec_eval's own code comes first."""

_EXAMPLES = "nDCG@10, AP, RR@10, R@100, P@5, Success@1"


@dataclass(frozen=True)
class TiedScores:
    """Scores of rankings by query.

    Attributes:
        scores: By query; where documents have equal scores the mean over their orders if ``is_exact``, else
            the score in trec_eval's order, by the greatest document first.
        tied: Queries whose score is another in another order of documents with equal scores, ascending.
        is_exact: Whether the mean over orders of the measure is known.
        empty: Queries that score 0 because no document is judged relevant, ascending.
    """

    scores: dict[str, float]
    tied: tuple[str, ...]
    is_exact: bool
    empty: tuple[str, ...]


def query_scores(names: Sequence[str], judged: Judged, ranked: Ranked) -> list[dict[str, float]]:
    """Score rankings query by query.

    Equal scores are ordered as in trec_eval, by the greatest document first; it takes scores as equal that
    differ by less than single precision can hold.
    """
    return [_provided(*_measure(name), judged, ranked) for name in names]


def tied_scores(name: str, judged: Judged, ranked: Ranked) -> TiedScores:
    """Score rankings by a measure, documents with equal scores by the mean over their orders.

    Source: McSherry and Najork 2008, "Computing information retrieval performance measures efficiently in the
    presence of tied scores"; Success and AP at a cutoff likewise.
    """
    provider, measure = _measure(name)
    common = judged.keys() & ranked.keys()
    orders = {query: _greatest_first(ranked[query]) for query in common}
    scores = _provided(
        provider, measure, judged, {query: _by_place(order) for query, order in orders.items()}
    )
    ends = []
    several = sorted(query for query in common if len(set(ranked[query].values())) < len(ranked[query]))
    for sign in (-1, 1):
        by_grade = {q: _by_place(_by_grade(orders[q], ranked[q], judged[q], sign)) for q in several}
        ends.append(_provided(provider, measure, judged, by_grade))
    tied = tuple(query for query in several if ends[0].get(query) != ends[1].get(query))
    expected, of = _EXPECTED.get(measure.NAME), measure.params
    for query in tied:
        if expected is not None:
            scores[query] = expected(_groups(judged[query], ranked[query], of), judged[query], of)
    relevant = of.get("rel", 1)
    empty = (query for query in sorted(scores) if all(grade < relevant for grade in judged[query].values()))
    return TiedScores(
        scores, tied, expected is not None, tuple(query for query in empty if not scores[query])
    )


def _provided(provider: Any, measure: Any, judged: Judged, ranked: Ranked) -> dict[str, float]:
    common = sorted(judged.keys() & ranked.keys())
    # Some providers would give the others a 0, and some not.
    common_judged, common_ranked = ({query: every[query] for query in common} for every in (judged, ranked))
    metrics = provider.iter_calc([measure], common_judged, common_ranked) if common else ()
    return {metric.query_id: float(metric.value) for metric in metrics}


def _by_place(order: Sequence[str]) -> dict[str, float]:
    return {document: float(len(order) - place) for place, document in enumerate(order)}


def _greatest_first(ranked: Mapping[str, float]) -> list[str]:
    return sorted(ranked, key=lambda document: (ranked[document], document), reverse=True)


def _by_grade(
    order: Sequence[str], ranked: Mapping[str, float], judged: Mapping[str, int], sign: int
) -> list[str]:
    """Order documents with equal scores by relevance; one without a judgment is below all others."""
    return sorted(order, key=lambda d: (-ranked[d], sign * judged.get(d, float("-inf"))))


_Groups: TypeAlias = Sequence[Sequence[int]]
"""Grades of documents by their equal scores, the highest score first; 0 without a judgment."""
_Parameters: TypeAlias = Mapping[str, Any]


def _groups(judged: Mapping[str, int], ranked: Mapping[str, float], of: _Parameters) -> _Groups:
    # To trec_eval a negative grade is no judgment.
    documents = [d for d in ranked if not of.get("judged_only") or judged.get(d, -1) >= 0]
    ordered = sorted(documents, key=ranked.__getitem__, reverse=True)
    return [[judged.get(d, 0) for d in group] for _, group in groupby(ordered, key=ranked.__getitem__)]


def _places(groups: _Groups, of: _Parameters) -> Iterator[tuple[int, int, int, int, int]]:
    """By group: documents above, relevant ones above, documents, relevant ones, places up to the cutoff."""
    above = relevant_above = 0
    for group in groups:
        relevant = sum(grade >= of.get("rel", 1) for grade in group)
        yield (
            above,
            relevant_above,
            len(group),
            relevant,
            max(0, min(of.get("cutoff", above + len(group)) - above, len(group))),
        )
        above, relevant_above = above + len(group), relevant_above + relevant


def _relevant(judged: Mapping[str, int], of: _Parameters) -> int:
    return sum(grade >= of.get("rel", 1) for grade in judged.values())


def _found(groups: _Groups, of: _Parameters) -> float:
    return fsum(inside * relevant / size for _, _, size, relevant, inside in _places(groups, of))


def _precision(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    return _found(groups, of) / int(of["cutoff"])


def _recall(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    return _found(groups, of) / _relevant(judged, of)


def _r_precision(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    return _precision(groups, judged, {**of, "cutoff": _relevant(judged, of)})


def _success(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    """One less the chance that all places up to the cutoff hold others."""
    missed = 1.0
    for _, _, size, relevant, inside in _places(groups, of):
        missed *= comb(size - relevant, inside) / comb(size, inside)
    return 1 - missed


def _reciprocal_rank(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    """Of the first group with relevant documents: the chance that a place holds the first of them."""
    above, _, size, relevant, inside = next(of_group for of_group in _places(groups, of) if of_group[3])
    terms, none_before = [], 1.0
    for place in range(inside):
        here = min(1.0, relevant / (size - place))
        terms.append(none_before * here / (above + place + 1))
        none_before *= 1 - here
    return fsum(terms)


def _average_precision(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    """A relevant document is at each place equally often, the others of its group evenly around it."""
    precisions = (
        relevant
        / size
        * (relevant_above + 1 + place * (relevant - 1) / max(1, size - 1))
        / (above + place + 1)
        for above, relevant_above, size, relevant, inside in _places(groups, of)
        for place in range(inside)
    )
    return fsum(precisions) / _relevant(judged, of)


def _ndcg(groups: _Groups, judged: Mapping[str, int], of: _Parameters) -> float:
    """Each place of a group holds its mean gain."""
    gains = of.get("gains", {})

    def gain(grade: int) -> float:
        return max(0.0, float(gains.get(grade, grade)))

    means = [fsum(map(gain, group)) / len(group) for group in groups for _ in group]
    best = sorted(map(gain, judged.values()), reverse=True)
    reached, possible = (
        fsum(value / log2(place + 2) for place, value in enumerate(values[: of.get("cutoff")]))
        for values in (means, best)
    )
    return reached / possible


_EXPECTED: Mapping[str, Callable[[_Groups, Mapping[str, int], _Parameters], float]] = {
    "nDCG": _ndcg,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "P": _precision,
    "R": _recall,
    "Rprec": _r_precision,
    "Success": _success,
}
"""Mean over the orders of documents with equal scores, by measure."""


def _measure(name: str) -> tuple[Any, Any]:
    """Find what computes a measure, and the measure."""
    try:
        import ir_measures
    except ImportError:
        raise MissingExtra("scoring rankings", "trec") from None
    try:
        measure = ir_measures.parse_measure(name)
    except (ValueError, NameError):
        raise UsageError(
            f"there is no measure {name!r}", next_step=f"Measures are, for example: {_EXAMPLES}"
        ) from None
    for provider in (ir_measures.providers.registry[key] for key in _PROVIDERS):
        if provider.is_available() and provider.supports(measure):
            return provider, measure
    raise UsageError(
        f"the measure {name!r} is not supported", next_step=f"Measures are, for example: {_EXAMPLES}"
    )
