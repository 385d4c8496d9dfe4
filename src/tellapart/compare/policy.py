"""A release policy over several benchmarks: GO, NO-GO or INCONCLUSIVE, with the error over all together.

The policy file is that of NVIDIA's NeMo Evaluator, version 1. GO claims that no gated benchmark fell by more
than is allowed, so every test must pass at ``alpha``, and the chance of GO where any fell by more is at most
``alpha`` (an intersection-union test). A breach is claimed at ``alpha`` over the number of tests, so that the
chance of any false one is at most ``alpha`` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Literal

import polars as pl
from pydantic import Field

from tellapart.compare.results import CompareRecord
from tellapart.compare.run import compare_reading
from tellapart.core.comparison import ComparisonSettings, Gate, GateOutcome
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.record import Record
from tellapart.errors import InputError
from tellapart.readers import Reading
from tellapart.report.comparison import Scale
from tellapart.report.gates import gate_headline
from tellapart.report.numbers import listed, plural

_Share = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Rule(Record):
    """What is allowed of a benchmark; None inherits.

    Attributes:
        tier: Advisory benchmarks are reported and decide nothing.
        max_drop: The largest drop of the mean score, in score units.
        max_relative_drop: The largest drop as a share of the baseline's mean.
        relative_guard_below: The relative limit applies where the baseline's mean is below this.
        metric: Mean score (``mean_reward``), or the share of attempts with any reward (``pass@1``).
    """

    tier: Literal["critical", "supporting", "advisory"] | None = None
    max_drop: _Share | None = None
    max_relative_drop: _Share | None = None
    relative_guard_below: Annotated[float, Field(ge=0, le=1)] | None = None
    metric: Literal["mean_reward", "pass@1"] | None = None
    direction: Literal["higher_is_better", "lower_is_better"] | None = None

    def over(self, other: Rule) -> Rule:
        """This rule, with what it leaves open from another one."""
        return Rule(**(other.model_dump(exclude_none=True) | self.model_dump(exclude_none=True)))


# Those of NeMo Evaluator.
_DEFAULTS = Rule(tier="supporting", max_drop=0.015, metric="mean_reward", direction="higher_is_better")


class Policy(Record):
    """A policy file: the rule of each benchmark; those that are critical or supporting are required."""

    version: Literal[1] = 1
    defaults: Rule = Rule()
    benchmarks: dict[str, Rule] = {}

    def rule(self, benchmark: str) -> Rule:
        """What holds for a benchmark, named or not."""
        return self.benchmarks.get(benchmark, Rule()).over(self.defaults.over(_DEFAULTS))


class Status(StrEnum):
    """How a benchmark ends, in the words of the policy's authors."""

    PASS = "PASS"
    BREACH = "BREACH"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    MISSING = "MISSING"


class BenchmarkVerdict(Record):
    """A benchmark as it was judged.

    Attributes:
        gate: On the absolute drop; None where the benchmark is missing.
        relative: How the gate on the relative drop ends; None where there is none.
        reason: A sentence.
    """

    benchmark: str
    rule: Rule
    status: Status
    gate: Gate | None = None
    relative: GateOutcome | None = None
    reason: str

    @property
    def is_gated(self) -> bool:
        """Whether it decides."""
        return self.rule.tier != "advisory"


OUTCOMES = {
    Status.PASS: GateOutcome.PASSED,
    Status.BREACH: GateOutcome.FAILED,
    Status.MISSING: GateOutcome.FAILED,
    Status.INSUFFICIENT_EVIDENCE: GateOutcome.UNCLEAR,
    "GO": GateOutcome.PASSED,
    "NO-GO": GateOutcome.FAILED,
    "INCONCLUSIVE": GateOutcome.UNCLEAR,
}
"""Statuses and verdicts as the outcomes of a gate."""


class PolicyVerdict(Record):
    """How a policy ends.

    Attributes:
        alpha: Chance of a false GO, and of any false breach.
        tests: Gates of critical and supporting benchmarks, over which a breach is corrected.
        benchmarks: In ascending order of names.
    """

    verdict: Literal["GO", "NO-GO", "INCONCLUSIVE"]
    alpha: float
    tests: int
    benchmarks: tuple[BenchmarkVerdict, ...]


