"""Systems that were evaluated on the same conversations: which is better.

The verdict is that of `core.comparison` on the score tables that the evaluations write, the same that an
audit of their runs reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from tellapart.audit.ranking import rank_as_compared
from tellapart.audit.results import Ranked
from tellapart.codesearch.evaluation import SYSTEM, Evaluation
from tellapart.codesearch.figures import Explorers
from tellapart.codesearch.metrics.gold import LEFT_OUT, NO_GOLD, has_gold, why_missing
from tellapart.codesearch.metrics.gold import PREFIX as GOLD
from tellapart.codesearch.metrics.measures import JUDGE
from tellapart.codesearch.metrics.score_tables import (
    SharedCases,
    default_measure,
    joint_scores_of,
    measure_of,
    share_cases,
)
from tellapart.core.comparison import Comparison, ComparisonSettings
from tellapart.core.comparison import compare as compare_models
from tellapart.core.record import StoredRecord
from tellapart.core.score_grid import score_grid
from tellapart.core.seed import SEED
from tellapart.errors import InputError, UsageError
from tellapart.report.figures import in_words
from tellapart.store import path_names

EXPLORERS = (
    "the evaluations have different explorers, so each system was measured against its own ground truth; "
    "evaluate one of them again with the recorded explorations of the other (--explorer-a replay:FILE)"
)
"""Caution about systems whose ground truths come from different explorers."""


class SystemsCompared(StoredRecord):
    """The whole comparison; see `compare`."""

    systems: tuple[str, ...]
    conversations: int
    explorers: dict[str, Explorers]
    measure: str
    comparison: Comparison
    sentences: tuple[str, ...] = ()
    ranking: tuple[Ranked, ...] = Field(default=(), exclude=True)


def name_systems(given: Sequence[tuple[str | None, Path, Evaluation]]) -> dict[str, Evaluation]:
    """Name systems as an audit of their runs does."""
    paths = list(dict.fromkeys(path for _, path, _ in given))
    of_path = dict(zip(paths, path_names(paths), strict=True))
    names = [name or str(evaluation.facts.get(SYSTEM) or of_path[path]) for name, path, evaluation in given]
    named: dict[str, Evaluation] = {}
    for name, (_, path, evaluation) in zip(names, given, strict=True):
        apart = f"{name} ({of_path[path]})" if names.count(name) > 1 else name
        if apart in named:
            raise UsageError(
                f"the evaluation {apart!r} is given twice", next_step="Name them apart: NAME=PATH"
            )
        named[apart] = evaluation
    return named


def compare(
    evaluations: Mapping[str, Evaluation], *, measure: str | None = None, seed: int = SEED
) -> SystemsCompared:
    """Compare systems on the conversations that their evaluations have in common."""
    shared = _shared(evaluations)
    measure = measure or default_measure(list(evaluations.values()))
    against_gold = measure.startswith(GOLD)
    _check_measure(evaluations, measure)
    # Gold is one ruler for all, whatever the explorers found.
    cautions = [] if against_gold else list(_cautions(shared))
    scores = joint_scores_of(evaluations, measure)
    without_gold = sum(
        against_gold and all(why_missing(case.gold) in (NO_GOLD, LEFT_OUT) for case in cases)
        for cases in zip(*shared.lists, strict=True)
    )
    comparison = compare_models(scores, ComparisonSettings(seed=seed), cautions=cautions)
    only_in = dict(zip(evaluations, shared.left_out, strict=True))
    return SystemsCompared(
        systems=tuple(evaluations),
        conversations=len(shared),
        explorers=dict(zip(evaluations, shared.explorers, strict=True)),
        measure=measure,
        comparison=comparison,
        ranking=rank_as_compared(score_grid(scores), comparison),
        sentences=tuple(_sentences(len(shared), measure, without_gold, only_in)),
    )


def _sentences(n: int, measure: str, without_gold: int, only_in: Mapping[str, int]) -> Iterator[str]:
    """Say what was compared."""
    *most, last = only_in
    by = in_words(measure)
    yield f"{', '.join(most)} and {last} on {n} conversation{'s' * (n != 1)}, by {by}"
    if without_gold:
        yield f"{without_gold} of these have no gold that counts, so the measure leaves them out"
    left = ", ".join(f"{count} of {name}" for name, count in only_in.items() if count)
    if left:
        effect = "are left out" if len(only_in) == 2 else "count for the pairs that have them"
        yield f"Conversations that not all evaluations have {effect}: {left}"


def _shared(evaluations: Mapping[str, Evaluation]) -> SharedCases:
    """Give the conversations that all evaluations have."""
    if len(evaluations) < 2:
        raise UsageError(f"there is {len(evaluations)} evaluation to compare, expected two or more")
    shared = share_cases(*(evaluation.cases for evaluation in evaluations.values()))
    if not len(shared):
        shown = [
            f"{name} has {min((case.id for case in evaluation.cases), default=None)!r}"
            for name, evaluation in evaluations.items()
        ]
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


def _check_measure(evaluations: Mapping[str, Evaluation], measure: str) -> None:
    """See that what a measure needs is there: gold in all evaluations, or the verdicts of two."""
    if measure.startswith(GOLD):
        without = [name for name, evaluation in evaluations.items() if not has_gold(evaluation.cases)]
        if without:
            raise InputError(
                f"{measure} needs gold files, and the evaluation of {without[0]!r} has none",
                next_step="Evaluate it with --gold FILE",
            )
    scores = {system: [*map(measure_of(measure), each.cases)] for system, each in evaluations.items()}
    lacking = [system for system, each in scores.items() if all(score.value is None for score in each)]
    verdicts = any(score.missing == JUDGE for system in lacking for score in scores[system])
    if len(scores) - len(lacking) < 2 and verdicts:
        raise InputError(
            f"{measure} is not known of {', '.join(lacking)}: it needs verdicts on the files that only the "
            "system found, and there are none",
            next_step="Compare with --measure recall_union, which needs none, or evaluate again with "
            "--judge PROVIDER/MODEL",
        )
