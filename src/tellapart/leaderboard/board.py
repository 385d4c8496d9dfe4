"""A leaderboard as a matrix: of published scores, those that every model has."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from textwrap import shorten
from typing import NamedTuple, NoReturn

import numpy as np

from tellapart.core.arrays import F64
from tellapart.errors import ANOTHER_MODEL, InputError, near_match, option
from tellapart.readers.column_names import is_less_better
from tellapart.report.numbers import listed, plural

Definition = Mapping[str, frozenset[str]]
"""The parts of a benchmark's tasks, by task."""

OTHERS = "Left out, since these do not look like tasks"
_TWICE = "Left out, since there are two different scores"
_NO_TASKS = re.compile(
    r"#|no|nr|n|count|rank(ing)?|borda.*|position|place|(macro |micro )?median.*|(final )?score"
    r"|(active |number of |model )?(params?|parameters|size)|(embedding |embed )?(dims?|dimensions?)"
    r"|max(imum)? (tokens|length|seq(uence)? length)|context( length| window)?|memory( usage)?|vram|price"
    r"|cost|speed|time|runtime|tokens?|date|year|votes|elo|zero shot|unnamed.*|index|.* (rank|std(err)?|cost)"
)
"""What stands among tasks and is none, in small letters, without brackets and signs."""

_IN_NO_TASKS = re.compile(
    r"\b(overall|average|avg|mean|total|wer|cer|ter|ece|error rates?|errors?|perplexity|ppl|toxicity|"
    r"hallucination rate|hallucinations|refusal rate|loss|mse|mae|rmse|latency|seconds)\b"
)
"""Words of sums, and of what is better where it is less."""

_MORE_IS_BETTER = (
    "Give scores of which more is better, such as 1 - x, under a name that says so, such as 'word accuracy'"
)

_UNIT = re.compile(r"[(\[](m?s|sec(onds)?|tokens?/s|\$|usd)[)\]]")


def refuse_less_is_better(names: Sequence[str], where: str) -> NoReturn:
    """Refuse scores whose names say that less is better."""
    raise InputError(
        f"of {listed(names)} usually less is better, and a board is read as if more were",
        where=where,
        next_step=_MORE_IS_BETTER,
    )


class Score(NamedTuple):
    """A published score; a part is ``subset/split`` in MTEB, and nothing elsewhere."""

    model: str
    task: str
    value: float | None
    part: str = ""
    revision: str = ""


@dataclass
class Published:
    """What files hold, and what was left out of it, by reason."""

    scores: list[Score] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason."""
        named = {reason: ", ".join(dict.fromkeys(names)) for reason, names in self.left_out.items()}
        return tuple(f"{reason}: {names}." for reason, names in named.items() if names)


@dataclass(frozen=True)
class Leaderboard:
    """Scores of every model on every task; names ascend.

    Attributes:
        scores: Shape (models, tasks), finite; the mean over the parts of a task.
        parts: By task, the parts that all models have.
        notes: What was left out; sentences.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: F64
    parts: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()


def board_of(
    published: Published, where: str, tasks: Sequence[str] = (), definition: Definition | None = None
) -> Leaderboard:
    """Keep what all models have.

    Where tasks are named, or defined and some model has them, models without a score on one of them are left
    out. Else tasks on which a model has no score are left out, and so are means of other tasks.
    """
    cells, left_out = _cells(published), published.left_out
    if len(cells) < 2:
        holds = f"results of one model only, {next(iter(cells))!r}" if cells else "no scores"
        notes = " ".join(published.notes())
        raise InputError(
            f"there are {holds}, and it takes two models to compare. {notes}".strip(),
            where=where,
            next_step=ANOTHER_MODEL,
        )
    every = sorted({score.task for score in published.scores})
    if definition is not None:
        cells = {
            model: {t: of_task for t, of in tasks_of.items() if (of_task := _defined(of, definition.get(t)))}
            for model, tasks_of in cells.items()
        }
        tasks = every = sorted({task for of_model in cells.values() for task in of_model})
        left_out["Left out, since no model has these tasks of the benchmark"] += sorted(
            definition.keys() - set(every)
        )
    elif not tasks:
        left_out[OTHERS] += filter(is_no_task, every)
        every = [task for task in every if not is_no_task(task)]
    for task in tasks:
        if task not in every:
            raise InputError(f"there is no task {task!r}", where=where, next_step=near_match(task, every))
    if less := [task for task in tasks if definition is None and is_less_better(task)]:
        refuse_less_is_better(less, where)
    models = sorted(cells)
    lacking = {task: [model for model in models if task not in cells[model]] for task in tasks or every}
    if tasks:
        left = {model for without in lacking.values() for model in without}
        left_out["Left out, since these models lack some of the tasks"] += sorted(left)
        models = [model for model in models if model not in left]
    else:
        left_out["Left out, since these models have no score"] += [
            f"{task} ({listed(without, most=1)})" for task, without in lacking.items() if without
        ]
        lacking = {task: [] for task, without in lacking.items() if not without}
    shared = {t: sorted(set.intersection(*(set(cells[m][t]) for m in models))) for t in lacking if models}
    uneven = [t for t in shared if not shared[t] or len({_splits(cells[m][t]) for m in models}) > 1]
    left_out["Left out, since models have other splits, or no subset in common"] += uneven
    chosen = [task for task in shared if task not in uneven]
    left_out["Restricted to the subsets that all models have"] += [
        task for task in chosen if any(len(cells[model][task]) > len(shared[task]) for model in models)
    ]
    if len(models) < 2 or not chosen:
        raise InputError(
            f"{plural(len(models), 'model')} on {plural(len(chosen), 'task')} are left, expected two models "
            f"or more on the same tasks. {shorten(' '.join(published.notes()), 300, placeholder=' …')}",
            where=where,
            next_step="Keep one result of each model on a task"
            if left_out[_TWICE]
            else _MORE_IS_BETTER
            if not every and all(map(is_less_better, left_out[OTHERS]))
            else _way_out(cells, every or left_out[OTHERS][-1:]),
        )
    parts = [[[cells[m][t][part] for part in shared[t]] for t in chosen] for m in models]
    scores = np.array([[np.mean(of_task) for of_task in of_model] for of_model in parts])
    if not tasks:
        means = _means_of_others(chosen, scores)
        left_out["Left out, since they are the means of other tasks"] += means
        scores = scores[:, [task not in means for task in chosen]]
        chosen = [task for task in chosen if task not in means]
        _check_scales(chosen, scores, where)
    parts_of = {task: tuple(shared[task]) for task in chosen}
    return Leaderboard(tuple(models), tuple(chosen), scores, parts_of, published.notes())


