"""What to beware of in an evaluation: sentences for people, each with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.metrics.aggregate import Figures, never_judged
from tellapart.codesearch.metrics.conversation import JUDGE, MEASURES, counted_twice, documented, no_run
from tellapart.codesearch.metrics.exploring import ROLES
from tellapart.codesearch.metrics.sample import too_few

DETERMINISTIC = frozenset({"lexical", "symbols"})
"""Explorers that find the same whenever they are asked the same."""

FEW = 3
"""Conversations below which nothing can be said of a product area."""

RUNS = {"run_a": "run A", "run_b": "run B"}

_SHOWN = 5
_NEED_VERDICTS = ("precision", "recall")

_Check: TypeAlias = Callable[[Sequence[Case], Mapping[str, Any]], Iterator[str]]


def warnings(cases: Sequence[Case], metrics: Mapping[str, Any]) -> list[str]:
    """Say what to beware of.

    Args:
        cases: In any order, which changes nothing.
        metrics: Their figures, as `figures.metrics` gives them.

    Returns:
        Whole sentences, what weighs most first; empty where there is nothing to beware of.
    """
    ordered = sorted(cases, key=lambda case: case.conversation.id)
    return [sentence for check in _CHECKS for sentence in check(ordered, metrics)]


def _verdicts(cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    told, measures = metrics["judging"], metrics["measures"]
    ends = {
        end: f"precision {_number(measures['precision'][end])} and recall {_number(measures['recall'][end])}"
        for end in ("low", "high")
    }
    if never_judged(cases):
        yield (
            f"None of the {told['not_asked']} files that only we found was judged: {ends['low']} if none of "
            f"them is relevant, {ends['high']} if all are."
        )
        return
    failed = sum(told["failed"].values())
    if told["reliable"] is False or any(JUDGE in measures[name]["missing"] for name in _NEED_VERDICTS):
        without = f"{told['not_asked']} files that only we found were not put to the judge"
        if failed:
            share = f"{told['share_failed']:.0%}; {_causes(told['failed'])}"
            without = f"{failed} of {failed + told['judged']} verdicts failed ({share})"
        yield (
            f"{without}, so precision and recall are not known: {ends['low']} if none of these files is "
            f"relevant, {ends['high']} if all are."
        )


def _twice(cases: Sequence[Case], _metrics: Mapping[str, Any]) -> Iterator[str]:
    for case in cases:
        again = len(counted_twice(case))
        if again:
            values = [
                f"{name} {_number(documented(case, name))} instead of {_number(MEASURES[name](case).value)}"
                for name in ("precision", "recall")
            ]
            yield (
                f"{case.conversation.id}: {again} of {len(case.our_unique_relevant) + again} relevant "
                f"verdicts {'is on a file' if again == 1 else 'are on files'} not ours alone, which the "
                f"documented figures count twice: {', '.join(values)}."
            )


def _suspects(cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    for role in ROLES:
        told = metrics["exploring"][role]
        if told["suspect"]:
            yield (
                f"The exploration of {RUNS[role]} ({told['explorer']}) is suspect in "
                f"{len(told['suspect'])} of {len(cases)} conversations, where it found no file and reports "
                f"no error: {_listed(told['suspect'])}."
            )


def _failed_runs(cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    for role in ROLES:
        told = metrics["exploring"][role]
        ids = told["failed_conversations"]
        if ids:
            yield (
                f"The exploration of {RUNS[role]} ({told['explorer']}) failed in {len(ids)} of {len(cases)} "
                f"conversations ({_causes(told['failed'])}), whose ground truth lacks it: {_listed(ids)}."
            )
    neither = [case.conversation.id for case in cases if no_run(case)]
    if neither:
        yield (
            f"Both explorations failed in {len(neither)} of {len(cases)} conversations, which have no "
            f"recall: {_listed(neither)}."
        )


def _same_runs(cases: Sequence[Case], _metrics: Mapping[str, Any]) -> Iterator[str]:
    names = {explored.explorer for case in cases for explored in (case.run_a, case.run_b)}
    done = [case for case in cases if case.run_a.failure is None and case.run_b.failure is None]
    if len(names) == 1 and names <= DETERMINISTIC:
        yield (
            f"Run A and run B are both {names.pop()}, which always finds the same: their overlap is 1 by "
            "construction and says nothing."
        )
    elif len(done) > 1 and all(case.ground_truth and case.ground_truth == case.in_both_runs for case in done):
        yield (
            f"Run A and run B found exactly the same files in all {len(done)} conversations that both "
            "explored: independent explorations do not."
        )


def judged_by_itself(cases: Sequence[Case], system: str = "the system") -> Iterator[str]:
    """Warn where a system found just what an explorer found."""
    for role in ROLES:
        done = [(case, getattr(case, role)) for case in cases if getattr(case, role).failure is None]
        if any(case.ours for case, _ in done) and all(case.ours == set(run.files) for case, run in done):
            yield (
                f"{system[:1].upper()}{system[1:]} found exactly the files of {RUNS[role]} "
                f"({done[0][1].explorer}) in all {len(done)} conversations: it is judged by itself."
            )


def _areas(cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    unknown = metrics["uncertain"]["n"]
    if cases and unknown == len(cases):
        yield f"The product area of all {unknown} conversations is uncertain: nothing can be said by area."
        return
    counts = {area: told["count"] for area, told in metrics["areas"].items() if told["count"] < FEW}
    if counts:
        named = [f"{area} ({n})" for area, n in counts.items()]
        yield f"Fewer than {FEW} conversations are too few to judge a product area by: {_listed(named)}."


def _anomalies(_cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    for area, told in metrics["areas"].items():
        for name in ("precision", "recall"):
            below = told["below_aggregate"][name]
            if below["withheld"] and metrics["measures"][name]["conversations"]:
                low, high = (_number(end) for end in below["gap_bounds"])
                yield (
                    f"Whether {area} is far below the whole in {name} is open: the gap is from {low} to "
                    f"{high}, depending on the missing verdicts."
                )
            elif below["anomaly"]:
                yield _anomaly(area, name, told, below)


def _anomaly(area: str, name: str, told: Figures, below: Figures) -> str:
    figures = told["measures"][name]
    if below["gap"] is None:
        low = _number(below["gap_bounds"][0])
        return f"{area} is at least {low} below the whole in {name}, whatever the missing verdicts say."
    interval = figures["t_interval"]
    shown = f"95 % interval {interval[0]:.2f} to {interval[1]:.2f}" if interval else "no interval"
    chance = {
        True: f"more than chance would do (p {below['p'] or 0:.3f})",
        False: f"no more than chance can do with so few (p {below['p'] or 0:.2f})",
        None: "whether by chance cannot be said",
    }
    return (
        f"{area} is {below['gap']:.2f} below the whole in {name}: {_number(figures['macro'])} over "
        f"{figures['conversations']} conversations ({shown}), {chance[below['beyond_chance']]}."
    )


def _blind_spot(_cases: Sequence[Case], metrics: Mapping[str, Any]) -> Iterator[str]:
    told = (metrics.get("completeness") or {}).get("third_source")
    if told and told["missed_more"]:
        yield (
            f"{told['seen_unique']} of our {told['our_relevant_files']} relevant files were found by neither "
            f"exploration, where {told['expected_unique']:.1f} would be expected: the explorers share a "
            "blind spot, or the judge is lenient. Their coverage is then told too high."
        )


_CHECKS: tuple[_Check, ...] = (
    _verdicts,
    _twice,
    _suspects,
    _failed_runs,
    too_few,
    lambda cases, _: judged_by_itself(cases),
    _same_runs,
    _areas,
    _anomalies,
    _blind_spot,
)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _causes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{cause} {n}" for cause, n in counts.items())


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
