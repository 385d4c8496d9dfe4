"""A release policy over several benchmarks: GO, NO-GO or INCONCLUSIVE, with the error over all together.

The policy file is that of NVIDIA's NeMo Evaluator, version 1. GO claims that no gated benchmark fell by more
than is allowed, so every test must pass at ``alpha``, and the chance of GO where any fell by more is at most
``alpha`` (an intersection-union test). A breach is claimed at ``alpha`` over the number of tests, so that the
chance of any false one is at most ``alpha`` too.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
from pydantic import Field

from tellapart.compare.results import CompareRecord
from tellapart.compare.run import compare_reading
from tellapart.core.comparison import ComparisonSettings, Gate, GateOutcome
from tellapart.core.comparison_settings import ALPHA
from tellapart.core.progress import SILENT, Progress
from tellapart.core.record import Record
from tellapart.errors import InputError
from tellapart.files import read_object, read_text
from tellapart.files.reading import read_json_objects
from tellapart.files.records import check_record
from tellapart.files.yaml_text import parse_yaml
from tellapart.readers import Reading, Source, read_scores
from tellapart.readers.reader import NamedFrame
from tellapart.readers.settings import ReadingSettings
from tellapart.report.gates import gate_headline
from tellapart.report.numbers import Scale, listed, plural

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


_BUNDLE, _RESULTS = "eval-*.json", "results.jsonl"


def read_policy(path: Path) -> Policy:
    """Read a policy file; a benchmark without a rule of its own has nothing after its colon, or ``{}``."""
    _, raw = parse_yaml(read_text(path), path)
    if isinstance(raw, dict) and isinstance(raw.get("benchmarks"), dict):
        raw["benchmarks"] = {name: rule or {} for name, rule in raw["benchmarks"].items()}
    return check_record(raw, Policy, path, "gate policy")


def judge_policy(
    baseline: Path, candidate: Path, policy: Policy, *, progress: Progress = SILENT
) -> PolicyVerdict:
    """Hold the benchmarks of a candidate against those of a baseline; others that are named are missing.

    Each side is a directory with a file or a directory for each benchmark, called after it: whatever
    `read_scores` reads, or a bundle of NeMo Evaluator, which names its benchmark itself.
    """
    sides = _benchmarks(baseline), _benchmarks(candidate)
    shared = sides[0].keys() & sides[1].keys()
    rules = {name: policy.rule(name) for name in sorted(shared | policy.benchmarks.keys())}
    gated = [name for name, rule in rules.items() if rule.tier != "advisory"]
    if not rules:
        raise InputError(
            "the two directories have no benchmark in common",
            next_step="Call an entry of each after the same benchmark",
        )
    if not gated:
        raise InputError(
            f"no benchmark decides, all are advisory: {listed(list(rules))}",
            next_step="Make one critical or supporting in the policy",
        )
    readings = {name: _read(rules[name], sides[0][name], sides[1][name], progress) for name in sorted(shared)}
    guarded = {name: _guarded(reading, rules[name]) for name, reading in readings.items()}
    tests = sum(1 + (guarded[name] is not None) for name in gated if name in shared)
    judged = tuple(
        _judge(name, rule, readings[name], guarded[name], tests)
        if name in shared
        else BenchmarkVerdict(benchmark=name, rule=rule, status=Status.MISSING, reason="Not on both sides.")
        for name, rule in rules.items()
    )
    statuses = {of.status for of in judged if of.is_gated}
    verdict: Literal["GO", "NO-GO", "INCONCLUSIVE"] = "GO" if statuses == {Status.PASS} else "INCONCLUSIVE"
    if statuses & {Status.BREACH, Status.MISSING}:
        verdict = "NO-GO"
    return PolicyVerdict(verdict=verdict, alpha=ALPHA, tests=tests, benchmarks=judged)


def _benchmarks(side: Path) -> dict[str, Path]:
    """The benchmarks of a directory, by name."""
    if not side.is_dir():
        raise InputError(
            "this is not a directory",
            where=side,
            next_step="With --policy give two directories, each with a file or directory for each benchmark",
        )
    found: dict[str, Path] = {}
    inside = [path for path in sorted(side.iterdir()) if not path.name.startswith((".", "_"))]
    for path in [side] if list(side.glob(_BUNDLE)) else inside:
        bundles = sorted(path.glob(_BUNDLE)) if path.is_dir() else []
        if len(bundles) > 1:
            raise InputError(
                f"there are several bundles: {listed([bundle.name for bundle in bundles])}",
                where=path,
                next_step="Keep one for each benchmark",
            )
        name = path.name if path.is_dir() else path.stem
        if bundles:
            name = str(read_object(bundles[0]).get("benchmark", {}).get("name", name))
        if name in found:
            raise InputError(
                f"two entries are of the benchmark {name!r}: {found[name].name} and {path.name}", where=side
            )
        found[name] = path
    return found


def _read(rule: Rule, baseline: Path, candidate: Path, progress: Progress) -> Reading:
    sources: list[Source] = []
    for side, path in (("baseline", baseline), ("candidate", candidate)):
        is_bundle = path.is_dir() and any(path.glob(_BUNDLE))
        sources.append(_bundle(path, side, rule) if is_bundle else path)
    lower = rule.direction == "lower_is_better"
    settings = ReadingSettings(lower_is_better=lower, limits=(0, float("inf")) if lower else None)
    return read_scores(sources, settings, apart=True, progress=progress)


def _bundle(folder: Path, side: str, rule: Rule) -> NamedFrame:
    """The results of a bundle of NeMo Evaluator: a row for each problem and repeat, with its reward."""
    path = folder / _RESULTS
    rows = [record for _, record in read_json_objects(path)]
    try:
        frame = pl.DataFrame(
            {
                "model": [side] * len(rows),
                "item": [str(row["problem_idx"]) for row in rows],
                "replicate": [int(row.get("repeat", 0)) for row in rows],
                "score": [float(row["reward"]) for row in rows],
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"damaged, or of another version of NeMo Evaluator: {error!r}",
            where=path,
            next_step="Each line needs problem_idx, repeat and reward",
        ) from None
    if rule.metric == "pass@1":
        frame = frame.with_columns((pl.col("score") > 0).cast(pl.Float64).alias("score"))
    return NamedFrame(f"{folder.name} ({side})", frame)


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


def _judge(name: str, rule: Rule, reading: Reading, guarded: Reading | None, tests: int) -> BenchmarkVerdict:
    """Judge a benchmark; that it passed at 5 %, that it did not at 5 % over all tests."""
    low, high = reading.table.limits
    if (rule.max_drop or 0.0) >= high - low:
        what = f"max_drop of {name!r} is {rule.max_drop:g}, expected less than the range of its scores"
        raise InputError(f"{what}, {high - low:g}")
    record, outcome = _ends(reading, rule.max_drop or 0.0, tests)
    relative = None if guarded is None else _ends(guarded, 0.0, tests)[1]
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


def _ends(reading: Reading, limit: float, tests: int) -> tuple[CompareRecord, GateOutcome]:
    """Run a gate at 5 %, and again at 5 % over all tests where it failed."""
    record = compare_reading(reading, ComparisonSettings(), max_drop=limit)
    outcome = record.outcome or GateOutcome.UNCLEAR
    if outcome is GateOutcome.FAILED and tests > 1:
        strict = compare_reading(reading, ComparisonSettings(alpha=ALPHA / tests), max_drop=limit)
        outcome = strict.outcome if strict.outcome is GateOutcome.FAILED else GateOutcome.UNCLEAR
    return record, outcome
