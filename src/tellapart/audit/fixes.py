"""Which fixes go with which causes, the cheapest first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from tellapart.audit.broken_items import backward_items
from tellapart.audit.evidence import Evidence
from tellapart.audit.more_items import (
    add_items,
    add_items_like,
    best_kind,
    first_items,
    other_items,
    use_stratum,
)
from tellapart.audit.noise import PairNoise, more_answers, more_gradings, noise_in
from tellapart.audit.planning import Plan, plan_for
from tellapart.audit.results import Action, Cause, Fix, Why
from tellapart.core.comparison import PairComparison, Verdict
from tellapart.report.numbers import listed, plain, plural, whole_percent


def drop_items(pair: PairComparison, evidence: Evidence) -> list[Fix]:
    """Drop the items that rank the other models backwards; the fix has their ids."""
    backward = backward_items(pair, evidence)
    if backward is None:
        return []
    ahead, behind = (pair.a, pair.b) if backward.difference > 0 else (pair.b, pair.a)
    many = len(backward.items) > 1
    text = (
        f"Check the answer {'keys of these' if many else 'key of this'} "
        f"{plural(len(backward.items), 'item')}, which {'rank' if many else 'ranks'} models backwards, "
        f"or drop {'them' if many else 'it'}: {listed(backward.items, most=3)}. On the other "
        f"{plural(backward.n, 'item')} {ahead} is ahead of {behind} by "
        f"{evidence.scale.size(backward.difference)} (p = {plain(backward.p)})."
    )
    return [Fix(action=Action.DROP_ITEMS, text=text, items=backward.items)]


LASTING = ("refusal", "infeasible", "rules cannot tell")
"""Causes of missing scores that asking again does not mend."""


def add_replicates(pair: PairComparison, noise: PairNoise, plan: Plan) -> list[Fix]:
    """Ask the same items again, so often that the luck of the single answer averages out."""
    more = more_answers(noise, plan, pair.n)
    if more is None:
        return []
    text = (
        f"Ask every item again: {plural(more, 'more answer')} per item and model would {plan.outcome(pair)}, "
        f"without new items; only {whole_percent(1 - noise.share)} of the variance of their difference is "
        "between items."
    )
    return [Fix(action=Action.ADD_REPLICATES, cost_replicates=more, text=text)]


def repeat_grading(pair: PairComparison, noise: PairNoise, plan: Plan) -> list[Fix]:
    """Grade the same answers again, so often that the luck of the grader averages out."""
    more = more_gradings(noise, plan, pair.n)
    if more is None:
        return []
    text = (
        f"Grade every answer again: {plural(more, 'more grading')} per answer would {plan.outcome(pair)}, "
        "without new items or answers; so would a more consistent grader."
    )
    return [Fix(action=Action.REPEAT_GRADING, cost_replicates=more, text=text)]


def rerun_missing(pair: PairComparison, evidence: Evidence) -> list[Fix]:
    """Ask again for the scores that are missing.

    It costs one more answer (or grading) of those items whose score is missing; ``cost_answers`` counts them.
    """
    missing = {model: Counter(evidence.grid.missing[model]) for model in (pair.a, pair.b)}
    again = {
        model: {cause: n for cause, n in causes.items() if cause not in LASTING}
        for model, causes in missing.items()
    }
    total = sum(sum(causes.values()) for causes in again.values())
    lasting = {cause: n for cause in LASTING if (n := sum(causes[cause] for causes in missing.values()))}
    if not total:
        return []
    counts = [
        f"{sum(causes.values()):,} of {model} ({', '.join(f'{n:,} {cause}' for cause, n in causes.items())})"
        for model, causes in again.items()
        if causes
    ]
    text = f"Ask again for the {plural(total, 'missing score')}: {' and '.join(counts)}."
    if lasting:
        kept = listed([f"{n:,} {cause}" for cause, n in lasting.items()])
        text += f" {sum(lasting.values()):,} more ({kept}) would stay missing."
    return [Fix(action=Action.RERUN_MISSING, cost_replicates=1, text=text, cost_answers=total)]


def with_answers(fix: Fix, pair: PairComparison, evidence: Evidence) -> Fix:
    """Count the answers, or gradings, that a fix takes in all, of both models and every item.

    New items get as many answers as the present ones; one, where there are none.
    """
    if fix.cost_answers is not None:
        return fix
    a, b = evidence.rows[pair.a], evidence.rows[pair.b]
    there = int(evidence.shared_answers[a, b] + evidence.shared_answers[b, a])
    if fix.action is Action.ADD_REPLICATES:
        total = 2 * fix.cost_replicates * pair.n
    elif fix.action is Action.REPEAT_GRADING:
        total = fix.cost_replicates * there
    else:
        total = -(-fix.cost_items * there // pair.n) if pair.n else 2 * fix.cost_items
    return fix.model_copy(update={"cost_answers": total})


_LEAST_TROUBLE = (
    Action.CHOOSE_OTHERWISE,
    Action.DROP_ITEMS,
    Action.RERUN_MISSING,
    Action.REPEAT_GRADING,
    Action.ADD_REPLICATES,
    Action.USE_STRATUM,
    Action.ADD_ITEMS,
    Action.HARDER_ITEMS,
    Action.EASIER_ITEMS,
)


def recommend(pair: PairComparison, why: tuple[Why, ...], evidence: Evidence) -> tuple[Fix, ...]:
    """Give what would separate a pair, or settle that it is equivalent."""
    causes = {reason.cause for reason in why}
    if not causes:
        return ()
    if Cause.EQUIVALENT in causes:
        return (_choose_otherwise(pair, evidence),)
    fixes = [with_answers(fix, pair, evidence) for fix in _fixes(pair, causes, evidence)]
    return tuple(sorted(fixes, key=_cost))


def _cost(fix: Fix) -> tuple[int, float, int]:
    answers = math.inf if fix.cost_answers is None else fix.cost_answers
    return fix.cost_items, answers, _LEAST_TROUBLE.index(fix.action)


def _fixes(pair: PairComparison, causes: set[Cause], evidence: Evidence) -> Iterator[Fix]:
    lacking = causes & {Cause.MISSING_DATA, Cause.NO_SCORES}
    if lacking:
        yield from rerun_missing(pair, evidence)
    if pair.verdict is Verdict.WITHHELD:
        return
    seen, plan = evidence.of(pair), plan_for(pair, evidence)
    if seen.parts is None or pair.p is None:
        if not lacking:
            yield first_items(pair)
        return
    if Cause.BROKEN_ITEMS in causes:
        yield from drop_items(pair, evidence)
    if causes & {Cause.GRADER_NOISE, Cause.REPLICATE_NOISE}:
        noise = noise_in(seen.parts, plan.design_effect)
        yield from repeat_grading(pair, noise, plan)
        yield from add_replicates(pair, noise, plan)
    if causes & {Cause.CEILING, Cause.FLOOR}:
        yield from other_items(pair, seen, plan, evidence)
        if plan.settles:
            # More items of that kind could only show that they cannot tell the two apart.
            return
    kind = best_kind(seen, plan, evidence.kind_levels)
    yield from use_stratum(pair, plan, kind)
    yield from add_items_like(pair, seen, plan, kind) or add_items(pair, seen, plan, evidence.grid.limits)


def _choose_otherwise(pair: PairComparison, evidence: Evidence) -> Fix:
    least = evidence.scale.size(evidence.options.least)
    return Fix(
        action=Action.CHOOSE_OTHERWISE,
        text=f"Choose between {pair.a} and {pair.b} by something else, such as price or speed: more items "
        f"would only confirm that they differ by less than {least}.",
        cost_answers=0,
    )
