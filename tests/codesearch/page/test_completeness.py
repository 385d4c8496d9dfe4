"""Relevant files: known, ours, estimated."""

from tellapart.codesearch.page import completeness
from tellapart.codesearch.page.charts import completeness_chart
from tellapart.codesearch.results.metrics import PopulationEstimate


def test_what_we_found_is_counted_where_there_is_an_estimate(view):
    # feed, join, late, twice: 2 + 2 + 3 + 3 known files; pin_model and mail by the judge, style of twice
    # has no verdict.
    found = completeness.our_relevant_files(view)
    assert (found.known, found.alone, found.unjudged, found.all) == (10, 2, 1, 12)
    assert view.metrics.completeness.conversations == 4


def test_a_file_of_a_run_that_a_judge_rejects_is_not_relevant(stored, viewed):
    rejected = {"file": "shop/pins.py", "relevant": False, "actionable": "no", "reasoning": "no"}
    stored["conversations"][0]["our_unique_judgments"].append(rejected)
    assert completeness.our_relevant_files(viewed(stored)).known == 9


def test_the_chart_says_when_more_is_known_than_estimated(view):
    assert completeness_chart(view).title == (
        "13 files are known to be relevant, more than the 12 that the explorations predict; they know 11, "
        "and we found 12 (92 % to 93 %) and 1 without a verdict"
    )


def test_the_chart_says_how_many_there_are(stored, viewed):
    stored["metrics"]["completeness"]["estimate"] |= {"value": 44.0, "low": 30.0, "high": None}
    stored["metrics"]["completeness"]["coverage"] = {"value": 0.25, "low": 0.0, "high": 0.37}
    assert completeness_chart(viewed(stored)).title.startswith(
        "About 44 files are relevant (30 or more with 95 % confidence); the explorations know 11 of them "
        "(25 %, 95 % interval 0 % to 37 %), "
    )


def test_without_an_estimate_there_is_no_chart_and_the_table_says_why(stored, viewed):
    none = {"value": None, "low": None, "high": None, "standard_error": None, "reason": "no shared file"}
    told = stored["metrics"]["completeness"]
    told["estimate"], told["coverage"] = none, {"value": None, "low": None, "high": None}
    told["recall"] |= {"value": None, "bounds": [None, None], "low": None, "high": None}
    view = viewed(stored)
    assert completeness_chart(view) is None
    assert "–¹ no shared file" in completeness.estimates(view.metrics.completeness).notes()


def test_an_interval_without_an_end():
    estimate = PopulationEstimate(value=12.4, low=9.6, high=None)
    assert completeness.files(estimate).detail == "≥10"
    assert completeness.files(estimate.model_copy(update={"high": 1999.5})).detail == "10–2,000"
