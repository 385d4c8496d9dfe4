"""How far two explorations agree, and whether an explorer agrees better with itself than with the other.

An exploration that found nothing or failed says nothing about agreement; the documented figures keep it, so
every figure is given with it and, as ``…_clean``, without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tellapart.codesearch.case import Case, Explored
from tellapart.codesearch.metrics.calibration import Overlap, has_found, is_clean, overlap_of
from tellapart.core.comparison import PairedEffect, claims, paired_effect
from tellapart.core.randomness import generator
from tellapart.core.stats import bca_statistic
from tellapart.core.stats.samples import F64

MEASURES = ("overlap_of_a", "overlap_of_b", "jaccard", "jaccard_pooled")
"""Share of run A's files that run B found too, all conversations together; the same the other way round;
files that both found over all files, mean over conversations; the same, all conversations together."""

_RESAMPLES = 10_000


def agreement(cases: Sequence[Case], *, seed: int = 42) -> dict[str, Any]:
    """Measure how far run A and run B agree.

    Args:
        cases: In any order.
        seed: Of the resamples.

    Returns:
        ``explorers``; ``conversations`` and ``conversations_clean``; each of ``MEASURES``, and again with the
        suffix ``_clean``, as a record of ``value`` in [0, 1], ``low`` and ``high`` (95 %, conversations
        resampled), ``n`` conversations on which it is defined, and the ``reason`` where there is no value or
        interval; and ``retest``, see `retest`.
    """
    ordered = sorted(cases, key=lambda case: case.conversation.id)
    clean = [case for case in ordered if is_clean(case)]
    with_all = overlap_figures([_cross(case) for case in ordered], seed=seed)
    without = overlap_figures([_cross(case) for case in clean], seed=seed)
    return {
        "explorers": explorer_names(ordered),
        "conversations": len(ordered),
        "conversations_clean": len(clean),
        **with_all,
        **{f"{name}_clean": figure for name, figure in without.items()},
        "retest": {"run_a": retest(ordered, "a", seed=seed), "run_b": retest(ordered, "b", seed=seed)},
    }


def explorer_names(cases: Sequence[Case]) -> dict[str, str | None]:
    """Who explored as ``run_a`` and as ``run_b``; several with commas between them, None without a case."""
    runs = {
        "run_a": {case.run_a.explorer for case in cases},
        "run_b": {case.run_b.explorer for case in cases},
    }
    return {role: ", ".join(sorted(names)) or None for role, names in runs.items()}


def overlap_figures(overlaps: Sequence[Overlap], *, seed: int = 42) -> dict[str, dict[str, Any]]:
    """Give each of ``MEASURES``; see `agreement`.

    Args:
        overlaps: One a conversation, in an order that does not depend on the work's.
        seed: Of the resamples.
    """
    parts, wholes = _parts(overlaps)
    counts = [int(np.count_nonzero(whole)) for whole in wholes]
    if not overlaps:
        return {name: _record(None, None, None, 0, "there is no such conversation") for name in MEASURES}

    def figures(weights: F64) -> F64:
        above = np.einsum("rg,fg->rf", weights, parts)
        below = np.einsum("rg,fg->rf", weights, wholes)
        shares: F64 = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
        return shares

    rng = generator(seed, "codesearch agreement")
    found = bca_statistic(figures, len(overlaps), rng=rng, resamples=_RESAMPLES)
    return {
        name: _record(
            one.estimate,
            one.interval.low if one.interval else None,
            one.interval.high if one.interval else None,
            n,
            one.reason if one.estimate is not None else "no file was found",
        )
        for name, one, n in zip(MEASURES, found, counts, strict=True)
    }


def retest(cases: Sequence[Case], which: str, *, seed: int = 42) -> dict[str, Any] | None:
    """Measure how far an explorer agrees with itself, beside how far it agrees with the other.

    Both on the same conversations: those where run, retest and the other run all found something.

    Args:
        cases: In an order that does not depend on the work's.
        which: ``a`` or ``b``, whose explorer it is; ``overlap_of_a`` is then the share of its own first run.
        seed: Of the resamples.

    Returns:
        None where nothing was retested. Else ``explorer``, ``other``, ``conversations``, ``left_out`` because
        a run found nothing or failed, the measures as ``self`` and as ``cross``, ``difference`` (mean of
        Jaccard with itself less Jaccard with the other), ``differs`` (whether the other differs by more than
        the explorer from itself; None where that is open) and a ``verdict`` in words.
    """
    asked = [(case, runs) for case in cases if (runs := _runs(case, which))]
    if not asked:
        return None
    usable = [runs for _, runs in asked if has_found(*runs)]
    with_itself = [overlap_of(first.files, again.files) for first, again, _ in usable]
    with_other = [overlap_of(first.files, other.files) for first, _, other in usable]
    difference = paired_effect(
        [_defined(one.jaccard) for one in with_itself],
        [_defined(one.jaccard) for one in with_other],
        seed=seed,
    )
    own, crossed = (overlap_figures(each, seed=seed) for each in (with_itself, with_other))
    differs = _differs(difference)
    names = explorer_names(cases)
    explorer, other = (names[f"run_{role}"] for role in (which, "b" if which == "a" else "a"))
    return {
        "explorer": explorer,
        "other": other,
        "conversations": len(usable),
        "left_out": len(asked) - len(usable),
        "self": own,
        "cross": crossed,
        "difference": _record(
            difference.difference,
            difference.interval.low if difference.interval else None,
            difference.interval.high if difference.interval else None,
            difference.n,
            difference.reason or None,
        ),
        "differs": differs,
        "verdict": _verdict(
            which, own["jaccard"]["value"], crossed["jaccard"]["value"], differs, len(usable)
        ),
    }


def _cross(case: Case) -> Overlap:
    return overlap_of(case.run_a.files, case.run_b.files)


def _runs(case: Case, which: str) -> tuple[Explored, Explored, Explored] | None:
    again = case.retest_a if which == "a" else case.retest_b
    first, other = (case.run_a, case.run_b) if which == "a" else (case.run_b, case.run_a)
    return None if again is None else (first, again, other)


def _parts(overlaps: Sequence[Overlap]) -> tuple[F64, F64]:
    """What the measures divide, and by what; each of shape (measures, conversations)."""
    table = np.array([(one.a_only, one.b_only, one.both) for one in overlaps], dtype=np.float64)
    a_only, b_only, both = table.reshape(-1, 3).T
    union = a_only + b_only + both
    defined = (union > 0).astype(np.float64)
    jaccards = np.divide(both, union, out=np.zeros_like(both), where=union > 0)
    return (
        np.stack([both, both, jaccards, both]),
        np.stack([both + a_only, both + b_only, defined, union]),
    )


def _record(
    value: float | None, low: float | None, high: float | None, n: int, reason: str | None
) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "n": n, "reason": reason}


def _defined(value: float | None) -> float:
    return float("nan") if value is None else value


def _differs(effect: PairedEffect) -> bool | None:
    (claim,) = claims([effect.p])
    if claim.holds is None or effect.difference is None:
        return None
    if effect.difference <= 0 or claim.holds:
        return effect.difference > 0
    # Without an interval no outcome of so few conversations would have been beyond chance.
    return None if effect.interval is None else False


def _verdict(which: str, own: float | None, crossed: float | None, differs: bool | None, n: int) -> str:
    run, other = ("run A", "run B") if which == "a" else ("run B", "run A")
    if own is None or crossed is None:
        return f"{run} was retested, but on no conversation did it and {other} find files each time"
    on = f"on {n} conversation{'s' * (n != 1)}"
    said = f"{run} agrees with itself at {own:.2f}, with {other} at {crossed:.2f} ({on})"
    if differs is None:
        return f"{said}: too few to tell them apart"
    if differs:
        return f"{said}: {other} differs from it by more than it differs from itself"
    return f"{said}: disagreement says nothing about the model"


def reach(figures: Mapping[str, Any]) -> float | None:
    """Give the overlap that run A reaches with itself, above which no other explorer can be expected.

    Args:
        figures: What `agreement` gives.

    Returns:
        In [0, 1]; None where run A was not retested.
    """
    again = figures["retest"]["run_a"]
    return None if again is None else again["self"]["overlap_of_a"]["value"]
