"""What was requested beside what was sent, and what it took."""

import pytest

from tellapart.report.model_parameters import parameter_lines

SENT = {"temperature": 0, "max_tokens": 500}


def requested(name, **changes):
    asked = {"model": name, "base_url": None, "temperature": 0.0, "max_tokens": 500, "seed": None}
    return asked | {"reasoning_effort": None, "response_schema": False} | changes


def one_with(asked=None, effective=None, **facts):
    llm = {"requested": requested("acme/large", **asked or {}), "effective": effective, **facts}
    return [("acme/large", "options", llm)]


@pytest.mark.parametrize(
    ("asked", "effective", "said"),
    [
        ({}, SENT, None),
        ({}, SENT | {"temperature": 0.0}, None),
        (
            {"seed": 7},
            {"max_tokens": 500, "anthropic_version": "2026-10-21"},
            "temperature 0 was requested but not sent; seed 7 was requested but not sent",
        ),
        (
            {"seed": 7},
            SENT | {"anthropic_version": "2026-10-21"},
            "seed 7 was requested but not sent",
        ),
        (
            {},
            {"temperature": 1, "max_tokens": 400},
            "temperature 0 went out as 1; max_tokens 500 went out as 400",
        ),
        ({"temperature": None}, {"max_tokens": 400}, "max_tokens 500 went out as 400"),
        ({"response_schema": True}, SENT | {"response_format": "json_schema"}, None),
        ({"response_schema": True}, SENT, "response_schema true was requested but not sent"),
        ({"reasoning_effort": "low"}, SENT | {"reasoning": {"effort": "low"}}, None),
        # Nothing was sent, or nobody could see it: nothing is claimed.
        ({}, {}, None),
        ({}, {"observable": False}, None),
    ],
)
def test_what_was_not_sent_is_said_in_words(asked, effective, said):
    models = one_with(asked, effective)
    assert parameter_lines(models) == ([f"acme/large: {said}."] if said else [])
