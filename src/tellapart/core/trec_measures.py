"""Measures of rankings against judgements, as trec_eval and ir_measures compute them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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


def query_scores(names: Sequence[str], judged: Judged, ranked: Ranked) -> list[dict[str, float]]:
    """Score rankings query by query.

    Equal scores are ordered as in trec_eval, by the greatest document first.
    """
    measures = [_measure(name) for name in names]
    common = sorted(judged.keys() & ranked.keys())
    # Some providers would give the others a 0, and some not.
    common_judged, common_ranked = ({query: every[query] for query in common} for every in (judged, ranked))
    return [
        {
            metric.query_id: float(metric.value)
            for metric in provider.iter_calc([measure], common_judged, common_ranked)
        }
        for provider, measure in measures
    ]


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
