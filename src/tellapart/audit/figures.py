"""Findings as figures that JSON can say: the contract for scripts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tellapart.audit.findings import (
    Findings,
    FlaggedItem,
    Order,
    Ranked,
    Reliability,
    SmallestSet,
    StratumSeparation,
)
from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Pair
from tellapart.core.comparison import to_json
from tellapart.core.comparison.record import pair_to_json
from tellapart.core.pair_key import pair_key
from tellapart.core.stats import Interval

Figures = dict[str, Any]


def figures(findings: Findings, options: AuditOptions) -> Figures:
    """Give findings as dictionaries, lists, strings and finite numbers; what is undefined is None.

    Figures by pair, of models under ``items_needed`` and of kinds under ``between_strata``, have the keys of
    `tellapart.core.pair_key`.

    Args:
        findings: Of `analyse`.
        options: Under which they were found.
    """
    examined = findings.item_findings
    return {
        "models": list(findings.models),
        "items": findings.items,
        "limits": _finite(findings.limits),
        "options": asdict(options) | {"alpha_planned": _planned(findings, options)},
        "cautions": [asdict(caution) for caution in findings.cautions],
        "missing": findings.missing,
        "comparison": to_json(findings.comparison),
        "pairs": [_pair(pair) for pair in findings.pairs],
        "separated_paired": findings.separated_paired,
        "separated_arena_hard": findings.separated_arena_hard,
        "signal_to_noise": findings.signal_to_noise,
        "by_stratum": _strata(findings.strata),
        "ranking": [_ranked(ranked) for ranked in findings.ranking],
        "items_flagged": [_flagged(item) for item in examined.flagged],
        "irt_reason": examined.irt_reason,
        "reliability": _reliability(examined.reliability),
        "variance": asdict(findings.variance),
        "order": _order(findings.order),
        "smallest_set": _smallest(findings.smallest),
    }


def _planned(findings: Findings, options: AuditOptions) -> float:
    return findings.pairs[0].planned_level if findings.pairs else options.alpha


def _smallest(found: SmallestSet) -> Figures:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(found).items()}


def _flagged(found: FlaggedItem) -> Figures:
    return {
        "item": found.item,
        "reason": found.flag.value,
        "discrimination": found.discrimination,
        "twin": found.twin,
    }


def _reliability(found: Reliability) -> Figures:
    return {
        found.coefficient: found.value,
        "over_models": list(found.models),
        "items": found.items,
        "reason": found.reason,
    }


def _order(order: Order) -> Figures:
    between = {
        column: {pair_key(*pair): tau for pair, tau in taus.items()}
        for column, taus in order.between_strata.items()
    }
    return asdict(order) | {"between_strata": between}


def _pair(pair: Pair) -> Figures:
    """The pair of the comparison; ``diff``, ``ci`` and ``p_holm`` are older names of three of its figures."""
    recorded = pair_to_json(pair)
    return {
        **recorded,
        "diff": recorded["difference"],
        "ci": recorded["interval"],
        "p_holm": recorded["p_adjusted"],
        "why": [{"cause": why.cause.value, "text": why.text} for why in pair.why],
        "fix": [
            {
                "action": fix.action.value,
                "cost_items": fix.cost_items,
                "cost_replicates": fix.cost_replicates,
                "cost_answers": fix.cost_answers,
                "text": fix.text,
                "stratum": None if fix.stratum is None else list(fix.stratum),
                "items": list(fix.items),
            }
            for fix in pair.fixes
        ],
    }


def _strata(strata: tuple[StratumSeparation, ...]) -> Figures:
    columns: Figures = {}
    for stratum in strata:
        columns.setdefault(stratum.column, {})[stratum.value] = {
            "separated_paired": stratum.separated_paired,
            "items": stratum.items,
            "means": stratum.means,
            "items_needed": {pair_key(*pair): needed for pair, needed in stratum.items_needed.items()},
        }
    return columns


def _ranked(ranked: Ranked) -> Figures:
    return {
        "model": ranked.model,
        "n": ranked.n,
        "mean": ranked.mean,
        "ci": _ends(ranked.interval),
        "ci_bootstrap": _ends(ranked.resampled),
        "bounds": _finite(ranked.bounds),
        "rank": ranked.rank,
        "rank_ci": list(ranked.rank_interval) if ranked.rank_interval else None,
        "win_rate": ranked.win_rate,
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _finite(bounds: tuple[float, float] | None) -> list[float | None] | None:
    """Ends that are infinite, because the scores have no limits, as None."""
    return None if bounds is None else [end if abs(end) < float("inf") else None for end in bounds]
