"""Missing is not wrong: counted by cause and kind, with bounds."""

import polars as pl

from contrastive.page.shown import texts
from contrastive.page.stored_llms import scores_of
from tellapart.contrastive.page import tables
from tellapart.contrastive.page.llm_tables import causes
from tellapart.core.comparison import Verdict, compare
from tellapart.core.scores import ScoreTable


def test_accuracy_stands_beside_what_is_missing_and_its_bounds(llm_view):
    found = tables.accuracy_by_level(llm_view)
    assert texts(found)[2:4] == [
        [
            "acme/large",
            "50.0 [15.0–85.0; 2 missing; [43.8–56.2]]",
            "25.0 [5.0–70.0; 2 missing; [18.8–31.2]]",
        ],
        ["acme/small", "100.0 [51.0–100.0]", "100.0 [44.0–100.0; 4 missing; [75.0–100.0]]"],
    ]
    assert found.note.endswith("accuracy if all of them were wrong, and if all were right.")


def test_causes_have_a_row_a_kind(llm_view):
    # Of 32 askings each.
    assert texts(causes(llm_view)) == [
        ["acme/large", "provider", "rate limit, 429", "2", "6.2"],
        ["acme/large", "parse", "no JSON in the reply", "1", "3.1"],
        ["acme/large", "provider", "server error, 5xx", "1", "3.1"],
        ["acme/small", "refusal", "declined to answer", "4", "12.5"],
    ]


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
