"""Which fixes go with which causes, the cheapest first."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tellapart.audit.evidence import Evidence
from tellapart.audit.fixes.answers import add_replicates, repeat_grading, rerun_missing, with_answers
from tellapart.audit.fixes.drop import drop_items
from tellapart.audit.fixes.kinds import best_kind
from tellapart.audit.fixes.more_items import add_items, add_items_like, first_items, other_items, use_stratum
from tellapart.audit.noise import noise_in
from tellapart.audit.pairs import Action, Cause, Fix, Pair, Why
from tellapart.audit.planning import plan_for
from tellapart.audit.wording import plain
from tellapart.core.comparison import Verdict

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


def prescribe(pair: Pair, why: tuple[Why, ...], evidence: Evidence) -> tuple[Fix, ...]:
    """Give what would separate a pair, or settle that it is equivalent.

    Args:
        pair: With its verdict.
        why: Its causes, as `tellapart.audit.causes.explain` gives them.
        evidence: The same.

    Returns:
        The cheapest first: by new items, which somebody has to write; among equals by the answers (or
        gradings) that must be got anew, and then by trouble. Nothing for a pair that is separated.
    """
    causes = {reason.cause for reason in why}
    if not causes:
        return ()
    if Cause.EQUIVALENT in causes:
        return (_choose_otherwise(pair, evidence),)
    found = [with_answers(fix, pair, evidence) for fix in _fixes(pair, causes, evidence)]
    return tuple(sorted(found, key=_cost))


def _cost(fix: Fix) -> tuple[int, float, int]:
    answers = math.inf if fix.cost_answers is None else fix.cost_answers
    return fix.cost_items, answers, _LEAST_TROUBLE.index(fix.action)


def _fixes(pair: Pair, causes: set[Cause], evidence: Evidence) -> Iterator[Fix]:
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


def _choose_otherwise(pair: Pair, evidence: Evidence) -> Fix:
    least = plain(evidence.options.sesoi)
    return Fix(
        Action.CHOOSE_OTHERWISE,
        0,
        0,
        f"Choose between {pair.a} and {pair.b} by something else, such as price or speed; more items would "
        f"only show again that they differ by less than {least}.",
        cost_answers=0,
    )
