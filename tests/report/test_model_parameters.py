"""What was requested beside what was sent."""

import pytest

from tellapart.report.model_parameters import not_as_requested, parameters

REQUESTED = {"model": "acme/large", "base_url": None, "temperature": 0.0, "max_tokens": 500, "seed": None}
NOT_SENT, UNSEEN = "requested but not sent", "nothing was sent, or it could not be observed"
ADDED = "not requested: added by the client or by tellapart"


@pytest.mark.parametrize(
    ("requested", "effective", "shown", "said"),
    [
        (
            {},
            {"temperature": 1, "max_tokens": 400},
            [("temperature", "0", "1"), ("max_tokens", "500", "400")],
            "temperature 0 went out as 1; max_tokens 500 went out as 400",
        ),
        (
            {"seed": 7, "response_schema": True},
            {"max_completion_tokens": 500, "response_format": "json_schema", "version": "2026-10-21"},
            [
                ("temperature", "0", NOT_SENT),
                ("max_tokens", "500", "500"),
                ("seed", "7", NOT_SENT),
                ("response_schema", "true", "json_schema"),
                ("version", ADDED, "2026-10-21"),
            ],
            "temperature 0 was requested but not sent; seed 7 was requested but not sent",
        ),
        # Nothing was sent, or nobody could see it: nothing is claimed.
        ({}, {"observable": False}, [("temperature", "0", UNSEEN), ("max_tokens", "500", UNSEEN)], ""),
    ],
)
def test_each_parameter_stands_as_it_was_requested_beside_what_was_sent(requested, effective, shown, said):
    asked = [("acme/large", "options", {"requested": REQUESTED | requested, "effective": effective})]
    rows = [[cell.reason or cell.text for cell in row[2:]] for row in parameters(asked).rows]
    assert rows == [list(row) for row in shown]
    assert not_as_requested(asked) == ([f"acme/large: {said}."] if said else [])
