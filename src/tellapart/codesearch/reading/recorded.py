"""The figures and lists that an evaluation's file records, held against what its runs and verdicts give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from tellapart.codesearch.case import Case
from tellapart.codesearch.reading.envelope import expect, open_envelope
from tellapart.codesearch.reading.paths import normalised
from tellapart.errors import InputError

DERIVED = ("ground_truth_files", "intersection", "our_unique", "ground_truth_unique", "calibration_data")
"""Fields of a conversation that follow from its runs and our files."""

_HALF = 0.0005 + 1e-9
"""By how much a figure may differ that agrees to the third decimal."""


@dataclass(frozen=True)
class Figures:
    """Figures as a file has them, each in [0, 1]; None where it has none."""

    precision: float | None = None
    recall: float | None = None
    overlap: float | None = None


@dataclass(frozen=True)
class RecordedFigures:
    """All recorded figures of an evaluation.

    Attributes:
        whole: The aggregate, and the overlap rate of its calibration.
        by_conversation: By id. The overlap is that of its ``calibration_data``: files of both runs / files of
            run A; None where run A found none.
        by_area: Precision and recall by product area.
    """

    whole: Figures
    by_conversation: Mapping[str, Figures] = field(default_factory=dict)
    by_area: Mapping[str, Figures] = field(default_factory=dict)


def recorded_figures(text: str | bytes, *, where: str = "standard input") -> RecordedFigures:
    """Read the figures of an evaluation as they were recorded; nothing is computed again."""
    envelope = open_envelope(text, where)
    expect("an evaluation", envelope, where)
    return figures_of(envelope.further.get("metrics"), envelope.conversations)


def figures_of(metrics: Any, conversations: Iterable[Any]) -> RecordedFigures:
    """Take the figures out of a file's ``metrics`` and ``conversations``, whatever else these are."""
    by_conversation: dict[str, Figures] = {}
    for given in conversations:
        if isinstance(given, Mapping):
            lists = _part(given, "calibration_data")
            both, only_a = _length(lists, "both_models"), _length(lists, "opus_only")
            overlap = both / (both + only_a) if both + only_a else None
            figures = Figures(_number(given, "precision"), _number(given, "recall"), overlap)
            by_conversation.setdefault(str(given.get("conversation_id")), figures)
    aggregate, areas = _part(metrics, "aggregate"), _part(metrics, "by_product_area")
    return RecordedFigures(
        Figures(
            _number(aggregate, "precision"),
            _number(aggregate, "recall"),
            _number(_part(metrics, "calibration"), "overlap_rate"),
        ),
        by_conversation,
        {
            str(area): Figures(
                _number(_part(areas, area), "precision"), _number(_part(areas, area), "recall")
            )
            for area in areas
        },
    )


def contradictions(case: Case, given: Mapping[str, Any], approved: Collection[str] | None) -> list[str]:
    """Name what a conversation's record says twice and differently; each list and figure once."""
    notes = []
    run_a, run_b = set(case.run_a.files), set(case.run_b.files)
    lists = _part(given, "calibration_data")
    for name, holder, expected, meaning in (
        ("ground_truth_files", given, case.ground_truth, "the union of its runs"),
        ("intersection", given, case.intersection, "our files that a run found"),
        ("our_unique", given, case.our_unique, "our files that no run found"),
        ("ground_truth_unique", given, case.ground_truth_unique, "the runs' files that we did not find"),
        ("opus_only", lists, run_a - run_b, "the files that only run A found"),
        ("sonnet_only", lists, run_b - run_a, "the files that only run B found"),
        ("both_models", lists, run_a & run_b, "the files that both runs found"),
    ):
        if isinstance(holder.get(name), list):
            differs = _difference(holder[name], expected, approved)
            if differs:
                notes.append(f"its {name!r} are not {meaning}: {differs}")
    return notes + _figure_notes(case, given)


def whole_notes(recorded: RecordedFigures, cases: Collection[Case] | None) -> list[str]:
    """Name what the record of the whole says differently from its conversations."""
    notes = []
    for name in ("precision", "recall"):
        values = [getattr(figures, name) for figures in recorded.by_conversation.values()]
        stated = getattr(recorded.whole, name)
        # Both the mean and the values that it is made from are rounded.
        if stated is not None and values and None not in values and abs(fmean(values) - stated) > 2 * _HALF:
            notes.append(f"its {name} is {stated:g}, the mean of its conversations is {fmean(values):.3f}")
    stated = recorded.whole.overlap
    if cases and stated is not None:
        both, of_a = (
            sum(map(len, files))
            for files in ([c.in_both_runs for c in cases], [c.run_a.files for c in cases])
        )
        overlap = both / of_a if of_a else 0.0
        if abs(overlap - stated) > _HALF:
            notes.append(f"its overlap rate is {stated:g}, its runs give {both} / {of_a} = {overlap:.3f}")
    return notes


def _figure_notes(case: Case, given: Mapping[str, Any]) -> list[str]:
    stated = {name: value for name in ("precision", "recall") if (value := _number(given, name)) is not None}
    judged = frozenset(file for file, verdict in case.verdicts.items() if verdict.relevant)
    once = _ratios(case, len(case.intersection) + len(case.our_unique_relevant))
    as_judged = _ratios(case, len(case.intersection) + len(judged))
    wrong = {name: value for name, value in stated.items() if not _agree(value, once[name])}
    if not wrong:
        return []
    if judged & case.intersection and all(_agree(value, as_judged[name]) for name, value in wrong.items()):
        return []  # Files that are counted twice have a warning of their own, with the figures.
    shown = " and ".join(f"{name} {value:g}" for name, value in wrong.items())
    ours = " and ".join("undefined" if once[name] is None else f"{once[name]:.3f}" for name in wrong)
    return [f"recorded are {shown}, its lists and verdicts give {ours}"]


def _ratios(case: Case, sure: int) -> dict[str, float | None]:
    ours, pool = len(case.ours), sure + len(case.ground_truth_unique)
    return {"precision": sure / ours if ours else None, "recall": sure / pool if pool else None}


def _agree(stated: float, value: float | None) -> bool:
    # What is undefined is recorded as 0 by most.
    return abs(stated - (value or 0.0)) <= _HALF


def _difference(
    recorded: Iterable[Any], expected: frozenset[str] | set[str], approved: Collection[str] | None
) -> str:
    listed = {_file(item, approved) for item in recorded}
    more, fewer = sorted(listed - expected), sorted(expected - listed)
    if not more and not fewer:
        return ""
    return f"{len(more)} too many, {len(fewer)} missing, such as {[*more, *fewer][0]!r}"


def _file(item: Any, approved: Collection[str] | None) -> str:
    path = item.get("path") if isinstance(item, Mapping) else item
    repo = item.get("repo") if isinstance(item, Mapping) else None
    try:
        return normalised(str(path), approved, repo=repo if isinstance(repo, str) else None)
    except InputError:
        return str(path)


def _part(value: Any, key: str) -> Mapping[str, Any]:
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _number(value: Mapping[str, Any], key: str) -> float | None:
    number = value.get(key)
    return float(number) if isinstance(number, int | float) and not isinstance(number, bool) else None


def _length(value: Mapping[str, Any], key: str) -> int:
    items = value.get(key)
    return len(items) if isinstance(items, list) else 0
