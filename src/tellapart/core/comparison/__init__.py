"""Where two models are told apart: the one place that computes p, intervals, verdicts and items needed.

A `ScoreTable` goes in, a `Comparison` comes out. The audit adds causes and fixes to it, and every suite ends
in it. Nothing else in the package tests models, corrects for multiplicity or decides on a gate.
"""

from typing import TYPE_CHECKING

from tellapart.core.comparison.compare import compare, compare_scored
from tellapart.core.comparison.pairs import (
    Comparison,
    Family,
    ItemsNeeded,
    PairComparison,
    Primary,
    Secondary,
    Verdict,
    from_json,
    to_json,
)
from tellapart.core.comparison_settings import ALPHA, POWER, ComparisonSettings, parse_primary
from tellapart.core.gate_outcome import GateOutcome, OnUnclear, worst_outcome
from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.core.comparison.effects import (
        CHANCE_LEVEL,
        ChanceOutcome,
        Claim,
        PairedEffect,
        claims,
        judge_chance,
        paired_effect,
    )
    from tellapart.core.comparison.gates import Flip, Gate, check_limit, fewest_losses, flips, run_gates
    from tellapart.core.comparison.looks import LookPlan
    from tellapart.core.comparison.stopping import are_told_apart

__all__ = [
    "ALPHA",
    "CHANCE_LEVEL",
    "ChanceOutcome",
    "Claim",
    "Comparison",
    "ComparisonSettings",
    "Family",
    "Flip",
    "Gate",
    "GateOutcome",
    "ItemsNeeded",
    "LookPlan",
    "OnUnclear",
    "POWER",
    "PairComparison",
    "PairedEffect",
    "Primary",
    "Secondary",
    "Verdict",
    "are_told_apart",
    "check_limit",
    "claims",
    "compare",
    "compare_scored",
    "fewest_losses",
    "flips",
    "from_json",
    "judge_chance",
    "paired_effect",
    "parse_primary",
    "run_gates",
    "to_json",
    "worst_outcome",
]

__getattr__ = names_from(__name__, __all__, "looks", "effects", "gates", "stopping")
