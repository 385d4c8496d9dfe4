"""How far grades agree with people, whose scores are a table: that of ``grade --to-label``, or their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from tellapart.core.record import Record
from tellapart.core.stats import clustered_rate, kappa_estimate
from tellapart.errors import InputError, near_match
from tellapart.files import read_text
from tellapart.files.tables import delimited_rows
from tellapart.longcontext.grades import VALUES, Category
from tellapart.longcontext.grading_record import judge_repeats
from tellapart.longcontext.results import GradingRecord, JudgeRepeats, ProbeRecord

FEWEST = 10
"""Probes below which kappa says nothing, of all together as of those of one rule."""

_NEEDED = ("case", "step", "score")
_COLUMNS = (*_NEEDED, "model", "epoch", "rater")
_CATEGORIES: tuple[Category, ...] = get_args(Category)
_COUNT = re.compile(r"(\d+)\s*/\s*(\d+)(?:\s+correct)?", re.I)

Place = tuple[str, str, int, str]
"""Model, case, epoch and step."""


@dataclass(frozen=True)
class HumanScore:
    """One score; model and epoch are None where the table does not say.

    Attributes:
        category: None where the cell is empty. Of a count that of a list: CORRECT of all entries, PARTIAL of
            some, and None of no entry, which may be HALLUCINATED or REFUSED.
        where: File and line, for messages.
        count: Entries of a list that are right, and entries that there are; None where it is not a count.
    """

    rater: str
    case: str
    step: str
    category: Category | None
    model: str | None
    epoch: int | None
    where: str
    count: tuple[int, int] | None = None


def read_human_scores(path: Path) -> list[HumanScore]:
    """Read the scores, parted by commas, semicolons or tabs; columns in any order, others are not read."""
    lines = read_text(path).split("\n")
    rows = delimited_rows(lines, max(",;\t", key=lines[0].count), path)
    columns = [name.strip().lower() for name in next(rows, (1, list[str]()))[1]]
    # The sheet of grade --to-label.
    columns = ["score" if name == "human" and "score" not in columns else name for name in columns]
    for name in _COLUMNS:
        if columns.count(name) > 1:
            raise InputError(f"there are two columns {name!r}", where=f"{path}:1", next_step="Rename one")
        if name in _NEEDED and name not in columns:
            hint = near_match(name, filter(None, columns)) if any(columns) else "It is empty"
            raise InputError(f"there is no column {name!r}", where=f"{path}:1", next_step=hint)
    scores = [_score(dict(zip(columns, row, strict=False)), f"{path}:{line}") for line, row in rows]
    if not scores:
        raise InputError("there is no score in this table", where=path)
    return scores


def _score(row: Mapping[str, str], where: str) -> HumanScore:
    cells = {name: row.get(name, "").strip() for name in _COLUMNS}
    for name in _NEEDED:
        if name not in row or (name != "score" and not cells[name]):
            raise InputError(f"this row has no {name}", where=where)
    epoch, text = cells["epoch"], cells["score"]
    if epoch and not epoch.isdecimal():
        raise InputError(f"the epoch {epoch!r} is not a whole number of at least 0", where=where)
    name, count = re.sub(r"[\s-]+", "_", text).upper(), None
    if match := _COUNT.fullmatch(text):
        count = (int(match[1]), int(match[2]))
        name = "" if not count[0] else "CORRECT" if count[0] == count[1] else "PARTIAL"
    if (name and name not in _CATEGORIES) or (count and not 0 < count[1] >= count[0]):
        raise InputError(
            f"the score {text!r} is neither a category nor a count of right entries such as 15/25",
            where=where,
            next_step="Write how many are right of how many" if count else near_match(name, _CATEGORIES),
        )
    return HumanScore(
        *(cells["rater"] or "human", cells["case"], cells["step"]),
        next((category for category in _CATEGORIES if category == name), None),
        cells["model"] or None,
        int(epoch) if epoch else None,
        where,
        count,
    )


class Kappa(Record):
    """How often two raters give the same category, and how much more often than by chance (Cohen's kappa).

    Of ``n`` probes that both scored; intervals are of 95 %, clustered on the question. ``rule`` is the kind
    of probe that it is about; None of all.
    """

    rule: str | None
    n: int
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    reason: str | None


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


class RaterAgreement(Kappa):
    """How far one rater agrees with the grades.

    ``confusion`` counts which category of the rater met which grade. Categories of several rules never meet,
    which helps kappa over all, so there is kappa ``by_rule``. ``without_grade`` are the probes that the rater
    scored and the grading could not grade.
    """

    rater: str
    scored: int
    unscored: int
    confusion: dict[Category, dict[Category, int]]
    by_rule: tuple[Kappa, ...]
    disagreements: tuple[Disagreement, ...]
    without_grade: tuple[ProbePlace, ...]
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
    scores = _by_rater(human, list(probes))
    theirs = [place for of_rater in scores.values() for place in of_rater]
    if probes.keys().isdisjoint(theirs):
        raise InputError(
            f"no score belongs to any of the {len(probes)} graded probe(s): the first score is of "
            f"{_named(theirs[0])}, the first grade of {_named(next(iter(probes)))}",
            next_step="Use the names of cases, steps and models as the grades have them",
        )
    return AgreementRecord(
        graded=len(probes),
        ungraded=sum(VALUES[probe.category] is None for probe in probes.values()),
        raters=tuple(_rater(name, of_rater, probes) for name, of_rater in sorted(scores.items())),
        judging=graded.judging or judge_repeats(()),
    )


def _by_rater(human: Sequence[HumanScore], places: Sequence[Place]) -> dict[str, dict[Place, HumanScore]]:
    models = sorted({model for model, *_ in places})
    epochs = sorted({epoch for _, _, epoch, _ in places})
    by_rater: dict[str, dict[Place, HumanScore]] = {}
    for score in human:
        for name, given, choices in (("model", score.model, models), ("epoch", score.epoch, epochs)):
            if given is None and len(choices) > 1:
                raise InputError(
                    f"this score does not say of which {name} it is, and there are grades of {len(choices)}: "
                    f"{', '.join(map(str, choices))}",
                    where=score.where,
                    next_step=f"Give the table a column {name!r}",
                )
        epoch = epochs[0] if score.epoch is None else score.epoch
        place = (score.model or models[0], score.case, epoch, score.step)
        scores = by_rater.setdefault(score.rater, {})
        if place in scores:
            raise InputError(
                f"{score.rater!r} scores {_named(place)} a second time",
                where=score.where,
                next_step=f"The first is at {scores[place].where}: keep one, or name 'rater'",
            )
        scores[place] = score
    return by_rater


def _rater(
    name: str, scores: Mapping[Place, HumanScore], probes: Mapping[Place, ProbeRecord]
) -> RaterAgreement:
    scored = [
        (category, probe)
        for place, probe in probes.items()
        if place in scores and (category := scores[place].category) and VALUES[category] is not None
    ]
    both = [(category, probe) for category, probe in scored if VALUES[probe.category] is not None]
    without = [probe for _, probe in scored if VALUES[probe.category] is None]
    return RaterAgreement(
        **_kappa(both, ungraded=len(without)),
        rater=name,
        scored=sum(score.category is not None or score.count is not None for score in scores.values()),
        unscored=sum(
            score.count is None and (score.category is None or VALUES[score.category] is None)
            for score in scores.values()
        ),
        confusion=_confusion(both),
        by_rule=tuple(
            Kappa(**_kappa([pair for pair in both if pair[1].rule == rule], rule=rule))
            for rule in sorted({probe.rule for _, probe in both})
        ),
        disagreements=tuple(
            Disagreement(**_place(probe.place), human=category, graded=probe.category)
            for category, probe in both
            if category != probe.category
        ),
        without_grade=tuple(ProbePlace(**_place(probe.place)) for probe in without),
        only_human=tuple(ProbePlace(**_place(place)) for place in scores if place not in probes),
        only_graded=tuple(ProbePlace(**_place(place)) for place in probes if place not in scores),
    )


def _kappa(
    both: Sequence[tuple[Category, ProbeRecord]], rule: str | None = None, ungraded: int = 0
) -> dict[str, Any]:
    """The fields of ``Kappa``: a rater's categories with the probes, and how many more have no grade."""
    theirs, ours = [category for category, _ in both], [probe.category for _, probe in both]
    items = [probe.item for _, probe in both]
    kappa = kappa_estimate(theirs, ours, items)
    agreement = clustered_rate([a == b for a, b in zip(theirs, ours, strict=True)], items)
    reason, few = kappa.reason, kappa.value is not None and kappa.n < FEWEST
    if few:
        reason = f"fewer than {FEWEST} probes"
    elif not both and ungraded:
        reason = "nothing that was scored has a grade"
    return {
        "rule": rule,
        "n": kappa.n,
        "agreement": agreement.value,
        "agreement_ci": agreement.interval,
        "kappa": None if few else kappa.value,
        "kappa_ci": None if few else kappa.interval,
        "reason": reason,
    }


def _confusion(both: Sequence[tuple[Category, ProbeRecord]]) -> dict[Category, dict[Category, int]]:
    """How often which category of the rater met which grade."""
    met = Counter((category, probe.category) for category, probe in both)
    order = [category for category in VALUES if any(category in pair for pair in met)]
    return {a: {b: met[a, b] for b in order} for a in order}


def _place(place: Place) -> dict[str, Any]:
    return dict(zip(("model", "case", "epoch", "step"), place, strict=True))


def _named(place: Place) -> str:
    model, case, epoch, step = place
    return f"{case}/{step} of {model!r} (epoch {epoch})" if model else f"{case}/{step} (epoch {epoch})"
