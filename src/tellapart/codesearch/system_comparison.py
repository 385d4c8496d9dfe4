"""Systems that were evaluated on the same conversations: which is better.

The verdict is that of `core.comparison` on the score tables that the evaluations write, the same that an
audit of their runs reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tellapart.codesearch.evaluation import SYSTEM, Evaluation
from tellapart.codesearch.figures import Explorers, Number
from tellapart.codesearch.metrics.conversation import JUDGE, SCORED
from tellapart.codesearch.metrics.gold import LEFT_OUT, NO_GOLD, has_gold, why_missing
from tellapart.codesearch.metrics.gold import PREFIX as GOLD
from tellapart.codesearch.metrics.judge import MOST_FAILED
from tellapart.codesearch.metrics.score_tables import (
    SharedCases,
    default_measure,
    joint_scores_of,
    measure_in_words,
    median_length,
    share_cases,
)
from tellapart.core.comparison import Comparison, ComparisonSettings
from tellapart.core.comparison import compare as compare_models
from tellapart.core.record import StoredRecord
from tellapart.core.seed import SEED
from tellapart.errors import InputError, UsageError
from tellapart.store import path_names


class SystemsRecord(StoredRecord):
    """The whole comparison; see `compare`."""

    systems: tuple[str, ...]
    conversations: int
    only_in: dict[str, int]
    explorers: dict[str, Explorers]
    same_explorers: bool
    ground_truth_differs: int
    measure: str
    without_gold: int = 0
    median_files: dict[str, Number | None] = {}
    alpha: Number
    comparison: Comparison
    sentences: tuple[str, ...] = ()


def name_systems(given: Sequence[tuple[str | None, Path, Evaluation]]) -> dict[str, Evaluation]:
    """Name systems as an audit of their runs does."""
    paths = list(dict.fromkeys(path for _, path, _ in given))
    of_path = dict(zip(paths, path_names(paths), strict=True))
    labels = [of_path[path] for _, path, _ in given]
    names = [
        name or str(evaluation.facts.get(SYSTEM) or label)
        for (name, _, evaluation), label in zip(given, labels, strict=True)
    ]
    apart = [
        f"{name} ({label})" if names.count(name) > 1 else name
        for name, label in zip(names, labels, strict=True)
    ]
    twice = next((name for name in apart if apart.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the evaluation {twice!r} is given twice", next_step="Name them apart: NAME=PATH")
    return {name: evaluation for name, (_, _, evaluation) in zip(apart, given, strict=True)}


def sentences(record: SystemsRecord) -> list[str]:
    """Say what was compared."""
    n = record.conversations
    *most, last = record.systems
    by = measure_in_words(record.measure)
    lines = [f"{', '.join(most)} and {last} on {n} conversation{'s' * (n != 1)}, by {by}"]
    if record.without_gold:
        lines.append(
            f"{record.without_gold} of these have no gold that counts, so the measure leaves them out"
        )
    left = {name: count for name, count in record.only_in.items() if count}
    if left:
        shown = ", ".join(f"{count} of {name}" for name, count in left.items())
        effect = "are left out" if len(record.systems) == 2 else "count for the pairs that have them"
        lines.append(f"Conversations that not all evaluations have {effect}: {shown}")
    return lines


EXPLORERS = (
    "the evaluations have different explorers, so each system was measured against its own ground truth; "
    "evaluate one of them again with the recorded explorations of the other (--explorer-a replay:FILE)"
)
"""Caution about systems whose ground truths come from different explorers."""


@dataclass(frozen=True)
class SystemsCompared:
    """What several evaluations say of their systems; ``record`` is for JSON."""

    comparison: Comparison
    record: SystemsRecord


def compare(
    evaluations: Mapping[str, Evaluation], *, measure: str | None = None, seed: int = SEED
) -> SystemsCompared:
    """Compare systems on the conversations that their evaluations have in common."""
    shared = _shared(evaluations)
    names = tuple(evaluations)
    measure = measure or default_measure(list(evaluations.values()))
    against_gold = measure.startswith(GOLD)
    _check_measure(evaluations, measure)
    # Gold is one ruler for all, whatever the explorers found.
    cautions = [] if against_gold else [*_cautions(shared), *_without_verdicts(evaluations, measure)]
    scores = joint_scores_of(evaluations, measure)
    comparison = compare_models(scores, ComparisonSettings(seed=seed), cautions=cautions)
    no_item = (NO_GOLD, LEFT_OUT)
    record = SystemsRecord(
        systems=names,
        conversations=len(shared),
        only_in=dict(zip(names, shared.left_out, strict=True)),
        explorers=dict(zip(names, shared.explorers, strict=True)),
        same_explorers=shared.same_explorers,
        ground_truth_differs=shared.other_truths,
        measure=measure,
        without_gold=sum(
            against_gold and all(why_missing(case.gold) in no_item for case in cases)
            for cases in zip(*shared.lists, strict=True)
        ),
        median_files={name: median_length(evaluation) for name, evaluation in evaluations.items()},
        alpha=comparison.alpha,
        comparison=comparison,
    )
    return SystemsCompared(comparison, record.model_copy(update={"sentences": tuple(sentences(record))}))


def _shared(evaluations: Mapping[str, Evaluation]) -> SharedCases:
    """Give the conversations that all evaluations have."""
    if len(evaluations) < 2:
        raise UsageError(f"there is {len(evaluations)} evaluation to compare, expected two or more")
    shared = share_cases(*(evaluation.cases for evaluation in evaluations.values()))
    if not len(shared):
        first = {
            name: min((case.id for case in evaluation.cases), default=None)
            for name, evaluation in evaluations.items()
        }
        shown = [f"{name} has {id_!r}" for name, id_ in first.items()]
        raise InputError(
            f"the evaluations have no conversation in common: {', '.join(shown)}",
            next_step="Evaluate the systems on the same conversations",
        )
    return shared


def _cautions(shared: SharedCases) -> Iterator[str]:
    """What a common ground truth would need, most serious first."""
    differ, of = shared.other_truths, len(shared)
    if not shared.same_explorers:
        yield EXPLORERS
    elif differ:
        yield (
            f"the explorers are the same but found other files in {differ} of {of} conversations, so the "
            "difference may come from the explorations; replay one evaluation's explorations for the other"
        )


def _without_verdicts(evaluations: Mapping[str, Evaluation], measure: str) -> Iterator[str]:
    """Warn where the judge ruled on the files of some systems and hardly on those of others."""
    judged = {}
    for name, evaluation in evaluations.items():
        needed = sum(len(case.our_unique) for case in evaluation.cases)
        judged[name] = needed - sum(len(case.without_verdict) for case in evaluation.cases), needed
    lacking = {name: n for name, n in judged.items() if n[1] - n[0] > MOST_FAILED * n[1]}
    if not lacking or len(lacking) == len(judged):
        return
    shown = ", ".join(f"{name} has verdicts on {n} of its {of} files" for name, (n, of) in lacking.items())
    effect = (
        "the measure needs none"
        if measure not in ("precision", "recall", "f1")
        else "what is missing there could move the difference"
    )
    yield f"the systems are not judged alike: of those that no exploration found, {shown}; {effect}"


def _check_measure(evaluations: Mapping[str, Evaluation], measure: str) -> None:
    """See that what a measure needs is there: gold in all evaluations, or the verdicts of two."""
    if measure.startswith(GOLD):
        without = [name for name, evaluation in evaluations.items() if not has_gold(evaluation.cases)]
        if without:
            raise InputError(
                f"{measure} needs gold files, and the evaluation of {without[0]!r} has none",
                next_step="Evaluate it with --gold FILE",
            )
    of = SCORED.get(measure)
    scores = {system: [*map(of, each.cases)] for system, each in evaluations.items()} if of else {}
    lacking = [system for system, each in scores.items() if all(score.value is None for score in each)]
    verdicts = any(score.missing == JUDGE for system in lacking for score in scores[system])
    if len(scores) - len(lacking) < 2 and verdicts:
        raise InputError(
            f"{measure} is not known of {', '.join(lacking)}: it needs verdicts on the files that only the "
            "system found, and there are none",
            next_step="Compare with --measure recall_union, which needs none, or evaluate again with "
            "--judge PROVIDER/MODEL",
        )