def judge_readings(readings: Mapping[str, Reading], policy: Policy, *, alpha: float = ALPHA) -> PolicyVerdict:
    """Judge benchmarks whose scores are read; others that the policy names are missing."""
    guarded = {name: _guarded(reading, policy.rule(name)) for name, reading in readings.items()}
    is_gated = {name: policy.rule(name).tier != "advisory" for name in {*readings, *policy.benchmarks}}
    if not any(is_gated.values()):
        advisory = f"all are advisory: {listed(sorted(is_gated))}" if is_gated else "none is on both sides"
        raise InputError(
            f"no benchmark decides, {advisory}", next_step="Make one critical or supporting in the policy"
        )
    tests = sum(1 + (guarded[name] is not None) for name in readings if is_gated[name])
    judged = [
        _judge(name, policy.rule(name), readings[name], guarded[name], alpha, max(1, tests))
        if name in readings
        else BenchmarkVerdict(
            benchmark=name, rule=policy.rule(name), status=Status.MISSING, reason="Not on both sides."
        )
        for name in sorted(is_gated)
    ]
    gated = {of.status for of in judged if of.is_gated}
    verdict: Literal["GO", "NO-GO", "INCONCLUSIVE"] = "GO"
    if gated & {Status.BREACH, Status.MISSING}:
        verdict = "NO-GO"
    elif gated != {Status.PASS}:
        verdict = "INCONCLUSIVE"
    return PolicyVerdict(verdict=verdict, alpha=alpha, tests=tests, benchmarks=tuple(judged))


def _guarded(reading: Reading, rule: Rule) -> Reading | None:
    """The same with the baseline's scores lowered by the relative limit: a drop beyond 0 is one beyond it."""
    if rule.max_relative_drop is None:
        return None
    baseline = next(iter(reading.sources.values()))
    frame, is_baseline = reading.table.frame, pl.col("model").is_in(baseline)
    means = frame.filter(is_baseline).group_by("item").agg(pl.col("score").mean())
    mean = float(means["score"].mean() or 0.0)  # type: ignore[arg-type]
    if not mean or (rule.relative_guard_below is not None and abs(mean) >= rule.relative_guard_below):
        return None
    lowered = pl.col("score") - rule.max_relative_drop * pl.col("score").abs()
    frame = frame.with_columns(pl.when(is_baseline).then(lowered).otherwise("score").alias("score"))
    low, high = reading.table.limits
    low = min(low, low - rule.max_relative_drop * abs(low))
    return replace(reading, table=replace(reading.table, frame=frame, limits=(low, high)))


def _judge(
    name: str, rule: Rule, reading: Reading, guarded: Reading | None, alpha: float, tests: int
) -> BenchmarkVerdict:
    """Judge a benchmark; that it passed at ``alpha``, that it did not at ``alpha`` over all tests."""
    low, high = reading.table.limits
    if (rule.max_drop or 0.0) >= high - low:
        what = f"max_drop of {name!r} is {rule.max_drop:g}, expected less than the range of its scores"
        raise InputError(f"{what}, {high - low:g}")
    record, outcome = _ends(reading, rule.max_drop or 0.0, alpha, tests)
    relative = None if guarded is None else _ends(guarded, 0.0, alpha, tests)[1]
    status = Status.INSUFFICIENT_EVIDENCE
    if GateOutcome.FAILED in (outcome, relative):
        status = Status.BREACH
    elif all(one is None or one.is_passed for one in (outcome, relative)):
        status = Status.PASS
    reason = gate_headline(record.gate, Scale.of(record.limits))
    if record.gate.outcome is GateOutcome.FAILED and outcome is GateOutcome.UNCLEAR:
        reason += f" Corrected over {plural(tests, 'test')} it may be chance."
    if relative:
        share = 100 * (rule.max_relative_drop or 0.0)
        reason += f" The limit of a relative drop, {share:g} % of the baseline's mean: {relative}."
    return BenchmarkVerdict(
        benchmark=name, rule=rule, status=status, gate=record.gate, relative=relative, reason=reason
    )


def _ends(reading: Reading, limit: float, alpha: float, tests: int) -> tuple[CompareRecord, GateOutcome]:
    """Run a gate at ``alpha``, and again at ``alpha`` over all tests where it failed."""
    record = compare_reading(reading, ComparisonSettings(alpha=alpha), max_drop=limit)
    outcome = record.outcome or GateOutcome.UNCLEAR
    if outcome is GateOutcome.FAILED and tests > 1:
        strict = compare_reading(reading, ComparisonSettings(alpha=alpha / tests), max_drop=limit)
        outcome = strict.outcome if strict.outcome is GateOutcome.FAILED else GateOutcome.UNCLEAR
    return record, outcome
