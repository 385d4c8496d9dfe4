"""Which fixes go with which causes: those that promise something first, the cheapest of them before all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from tellapart.audit.evidence import (
    Evidence,
    PairNoise,
    Plan,
    SideBySide,
    backward_items,
    more_answers,
    more_gradings,
    noise_in,
    plan_for,
)
from tellapart.audit.results import Action, Cause, Fix, Why
from tellapart.core.comparison import PairComparison, Verdict
from tellapart.core.comparison.judge import MORE_LABELS, levers
from tellapart.report.comparison import about
from tellapart.report.numbers import chance_of, listed, plural, whole_percent

LASTING = ("refusal", "infeasible", "rules cannot tell")
"""Causes of missing scores that asking again does not mend."""

_UNPROMISED = (
    Action.CHOOSE_OTHERWISE,
    Action.HARDER_ITEMS,
    Action.EASIER_ITEMS,
    Action.DROP_ITEMS,
    Action.RERUN_MISSING,
)
"""In the order in which they are given, behind what promises to settle the pair."""


def recommend(pair: PairComparison, why: tuple[Why, ...], evidence: Evidence) -> tuple[Fix, ...]:
    """Give what would settle a pair."""
    causes = {reason.cause for reason in why}
    fixes = [_with_answers(fix, pair, evidence) for fix in _fixes(pair, causes, evidence)] if causes else []
    return tuple(sorted(fixes, key=_cost))


def _cost(fix: Fix) -> tuple[int, float]:
    if fix.action in _UNPROMISED:
        return 1 + _UNPROMISED.index(fix.action), 0.0
    return 0, math.inf if fix.cost_answers is None else fix.cost_answers


def _fixes(pair: PairComparison, causes: set[Cause], evidence: Evidence) -> Iterator[Fix]:
    if Cause.EQUIVALENT in causes:
        yield _choose_otherwise(pair, evidence)
        return
    lacking = causes & {Cause.MISSING_DATA, Cause.NO_SCORES}
    if lacking:
        yield from _rerun_missing(pair, evidence)
    if pair.verdict is not Verdict.NOT_SEPARATED:
        yield from _other_items(causes)
        return
    if evidence.grid.human is not None:
        yield from _label_more(pair, evidence)
    seen, plan = evidence.of(pair), plan_for(pair, evidence)
    if pair.p is None and evidence.grid.human is not None:
        return
    if seen.parts is None or pair.p is None:
        if not lacking:
            yield _first_items(pair)
        return
    if Cause.BROKEN_ITEMS in causes:
        yield from _drop_items(pair, evidence)
    yield from _ask_again(noise_in(seen.parts, plan.design_effect), plan, causes)
    yield from _other_items(causes)
    yield _add_items(pair, seen, plan)


def _settle(plan: Plan) -> str:
    evidence = plan.evidence
    least, power = evidence.scale.size(evidence.options.least), whole_percent(evidence.options.power)
    condition = "" if plan.least else " if no score were missing"
    return (
        f"would settle {least}{condition}: find such a difference, or show that there is none, with {power} "
        "power"
    )


def _likely(chance: float) -> str:
    return f"the chance that the two separate is then {chance_of(chance)}"


def _first_items(pair: PairComparison) -> Fix:
    """Ask for what a plan takes at least: two items that both have scores on, from two sources."""
    if pair.n > 1:
        cost, what = 1, "1 item from another source"
    else:
        cost = 2 - pair.n
        what = plural(cost, "further item") + (", the same ones" if cost > 1 else "")
    text = f"Give {pair.a} and {pair.b} at least {what}; only then can the number be estimated."
    return Fix(action=Action.ADD_ITEMS, cost_items=cost, text=text)


def _add_items(pair: PairComparison, seen: SideBySide, plan: Plan) -> Fix:
    """Add items like those that there are, from new sources where they share some."""
    needed = plan.items()
    if needed is None or needed <= pair.n:
        return _choose_otherwise(pair, plan.evidence)
    extra, what = needed - pair.n, ""
    if pair.clusters < pair.n:
        sources = math.ceil(extra * pair.clusters / pair.n)
        what = f" from {about(sources)} new source{'' if sources == 1 else 's'}"
    fewer = plan.items(complete=True) if plan.least < plan.evidence.options.least else None
    rest = f" ({about(fewer)} with no score missing)" if fewer and fewer < needed else ""
    chance, items = plan.chance(needed), f"+{about(extra)} items like these{what}"
    text = f"{items}, about {about(needed)} in all{rest}, {_settle(plan)}; {_likely(chance)}."
    return Fix(action=Action.ADD_ITEMS, cost_items=extra, chance=chance, text=text)


def _label_more(pair: PairComparison, evidence: Evidence) -> Iterator[Fix]:
    """Label more of the items that there are."""
    labels = evidence.labels(pair)
    more = MORE_LABELS[0] if labels is None else min(MORE_LABELS[0], labels.n - labels.labelled)
    if not more:
        return
    text = f"Label {more:,} more items"
    if labels is not None:
        now, then = (levers(labels, labels.n, labels.labelled + extra).half_width for extra in (0, more))
        size = evidence.scale.size
        text += f": the 95 % interval would be about ±{size(then)}, in place of ±{size(now)}"
    yield Fix(action=Action.LABEL_MORE, cost_answers=2 * more, text=f"{text}.")


def _ask_again(noise: PairNoise, plan: Plan, causes: set[Cause]) -> Iterator[Fix]:
    """Repeat gradings or answers, so often that the luck of a single one averages out."""
    if not causes & {Cause.GRADER_NOISE, Cause.REPLICATE_NOISE}:
        return
    settle = f"{_settle(plan)}, without new items"
    gradings, answers = more_gradings(noise, plan, plan.n), more_answers(noise, plan, plan.n)
    if gradings is not None:
        chance = plan.chance(plan.n, noise.with_more(gradings=gradings) / plan.design_effect)
        text = f"Grade every answer again: {plural(gradings, 'more grading')} per answer {settle} or answers"
        text += f"; so would a more consistent grader; {_likely(chance)}."
        yield Fix(action=Action.REPEAT_GRADING, cost_replicates=gradings, chance=chance, text=text)
    if answers is not None:
        chance = plan.chance(plan.n, noise.with_more(answers=answers) / plan.design_effect)
        text = f"Ask every item again: {plural(answers, 'more answer')} per item and model {settle}"
        yield Fix(
            action=Action.ADD_REPLICATES,
            cost_replicates=answers,
            chance=chance,
            text=f"{text}; {_likely(chance)}.",
        )


def _other_items(causes: set[Cause]) -> Iterator[Fix]:
    """Write harder items for models at the ceiling, easier ones for models at the floor."""
    tells = (
        "An item that about half of the answers get right tells most; how many it takes is not known before."
    )
    if Cause.CEILING in causes:
        yield Fix(action=Action.HARDER_ITEMS, text=f"Write harder items. {tells}")
    if Cause.FLOOR in causes:
        yield Fix(action=Action.EASIER_ITEMS, text=f"Write easier items. {tells}")


def _drop_items(pair: PairComparison, evidence: Evidence) -> Iterator[Fix]:
    """Check the items that rank the other models backwards; the fix has their ids."""
    if not (found := backward_items(pair, evidence)):
        return
    items, _ = found
    keys, rank, them = ("keys of these", "rank", "them") if len(items) > 1 else ("key of this", "ranks", "it")
    text = (
        f"Check the answer {keys} {plural(len(items), 'item')}, which {rank} models backwards: "
        f"{listed(items, most=3)}. Whether the two separate without {them} is for new items to say."
    )
    yield Fix(action=Action.DROP_ITEMS, text=text, items=items)


def _rerun_missing(pair: PairComparison, evidence: Evidence) -> Iterator[Fix]:
    """Ask again for the scores that are missing: one more answer (or grading) of each of those items."""
    missing = {model: Counter(evidence.grid.missing[model]) for model in (pair.a, pair.b)}
    again = {
        model: {cause: n for cause, n in causes.items() if cause not in LASTING}
        for model, causes in missing.items()
    }
    total = sum(sum(causes.values()) for causes in again.values())
    lasting = {cause: n for cause in LASTING if (n := sum(causes[cause] for causes in missing.values()))}
    if not total:
        return
    counts = [
        f"{sum(causes.values()):,} of {model} ({', '.join(f'{n:,} {cause}' for cause, n in causes.items())})"
        for model, causes in again.items()
        if causes
    ]
    text = f"Ask again for the {plural(total, 'missing score')}: {' and '.join(counts)}."
    if lasting:
        staying = listed([f"{n:,} {cause}" for cause, n in lasting.items()])
        text += f" {sum(lasting.values()):,} more ({staying}) would stay missing."
    yield Fix(action=Action.RERUN_MISSING, cost_replicates=1, text=text, cost_answers=total)


def _choose_otherwise(pair: PairComparison, evidence: Evidence) -> Fix:
    least = evidence.scale.size(evidence.options.least)
    reason = (
        f"more items would only confirm that they differ by less than {least}"
        if pair.verdict is Verdict.EQUIVALENT
        else f"there are as many items as usually settle {least}, and the two are about as far apart"
    )
    return Fix(
        action=Action.CHOOSE_OTHERWISE,
        text=f"Choose between {pair.a} and {pair.b} by something else, such as price or speed: {reason}.",
        cost_answers=0,
    )


def _with_answers(fix: Fix, pair: PairComparison, evidence: Evidence) -> Fix:
    """Count what a fix takes in all, of both models and every item: answers, each as often graded as now.

    New items get as many answers as the present ones; one, where there are none.
    """
    if fix.cost_answers is not None or fix.action in _UNPROMISED:
        return fix
    a, b = evidence.rows[pair.a], evidence.rows[pair.b]
    there = int(evidence.shared_answers[a, b] + evidence.shared_answers[b, a])
    parts = evidence.of(pair).parts
    graded = max(1.0, (parts.a.gradings + parts.b.gradings) / 2) if parts else 1.0
    if fix.action is Action.ADD_REPLICATES:
        total = 2 * fix.cost_replicates * pair.n * graded
    elif fix.action is Action.REPEAT_GRADING:
        total = float(fix.cost_replicates * there)
    else:
        total = fix.cost_items * there * graded / pair.n if pair.n else 2.0 * fix.cost_items
    return fix.model_copy(update={"cost_answers": math.ceil(total)})
