"""Planted tables are named as their cause and nothing else, and the cheapest fix, carried out, mends them."""

from collections import Counter

import pytest

from support.planted_tables import plant, try_out
from tellapart.audit.results import Action, Cause

FIXES = {
    Cause.CEILING: (Action.ADD_ITEMS, Action.HARDER_ITEMS),
    Cause.FLOOR: (Action.ADD_ITEMS, Action.EASIER_ITEMS),
    Cause.TOO_FEW_ITEMS: (Action.ADD_ITEMS,),
    Cause.TOO_FEW_SOURCES: (Action.ADD_ITEMS,),
    Cause.REPLICATE_NOISE: (Action.ADD_ITEMS,),
    Cause.GRADER_NOISE: (Action.ADD_ITEMS,),
    Cause.BROKEN_ITEMS: (Action.ADD_ITEMS, Action.DROP_ITEMS),
    Cause.MISSING_DATA: (Action.RERUN_MISSING,),
    Cause.EQUIVALENT: (Action.CHOOSE_OTHERWISE,),
}


@pytest.mark.slow
@pytest.mark.parametrize("cause", list(FIXES))
def test_planted_cause_is_named_alone_and_its_first_fix_settles_it(cause: Cause) -> None:
    trials = [trial for seed in range(100, 120) if (trial := try_out(plant(cause, seed)))]
    assert len(trials) >= 8
    named = [trial for trial in trials if trial.causes == (cause,)]
    assert len(named) >= 0.85 * len(trials)
    actions = Counter(tuple(fix.action for fix in trial.fixes) for trial in named)
    assert actions.most_common(1)[0][0] == FIXES[cause]
    # 80 % is promised of the least gap that matters; these are larger, or none.
    tried = [trial.worked for trial in named if trial.worked is not None]
    assert tried.count(True) >= 0.8 * len(tried)