def is_no_task(name: str) -> bool:
    """Whether the name of a column says that it is a rank, a mean, a size, a price or the like."""
    plain = " ".join(re.sub(r"\(.*?\)|\[.*?\]|[^\w#]|_", " ", name.casefold()).split())
    return bool(_NO_TASKS.fullmatch(plain) or _IN_NO_TASKS.search(plain) or _UNIT.search(name.casefold()))


_Parts = dict[str, float]


def _cells(published: Published) -> dict[str, dict[str, _Parts]]:
    """Sort finite scores by model, task and part; thin revisions and contradictions are left out."""
    named: dict[str, dict[str, dict[str, _Parts]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(dict))
    )
    twice = set()
    for model, task, value, part, revision in published.scores:
        of_model = named[model][revision]
        if value is not None and isfinite(value) and of_model[task].setdefault(part, value) != value:
            twice.add((model, revision, task))
    for model, revision, task in sorted(twice):
        del named[model][revision][task]
        published.left_out[_TWICE].append(f"{task} of {model}")
    cells = {}
    for model, revisions in named.items():
        most = max(map(len, revisions.values()))
        full = [revision for revision in sorted(revisions) if len(revisions[revision]) == most]
        published.left_out["Left out, since another revision of the model has more tasks"] += [
            f"{model}@{revision}" for revision in revisions if revision not in full
        ]
        for revision in full:
            cells[f"{model}@{revision}" if len(full) > 1 else model] = dict(revisions[revision])
    return cells


def _splits(parts: _Parts) -> frozenset[str]:
    return frozenset(part.rpartition("/")[2] for part in parts)


def _defined(parts: _Parts, wanted: frozenset[str] | None) -> _Parts:
    """Keep the parts of a definition; nothing where one lacks."""
    if wanted is None or "" in parts:
        return parts if wanted is not None else {}
    return {part: parts[part] for part in wanted} if wanted <= parts.keys() else {}


def _way_out(cells: Mapping[str, Mapping[str, _Parts]], every: Sequence[str]) -> str:
    """Name the most tasks that half of the models have, or two of them."""
    by_models = sorted(every, key=lambda task: -sum(task in of_model for of_model in cells.values()))
    for models in (max(2, len(cells) // 2), 2):
        for n in range(len(by_models), 0, -1):
            if sum(of_model.keys() >= set(by_models[:n]) for of_model in cells.values()) >= models:
                return f"To leave out the other models, name tasks: {option('tasks', by_models[:n])}"
    return "Give the results of two models on the same tasks"


def _means_of_others(tasks: Sequence[str], scores: F64) -> list[str]:
    """The tasks that are, but for rounding, the mean of all others; none where all tasks say the same."""
    if len(scores) < 3 or len(tasks) < 3:
        return []
    rounding = 1.01 * 10.0 ** -max(len(f"{x:.10g}".partition(".")[2]) for x in scores.ravel())
    if not np.ptp(scores, axis=1).any():
        return []
    off = (scores.sum(axis=1, keepdims=True) - scores) / (len(tasks) - 1) - scores
    is_graded = ~np.isin(scores, (0, 1)).all(axis=0)
    return [
        task
        for task, is_mean in zip(tasks, is_graded & (abs(off).max(axis=0) <= rounding), strict=True)
        if is_mean
    ]


def _check_scales(tasks: Sequence[str], scores: F64, where: str) -> None:
    """Refuse tasks on different scales, whose mean would be that of the widest."""
    by_scale: dict[int, list[str]] = defaultdict(list)
    scales = np.searchsorted([1, 100], np.abs(scores).max(axis=0)) - np.isin(scores, (0, 1)).all(axis=0)
    for task, scale in zip(tasks, scales.tolist(), strict=True):
        by_scale[scale].append(task)
    most = max(by_scale.values(), key=len)
    odd = [task for task in tasks if task not in most]
    if odd:
        raise InputError(
            f"{listed(odd, most=5)} and the other {len(most)} are not on one scale, so their mean is none",
            where=where,
            next_step=f"Name the tasks: {option('tasks', most)}",
        )
