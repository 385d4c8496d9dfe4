from tellapart.codesearch.page import completeness


def test_without_an_estimate_the_table_says_why(stored, viewed):
    none = {"value": None, "low": None, "high": None, "standard_error": None, "reason": "no shared file"}
    told = stored["metrics"]["completeness"]
    told["estimate"], told["coverage"] = none, {"value": None, "low": None, "high": None}
    told["recall"] |= {"value": None, "bounds": [None, None], "low": None, "high": None}
    view = viewed(stored)
    assert "–¹ no shared file" in completeness.estimates(view.metrics.completeness).notes()
