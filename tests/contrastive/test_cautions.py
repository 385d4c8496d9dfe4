"""What else than the models could be behind a verdict."""

import polars as pl
import pytest

from tellapart.contrastive.cautions import cautions
from tellapart.contrastive.figures import ControlResult, Report
from tellapart.contrastive.llm_figures import WrittenSummaries
from tellapart.core.comparison import compare, judge_chance
from tellapart.core.estimate import Interval
from tellapart.core.scores import ScoreTable


def control(value, low, high):
    ends = {"interval": (low, high), "interval_90": (low, high)}
    outcome = judge_chance(Interval(low, high), 0.1, 0.02)
    facts = {"value": value, "chance": 0.1, "ratio": value / 0.1, "n": 400, "by_level": {}}
    return ControlResult(outcome=outcome, **facts, **ends)


def report(shuffled=None, **summaries):
    written = {
        writer: WrittenSummaries(n=10, missing={}, names_leaked=leaked, mean_characters=40.0)
        for writer, leaked in summaries.items()
    }
    return Report.model_construct(controls={"shuffled": shuffled or {}}, summaries=written)


def compared(**right):
    """Models that answer the first so many of 40 items in as many files."""
    rows = [
        {"model": model, "item": str(i), "score": float(i < n)}
        for model, n in right.items()
        for i in range(40)
    ]
    return compare(ScoreTable.from_frame(pl.DataFrame(rows)))


def items(matchers, sources):
    return pl.DataFrame({"model": ["a", "b"], "matcher": matchers, "source": sources})


TWO_WRITERS = items(["bm25", "bm25"], ["first", "second"])


@pytest.mark.parametrize(
    ("leaked", "right", "is_cautioned"),
    [
        # a leads by 30 points; 3 of 10 summaries leak.
        ((3, 0), (30, 18), True),
        # By more than leaks could give.
        ((2, 0), (30, 18), False),
        # The one that is behind leaks as much, or more.
        ((3, 3), (30, 18), False),
        ((0, 3), (30, 18), False),
        # Nobody leads: one item of 40 is noise.
        ((9, 0), (19, 18), False),
    ],
)
def test_a_lead_that_leaks_could_explain_is_cautioned(leaked, right, is_cautioned):
    first, second = leaked
    found = cautions(report(first=first, second=second), compared(a=right[0], b=right[1]), TWO_WRITERS)
    expected = (
        f"{first} of 10 summaries by first name the unit, {second} of 10 by second: a lead of up to 30.0 "
        "points could come from that alone."
    )
    assert found == ((expected,) if is_cautioned else ())


def test_a_control_off_chance_is_cautioned_with_its_distance_and_the_margin():
    shuffled = {"a": control(0.04, 0.03, 0.06), "b": control(0.1, 0.08, 0.12), "c": control(0.2, 0.16, 0.25)}
    assert cautions(report(shuffled), None, TWO_WRITERS) == (
        "Given another unit's summary, a model must score within 20 % of chance. These do not: "
        "a 60 % below chance, c 100 % above chance.",
    )


def test_a_rest_within_the_margin_and_one_that_is_unclear_are_not():
    shuffled = {"a": control(0.085, 0.075, 0.095), "b": control(0.06, 0.03, 0.09)}
    assert cautions(report(shuffled), None, TWO_WRITERS) == ()
