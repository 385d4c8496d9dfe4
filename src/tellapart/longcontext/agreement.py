"""How far grades agree with people, and people with one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tellapart.core.stats import Interval, kappa_estimate
from tellapart.errors import InputError
from tellapart.longcontext.grades import VALUES, Category, GradedProbe
from tellapart.longcontext.grading.judge_agreement import repeat_figures
from tellapart.longcontext.probes import item_of, rule_of
from tellapart.longcontext.reading.human_scores import HumanScore

FEWEST = 10
"""Probes below which kappa says nothing, of all together as of those of one rule."""

Figures = dict[str, Any]
Key = tuple[str, str, int, str]
"""Model, case, epoch and step."""


@dataclass(frozen=True)
class _Probe:
    key: Key
    category: Category
    failure_mode: str | None
    rule: str
    item: str


def agreement_figures(graded: Sequence[GradedProbe], human: Sequence[HumanScore]) -> Figures:
    """Compare grades with the scores of people.

    A probe without a grade (ERROR, EVAL_ERROR) or without a score of the rater is in no figure, but counted.
    Kappa is Cohen's, unweighted, over all categories, with an interval that is clustered on the question:
    the same question asked eight times is one item. Over probes of several rules it is helped by these never
    sharing a category, so it is given for each rule too. Fewer than 10 probes have none, with the reason.

    Args:
        graded: Each probe once.
        human: As ``reading.human_scores`` has them; those that name no model or epoch are of the only one.

    Returns:
        ``graded``, probes; ``ungraded``, those of them without a grade; ``raters``: for each, ascending, its
        ``rater``, ``scored`` and ``unscored`` rows, the figures of ``_compared`` with the rater first and the
        grades second, ``by_category``, ``by_rule``, ``by_failure_mode``, and as lists of probes
        ``disagreements``, ``only_human`` and ``only_graded``; ``between_raters``: figures for each pair,
        ``first`` and ``second``; ``judging``, as ``judge_repeats`` has it.

    Raises:
        InputError: Grades are of several models or epochs and a score does not say of which, a probe is
            graded twice, or no score belongs to any grade.
    """
    probes = _by_key(graded)
    scores = _by_rater(human, probes)
    if not any(key in probes for own in scores.values() for key in own):
        first, theirs = next(iter(probes)), next(iter(next(iter(scores.values()))))
        raise InputError(
            f"no score belongs to any of the {len(probes)} graded probe(s): the first score is of "
            f"{_named(theirs)}, the first grade of {_named(first)}",
            next_step="Use the names of cases, steps and models as the grades have them",
        )
    return {
        "graded": len(probes),
        "ungraded": sum(VALUES[probe.category] is None for probe in probes.values()),
        "raters": [_rater(name, own, probes) for name, own in sorted(scores.items())],
        "between_raters": [
            {"first": a, "second": b, **_between(scores[a], scores[b], probes)}
            for a, b in combinations(sorted(scores), 2)
        ],
        "judging": repeat_figures(graded),
    }


def _by_key(graded: Sequence[GradedProbe]) -> dict[Key, _Probe]:
    found: dict[Key, _Probe] = {}
    for one in graded:
        key = (one.model, one.case, one.epoch, one.step.id)
        if key in found:
            raise InputError(f"{_named(key)} is graded twice", next_step="Leave one of the grades out")
        item = item_of(one.step.user_message) or one.step.id
        rule = rule_of(one.step.id, one.step.failure_mode, one.expected)
        found[key] = _Probe(key, one.grade.category, one.step.failure_mode, rule, item)
    return found


def _by_rater(
    human: Sequence[HumanScore], probes: Mapping[Key, _Probe]
) -> dict[str, dict[Key, Category | None]]:
    models, epochs = (sorted({key[place] for key in probes}, key=str) for place in (0, 2))
    found: dict[str, dict[Key, Category | None]] = {}
    for one in human:
        model = _only("model", one.model, models, one.where)
        epoch = _only("epoch", one.epoch, epochs, one.where)
        own = found.setdefault(one.rater, {})
        key = (str(model), one.case, int(str(epoch)), one.step)
        if key in own:
            raise InputError(f"{one.rater!r} scores {_named(key)} for the second time", where=one.where)
        own[key] = one.category
    return found


def _only(name: str, given: Hashable, known: Sequence[Hashable], where: str) -> Hashable:
    if given is None and len(known) > 1:
        raise InputError(
            f"this score does not say of which {name} it is, and there are grades of {len(known)}: "
            f"{', '.join(map(str, known))}",
            where=where,
            next_step=f"Give the table a column {name!r}",
        )
    return known[0] if given is None else given


def _rater(name: str, scores: Mapping[Key, Category | None], probes: Mapping[Key, _Probe]) -> Figures:
    both = [
        (category, probe)
        for key, probe in probes.items()
        if (category := _known(scores.get(key))) and _known(probe.category)
    ]
    theirs, ours = [category for category, _ in both], [probe.category for _, probe in both]
    return {
        "rater": name,
        "scored": sum(category is not None for category in scores.values()),
        "unscored": sum(_known(category) is None for category in scores.values()),
        **_compared(theirs, ours, [probe.item for _, probe in both]),
        "by_category": _by_category(theirs, ours),
        "by_rule": _by(both, "rule"),
        "by_failure_mode": _by(both, "failure_mode"),
        "disagreements": [
            {**_place(probe.key), "human": category, "graded": probe.category}
            for category, probe in both
            if category != probe.category
        ],
        "only_human": [_place(key) for key in scores if key not in probes],
        "only_graded": [_place(key) for key in probes if key not in scores],
    }


def _between(
    first: Mapping[Key, Category | None], second: Mapping[Key, Category | None], probes: Mapping[Key, _Probe]
) -> Figures:
    keys = [key for key in first if _known(first[key]) and _known(second.get(key))]
    items = [probes[key].item if key in probes else key[3] for key in keys]
    return _compared([str(first[key]) for key in keys], [str(second[key]) for key in keys], items)


def _compared(first: Sequence[str], second: Sequence[str], items: Sequence[str]) -> Figures:
    """``n``, ``agreement`` and ``kappa`` with 95 % intervals, why there is none, and how often which met."""
    found = kappa_estimate(first, second, items)
    few = f"fewer than {FEWEST} probes" if found.kappa is not None and len(first) < FEWEST else None
    met = Counter(zip(first, second, strict=True))
    order = [category for category in VALUES if category in {*first, *second}]
    return {
        "n": len(first),
        "agreement": found.agreement.rate,
        "agreement_ci": _pair(found.agreement.interval),
        "kappa": None if few else found.kappa,
        "kappa_ci": None if few else _pair(found.interval),
        "reason": few or found.reason,
        "confusion": {a: {b: met[a, b] for b in order} for a in order},
    }


def _by_category(theirs: Sequence[str], ours: Sequence[str]) -> list[Figures]:
    """How often each was given; ``agreement`` is the share of all givings of it in which both gave it."""
    counts, others = Counter(theirs), Counter(ours)
    both = Counter(a for a, b in zip(theirs, ours, strict=True) if a == b)
    return [
        {
            "category": one,
            "human": counts[one],
            "graded": others[one],
            "both": both[one],
            "agreement": 2 * both[one] / (counts[one] + others[one]),
        }
        for one in VALUES
        if counts[one] + others[one]
    ]


def _by(both: Sequence[tuple[Category, _Probe]], attribute: str) -> list[Figures]:
    groups: dict[str | None, list[tuple[Category, _Probe]]] = {}
    for one in both:
        groups.setdefault(getattr(one[1], attribute), []).append(one)
    return [{attribute: name, **_of_group(groups[name])} for name in sorted(groups, key=str)]


def _of_group(both: Sequence[tuple[Category, _Probe]]) -> Figures:
    found = _compared([c for c, _ in both], [p.category for _, p in both], [p.item for _, p in both])
    del found["confusion"]
    return found


def _known(category: Category | None) -> Category | None:
    return None if category is None or VALUES[category] is None else category


def _pair(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _place(key: Key) -> Figures:
    return dict(zip(("model", "case", "epoch", "step"), key, strict=True))


def _named(key: Iterable[object]) -> str:
    model, case, epoch, step = key
    return f"{case}/{step} of {model!r} (epoch {epoch})" if model else f"{case}/{step} (epoch {epoch})"
