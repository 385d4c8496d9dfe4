"""Relevant files: known, ours, estimated."""

from tellapart.codesearch.page import completeness
from tellapart.codesearch.page.charts import completeness_chart


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
