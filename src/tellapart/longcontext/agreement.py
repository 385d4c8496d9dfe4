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
"""Probes below which kappa says nothing."""

_NEEDED = ("case", "step", "score")
_COLUMNS = (*_NEEDED, "model", "epoch", "rater")
_CATEGORIES: tuple[Category, ...] = get_args(Category)

Place = tuple[str, str, int, str]
"""Model, case, epoch and step."""


@dataclass(frozen=True)
class HumanScore:
    """One score; model and epoch are None where the table does not say, and the category of an empty cell."""

    rater: str
    case: str
    step: str
    category: Category | None
    model: str | None
    epoch: int | None
    where: str


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
    epoch, written = cells["epoch"], re.sub(r"[\s-]+", "_", cells["score"]).upper()
    if epoch and not epoch.isdecimal():
        raise InputError(f"the epoch {epoch!r} is not a whole number of at least 0", where=where)
    category = next((category for category in _CATEGORIES if category == written), None)
    if written and category is None:
        what = f"the score {cells['score']!r} is no category"
        raise InputError(what, where=where, next_step=near_match(written, _CATEGORIES))
    return HumanScore(
        *(cells["rater"] or "human", cells["case"], cells["step"], category, cells["model"] or None),
        *(int(epoch) if epoch else None, where),
    )


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


class RaterAgreement(Record):
    """How far one rater agrees with the grades: how often, and how much more often than by chance (kappa).

    Of ``n`` probes that both scored; intervals are of 95 %, clustered on the question. ``confusion`` counts
    which category of the rater met which grade. ``without_grade`` are the probes that the rater scored and
    the grading could not grade.
    """

    rater: str
    n: int
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    reason: str | None
    confusion: dict[Category, dict[Category, int]]
    disagreements: tuple[Disagreement, ...]
    without_grade: tuple[ProbePlace, ...]
    only_human: tuple[ProbePlace, ...]
    only_graded: tuple[ProbePlace, ...]


class AgreementRecord(Record):
    """How far grades agree with people; ``ungraded`` probes and empty scores are in no figure."""

    graded: int
    ungraded: int
    raters: tuple[RaterAgreement, ...]
    judging: JudgeRepeats


def agreement_record(graded: GradingRecord, human: Sequence[HumanScore]) -> AgreementRecord:
    """Compare grades with the scores of people.

    Kappa is Cohen's, unweighted, over all categories, with an interval that is clustered on the question:
    the same question asked eight times is one item. Fewer than 10 probes have none, with the reason. A probe
    without a grade (ERROR, EVAL_ERROR) is in no figure.
    """
    probes = {probe.place: probe for probe in graded.probes}
    if not probes:
        raise InputError("there are no grades", next_step="Name a run that graded at least one probe")
    by_rater: dict[str, dict[Place, Category | None]] = {}
    for score in human:
        place = _place_of(score, list(probes))
        theirs = by_rater.setdefault(score.rater, {})
        if place in theirs:
            raise InputError(
                f"{score.rater!r} scores {score.case}/{score.step} of {place[0]!r} (epoch {place[2]}) a "
                "second time",
                where=score.where,
                next_step="Tell them apart by 'model', 'epoch' or 'rater'",
            )
        theirs[place] = score.category
    if not any(place in probes for theirs in by_rater.values() for place in theirs):
        first = next(iter(probes.values()))
        raise InputError(
            f"no score belongs to any of the {len(probes)} graded probe(s), such as {first.case}/"
            f"{first.step_id} of {first.model!r}",
            next_step="Use the names of cases, steps and models as the grades have them",
        )
    return AgreementRecord(
        graded=len(probes),
        ungraded=sum(VALUES[probe.category] is None for probe in probes.values()),
        raters=tuple(_rater(name, theirs, probes) for name, theirs in sorted(by_rater.items())),
        judging=graded.judging or judge_repeats(()),
    )


def _place_of(score: HumanScore, places: Sequence[Place]) -> Place:
    """The probe that is scored; model and epoch may be left out where there is only one."""
    models = sorted({model for model, *_ in places})
    epochs = sorted({epoch for _, _, epoch, _ in places})
    for name, given, choices in (("model", score.model, models), ("epoch", score.epoch, epochs)):
        if given is None and len(choices) > 1:
            raise InputError(
                f"this score does not say of which {name} it is, and there are grades of {len(choices)}: "
                f"{', '.join(map(str, choices))}",
                where=score.where,
                next_step=f"Give the table a column {name!r}",
            )
    epoch = epochs[0] if score.epoch is None else score.epoch
    return score.model or models[0], score.case, epoch, score.step


def _rater(
    name: str, theirs: Mapping[Place, Category | None], probes: Mapping[Place, ProbeRecord]
) -> RaterAgreement:
    scored = [
        (category, probe)
        for place, probe in probes.items()
        if (category := theirs.get(place)) and VALUES[category] is not None
    ]
    both = [(category, probe) for category, probe in scored if VALUES[probe.category] is not None]
    without = [probe for _, probe in scored if VALUES[probe.category] is None]
    pairs = [(category, probe.category) for category, probe in both]
    items = [probe.item for _, probe in both]
    kappa = kappa_estimate([a for a, _ in pairs], [b for _, b in pairs], items)
    agreement = clustered_rate([a == b for a, b in pairs], items)
    reason, few = kappa.reason, kappa.value is not None and kappa.n < FEWEST
    if few:
        reason = f"fewer than {FEWEST} probes"
    elif without and not both:
        reason = "nothing that was scored has a grade"
    met = Counter(pairs)
    order = [category for category in VALUES if any(category in pair for pair in pairs)]
    return RaterAgreement(
        rater=name,
        n=kappa.n,
        agreement=agreement.value,
        agreement_ci=agreement.interval,
        kappa=None if few else kappa.value,
        kappa_ci=None if few else kappa.interval,
        reason=reason,
        confusion={a: {b: met[a, b] for b in order} for a in order},
        disagreements=tuple(
            Disagreement(**_named(probe.place), human=category, graded=probe.category)
            for category, probe in both
            if category != probe.category
        ),
        without_grade=tuple(ProbePlace(**_named(probe.place)) for probe in without),
        only_human=tuple(ProbePlace(**_named(place)) for place in theirs if place not in probes),
        only_graded=tuple(ProbePlace(**_named(place)) for place in probes if place not in theirs),
    )


def _named(place: Place) -> dict[str, Any]:
    return dict(zip(("model", "case", "epoch", "step"), place, strict=True))
