import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from contrastive.fakes import ScriptedMatcher, make_benchmark, make_unit, make_units
from tellapart.contrastive.answers import answer, score_rows
from tellapart.contrastive.llm_matching import Ordering, OrderPlan, llm_rows, match_questions, shown_items
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.llm.questions import Answer, Failure

NAMES = [f"f{i:02}" for i in range(12)]
UNITS = [*make_units(*NAMES[:6]), *make_units(*NAMES[6:], path="b.go", language="go", kind="method")]
TEXTS = [(name, "gpt", f"about {name}") for name in NAMES]


def make(targets=NAMES, texts=TEXTS, levels=(("easy", 4), ("hard", 9))):
    sets = [
        (level, name, [other for other in NAMES if other != name][:count])
        for level, count in levels
        for name in targets
    ]
    return make_benchmark(UNITS, texts, sets)


def ordering(order, confidence=0.5):
    return Ordering(order=order, selected=order[0], confidence=confidence, reasoning="")


def rows_of(benchmark, answers, plan=OrderPlan(), source="gpt"):  # noqa: B008
    shown = match_questions(benchmark, source, plan).things
    return llm_rows(benchmark, shown, answers, model="m", matcher="offline/x", source=source)


def answered(benchmark, reply, plan=OrderPlan(), source="gpt"):  # noqa: B008
    """An answer to every question: ``reply`` is given what is shown."""
    answers = {}
    for shown in match_questions(benchmark, source, plan).things:
        said = reply(shown)
        value, failure = (None, said) if isinstance(said, Failure) else (ordering(said), None)
        answers[shown.id] = Answer(shown.id, value, failure)
    return answers


def test_figures_by_hand():
    benchmark = make(targets=NAMES[:1], levels=[("easy", 4)])
    (shown,) = shown_items(benchmark)
    others = [slot for slot in range(1, 6) if slot != shown.slot]
    id = shown.id
    order = [*others[:2], shown.slot, *others[2:]]
    answer = Answer(id, ordering(order, 0.7), None, repaired=True)
    (row,) = rows_of(benchmark, {id: answer}).to_dicts()
    asked = {"model": "m", "matcher": "offline/x", "source": "gpt"}
    facts = {**asked, "item": f"easy/{UNITS[0].id}", "options": 5}
    figures = {"correct": 0, "top3": 1, "rank": 3, "ties": 0, "expected_rank": 3, "reciprocal_rank": 1 / 3}
    picks = {"best_distractor": shown.units[others[0] - 1], "slot": shown.slot, "picked_slot": others[0]}
    expected = (
        facts | figures | picks | {"margin": None, "missing": None, "confidence": 0.7, "repaired": True}
    )
    assert expected.items() <= row.items()


def shuffled(shown):
    seed = sum(map(ord, shown.item)) + 31 * shown.order + 7 * shown.repeat
    return [int(slot) for slot in np.random.default_rng(seed).permutation(len(shown.units)) + 1]


PLAN = OrderPlan(orders=3, repeats=2)


def with_causes(benchmark, causes):
    counts = {"summaries_missing": {"gpt": {f"a.py::{name}#00000000": why for name, why in causes.items()}}}
    return replace(benchmark, header=benchmark.header.model_copy(update={"counts": counts}))


def test_an_item_without_a_summary_is_not_asked_and_missing_by_why_there_is_none():
    benchmark = with_causes(
        make(texts=TEXTS[3:], levels=[("easy", 4)]), {"f01": "refusal", "f02": "truncated"}
    )
    assert len(match_questions(benchmark, "gpt", PLAN)) == 9 * 6
    rows = rows_of(benchmark, answered(benchmark, shuffled, PLAN), PLAN)
    assert rows.filter(pl.col("missing").is_not_null()).select(
        "target", "replicate", "order", "missing", "failure", "rank"
    ).rows() == [
        (i, 0, None, why, None, None) for i, why in enumerate(["infeasible", "refusal", "truncated"])
    ]
    assert rows["item"].unique(maintain_order=True).to_list() == benchmark.sets["item"].to_list()


def test_replicates_are_answers_in_the_score_table_beside_a_matcher_with_one():
    benchmark = make()
    lost = Failure("parse", "schema", "")
    answers = answered(benchmark, lambda shown: lost if shown.repeat else sorted(shuffled(shown)), PLAN)
    matcher = ScriptedMatcher(lambda query, document: float(query.split()[-1] in document), "bm25")
    beside = answer(benchmark, matcher, controls=())[0].with_columns(model=pl.lit("bm25"))
    table = ScoreTable.from_frame(score_rows(pl.concat([beside, rows_of(benchmark, answers, PLAN)])))
    grid = score_grid(table)
    assert grid.models == ("bm25", "m")
    assert set(grid.answers[0]) == {1}
    assert set(grid.answers[1]) == {3}
    assert grid.missing == {"bm25": {}, "m": {"parse": 3 * 24}}
    # Always in the order shown: the target's rank is its slot, in each of three orders.
    ranks = [
        sum(1 / s.slot for s in shown_items(benchmark, OrderPlan(3)) if s.item == item) for item in grid.items
    ]
    assert grid.scores[1] * 3 == pytest.approx(ranks)
    assert grid.low[1] * 6 == pytest.approx(ranks)
    assert grid.high[1] * 6 == pytest.approx([n + 3 for n in ranks])


def test_the_options_are_shown_cut_and_in_their_order():
    long = make_unit("f00", content="def f00():\n" + "    x = 1\n" * 300)
    benchmark = replace(make(levels=[("easy", 4)]), units=[long, *UNITS[1:]])
    (question, *_), (shown, *_) = match_questions(benchmark, "gpt"), shown_items(benchmark)
    assert question.prompt.count("    x = 1\n") == (1500 - 11 - 8) // 10
    found = re.findall(r"def (f\d\d)\(\)", question.prompt)
    assert found == [benchmark.units[unit].name for unit in shown.units]
