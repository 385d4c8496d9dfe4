"""How far grades agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from tellapart.core.record import Record
from tellapart.core.stats import clustered_rate, kappa_estimate
from tellapart.errors import InputError
from tellapart.longcontext.grades import VALUES, Category
from tellapart.longcontext.grading.judge_agreement import judge_repeats
from tellapart.longcontext.reading.human_scores import HumanScore
from tellapart.longcontext.results import GradingRecord, JudgeRepeats, ProbeRecord

FEWEST = 10
"""Probes below which kappa says nothing, of all together as of those of one rule."""

Key = tuple[str, str, int, str]
"""Model, case, epoch and step."""


class Kappa(Record):
    """How often two raters give the same category, and how much more often than by chance (Cohen's kappa).

    Of ``n`` probes that both scored; intervals are of 95 %, clustered on the question.
    """

    n: int
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    reason: str | None


class _Rule(Record):
    rule: str


class RuleKappa(Kappa, _Rule):
    """Of the probes of one rule."""


class ProbePlace(Record):
    """Which probe of which conversation."""

    model: str
    case: str
    epoch: int
    step: str


class Disagreement(ProbePlace):
    """A probe that a rater and the grades score differently."""

    human: Category
    graded: Category


class _Rater(Record):
    rater: str
    scored: int
    unscored: int


class RaterAgreement(Kappa, _Rater):
    """How far one rater agrees with the grades.

    ``confusion`` counts which category of the rater met which grade. Categories of several rules never meet,
    which helps kappa over all, so there is kappa ``by_rule``.
    """

    confusion: dict[Category, dict[Category, int]]
    by_rule: tuple[RuleKappa, ...]
    disagreements: tuple[Disagreement, ...]
    only_human: tuple[ProbePlace, ...]
    only_graded: tuple[ProbePlace, ...]


class AgreementRecord(Record):
    """How far grades agree with people."""

    graded: int
    ungraded: int
    raters: tuple[RaterAgreement, ...]
    judging: JudgeRepeats


def agreement_record(graded: GradingRecord, human: Sequence[HumanScore]) -> AgreementRecord:
    """Compare grades with the scores of people.

    A probe without a grade (ERROR, EVAL_ERROR) or without a score of the rater is in no figure, but counted.
    Kappa is Cohen's, unweighted, over all categories, with an interval that is clustered on the question:
    the same question asked eight times is one item. Over probes of several rules it is helped by these never
    sharing a category, so it is given for each rule too. Fewer than 10 probes have none, with the reason.
    What a rater counts of a list, such as 15/25, is the category that follows from it; a count of 0 is in no
    kappa, as it may be HALLUCINATED or REFUSED.
    """
    probes = {probe.place: probe for probe in graded.probes}
    if not probes:
        raise InputError("there are no grades", next_step="Name a run that graded at least one probe")
    scores = _by_rater(human, probes)
    if not any(key in probes for of_rater in scores.values() for key in of_rater):
        first, theirs = next(iter(probes)), next(iter(next(iter(scores.values()))))
        raise InputError(
            f"no score belongs to any of the {len(probes)} graded probe(s): the first score is of "
            f"{_named(theirs)}, the first grade of {_named(first)}",
            next_step="Use the names of cases, steps and models as the grades have them",
        )
    return AgreementRecord(
        graded=len(probes),
        ungraded=sum(VALUES[probe.category] is None for probe in probes.values()),
        raters=tuple(_rater(name, of_rater, probes) for name, of_rater in sorted(scores.items())),
        judging=graded.judging or judge_repeats(()),
    )


def _by_rater(
    human: Sequence[HumanScore], probes: Mapping[Key, ProbeRecord]
) -> dict[str, dict[Key, HumanScore]]:
    models, epochs = (sorted({key[position] for key in probes}, key=str) for position in (0, 2))
    by_rater: dict[str, dict[Key, HumanScore]] = {}
    for score in human:
        model = _only("model", score.model, models, score.where)
        epoch = _only("epoch", score.epoch, epochs, score.where)
        scores = by_rater.setdefault(score.rater, {})
        key = (str(model), score.case, int(str(epoch)), score.step)
        if key in scores:
            raise InputError(f"{score.rater!r} scores {_named(key)} a second time", where=score.where)
        scores[key] = score
    return by_rater


def _only(name: str, given: Hashable, choices: Sequence[Hashable], where: str) -> Hashable:
    if given is None and len(choices) > 1:
        raise InputError(
            f"this score does not say of which {name} it is, and there are grades of {len(choices)}: "
            f"{', '.join(map(str, choices))}",
            where=where,
            next_step=f"Give the table a column {name!r}",
        )
    return choices[0] if given is None else given


def _rater(name: str, given: Mapping[Key, HumanScore], probes: Mapping[Key, ProbeRecord]) -> RaterAgreement:
    scores = _categories(given)
    both = [
        (category, probe)
        for key, probe in probes.items()
        if (category := _with_value(scores.get(key))) and _with_value(probe.category)
    ]
    theirs, ours = [category for category, _ in both], [probe.category for _, probe in both]
    return RaterAgreement(
        rater=name,
        scored=sum(score.category is not None or score.count is not None for score in given.values()),
        unscored=sum(_with_value(score.category) is None and score.count is None for score in given.values()),
        **dict(_kappa_of(both)),
        confusion=_confusion(theirs, ours),
        by_rule=tuple(
            RuleKappa(rule=rule, **dict(_kappa_of(group))) for rule, group in _by_rule(both).items()
        ),
        disagreements=tuple(
            Disagreement(**dict(_place(probe.place)), human=category, graded=probe.category)
            for category, probe in both
            if category != probe.category
        ),
        only_human=tuple(_place(key) for key in scores if key not in probes),
        only_graded=tuple(_place(key) for key in probes if key not in scores),
    )


def _categories(scores: Mapping[Key, HumanScore]) -> dict[Key, Category | None]:
    return {key: score.category for key, score in scores.items()}


def _kappa_of(both: Sequence[tuple[Category, ProbeRecord]]) -> Kappa:
    """A rater's categories, first, against the grades."""
    return _kappa(
        [category for category, _ in both],
        [probe.category for _, probe in both],
        [probe.item for _, probe in both],
    )


def _kappa(first: Sequence[Category], second: Sequence[Category], items: Sequence[str]) -> Kappa:
    kappa = kappa_estimate(first, second, items)
    agreement = clustered_rate([a == b for a, b in zip(first, second, strict=True)], items)
    few = f"fewer than {FEWEST} probes" if kappa.value is not None and kappa.n < FEWEST else None
    return Kappa(
        n=kappa.n,
        agreement=agreement.value,
        agreement_ci=agreement.interval,
        kappa=None if few else kappa.value,
        kappa_ci=None if few else kappa.interval,
        reason=few or kappa.reason,
    )


def _confusion(first: Sequence[Category], second: Sequence[Category]) -> dict[Category, dict[Category, int]]:
    """How often which category of the first met which of the second."""
    met = Counter(zip(first, second, strict=True))
    order = [category for category in VALUES if category in {*first, *second}]
    return {a: {b: met[a, b] for b in order} for a in order}


def _by_rule(
    both: Sequence[tuple[Category, ProbeRecord]],
) -> dict[str, list[tuple[Category, ProbeRecord]]]:
    groups: dict[str, list[tuple[Category, ProbeRecord]]] = {}
    for category, probe in both:
        groups.setdefault(probe.rule, []).append((category, probe))
    return {name: groups[name] for name in sorted(groups)}


def _with_value(category: Category | None) -> Category | None:
    """A category that is a score; None of one that says that there is none."""
    return None if category is None or VALUES[category] is None else category


def _place(key: Key) -> ProbePlace:
    model, case, epoch, step = key
    return ProbePlace(model=model, case=case, epoch=epoch, step=step)


def _named(key: Iterable[object]) -> str:
    model, case, epoch, step = key
    return f"{case}/{step} of {model!r} (epoch {epoch})" if model else f"{case}/{step} (epoch {epoch})"
