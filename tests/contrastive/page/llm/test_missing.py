"""Missing is not wrong: counted by cause and kind, with bounds."""

import polars as pl

from contrastive.page.stored_llms import scores_of
from tellapart.core.comparison import Verdict, compare
from tellapart.core.scores import ScoreTable


def test_missing_askings_withhold_a_verdict_though_every_item_has_a_score():
    # Of 40 items that both answered a is right on 30 and b on 20; half of a's askings are missing, so that at
    # worst it is right as often as on 15 of them.
    rows = [
        {"model": model, "item": f"easy/{i}", "level": "easy", "path": f"{i}.py", "replicate": replicate}
        | {"correct": None if lost else float(i < right), "missing": "provider" if lost else None}
        for model, right in (("a", 30), ("b", 20))
        for i in range(40)
        for replicate, lost in ((0, False), (1, model == "a"))
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    (pair,) = compare(ScoreTable.from_frame(scores_of(frame))).primary.pairs
    assert (pair.n, pair.difference, pair.p_adjusted < 0.05) == (40, 0.25, True)
    assert pair.verdict is Verdict.WITHHELD
