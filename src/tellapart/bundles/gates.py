"""Gates: how far the figures of a candidate may fall below those of the baseline."""

from __future__ import annotations

import math
from typing import Any

from tellapart.bundles.tiers import TIERS
from tellapart.errors import Refused, UsageError

Figures = dict[str, Any]

HARDEST = TIERS[-1]

_OWN_TIERS = "tiers were cut by each model's own danger; store them with 'tellapart bundles tier'"


def check_limits(max_drop: float | None, max_q10_drop: float | None) -> None:
    """Check limits before the work.

    Raises:
        UsageError: A limit is out of range, see ``drop_gates``.
    """
    if max_drop is not None and not 0 <= max_drop <= 1:
        percent = f" For {max_drop:g} percentage points write {max_drop / 100:g}." if max_drop > 1 else ""
        raise UsageError(f"--max-drop is {max_drop!r}, expected a share in [0, 1].{percent}")
    if max_q10_drop is not None and not 0 <= max_q10_drop < math.inf:
        raise UsageError(f"--max-q10-drop is {max_q10_drop!r}, expected a finite number, 0 or more")


def drop_gates(
    tiers: Figures,
    *,
    max_drop: float | None = None,
    max_q10_drop: float | None = None,
    own_tiers: bool = False,
) -> list[Figures]:
    """Judge the drops of the hardest tier.

    Args:
        tiers: As ``compare_scores`` gives them.
        max_drop: How far the pass rate may fall, a share in [0, 1]; None asks for no such gate.
        max_q10_drop: How far the 10th percentile of the margin may fall, 0 or more, in the unit of the
            similarity.
        own_tiers: Whether each model cut the tiers by its own danger. Then the baseline fails the whole of
            its hardest tier, nothing can fall from there, and no gate on it can pass.

    Returns:
        For each gate asked for its ``name``, ``option``, ``limit``, ``value`` = a - b, ``ci`` of the drop,
        whether it ``passed`` (value <= limit), and the ``reason`` if there is no value: then it did not pass.

    Raises:
        UsageError: A limit is out of range.
    """
    check_limits(max_drop, max_q10_drop)
    asked = [("pass_rate", "--max-drop", max_drop), ("q10_margin", "--max-q10-drop", max_q10_drop)]
    figures = tiers[HARDEST]
    if own_tiers:
        undefined = {"delta": None, "ci": None, "reason": _OWN_TIERS}
        figures = {name: undefined for name, _, _ in asked}
    return [_gate(name, option, limit, figures[name]) for name, option, limit in asked if limit is not None]


def refuse_failed(gates: list[Figures]) -> None:
    """Stop with exit code 1 where a gate failed.

    Raises:
        Refused: A gate failed; says which, by how much, and why where there is no value.
    """
    failed = [_sentence(gate) for gate in gates if not gate["passed"]]
    if failed:
        raise Refused(
            f"{'a gate' if len(failed) == 1 else f'{len(failed)} gates'} failed: {'; '.join(failed)}"
        )


def _gate(name: str, option: str, limit: float, figure: Figures) -> Figures:
    # 0 - x and not -x: a drop of nothing is 0.0, not -0.0.
    value = None if figure["delta"] is None else 0 - figure["delta"]
    return {
        "name": f"{HARDEST}.{name}.drop",
        "option": option,
        "limit": limit,
        "value": value,
        "passed": value is not None and value <= limit,
        "ci": None if figure["ci"] is None else [0 - end for end in reversed(figure["ci"])],
        "reason": figure["reason"] if value is None else None,
    }


def _sentence(gate: Figures) -> str:
    scope, figure, _ = gate["name"].split(".")
    if gate["value"] is None:
        return (
            f"the drop of {scope} {figure} is undefined ({gate['reason']}), so {gate['option']} cannot pass"
        )
    return f"{scope} {figure} fell by {gate['value']:.6g}, more than {gate['option']} {gate['limit']:g}"
