"""What was requested beside what was sent, and what it took."""

import pytest

from contrastive.page.shown import texts
from tellapart.report.model_parameters import parameter_lines, parameters, usage

SENT = {"temperature": 0, "max_tokens": 500}


def requested(name, **changes):
    asked = {"model": name, "base_url": None, "temperature": 0.0, "max_tokens": 500, "seed": None}
    return asked | {"reasoning_effort": None, "response_schema": False} | changes


LARGE = {
    "requested": requested("acme/large", seed=7, anthropic_version="2026-10-21"),
    "effective": {"max_tokens": 500, "anthropic_version": "2026-10-21", "service_tier": "auto"},
    "served": ["large-2026-01-05"],
    "calls": 31,
    "failed_calls": 3,
    "input_tokens": 40_000,
    "output_tokens": 3_100,
    "cost": 1.234,
}
SMALL = {
    "requested": requested("acme/small"),
    "effective": {"temperature": 0.0, "max_completion_tokens": 500},
    "served": ["small"],
    "calls": 32,
    "failed_calls": 0,
    "input_tokens": 40_000,
    "output_tokens": 3_000,
    "cost": None,
}
BOTH = [("acme/large", "options", LARGE), ("acme/small", "options", SMALL)]


def one_with(asked=None, effective=None, **facts):
    llm = {"requested": requested("acme/large", **asked or {}), "effective": effective, **facts}
    return [("acme/large", "options", llm)]


def test_what_was_asked_for_stands_beside_what_was_sent():
    found = parameters(BOTH)
    assert texts(found) == [
        ["acme/large", "options", "temperature", "0", "–¹"],
        ["acme/large", "options", "max_tokens", "500", "500"],
        ["acme/large", "options", "seed", "7", "–¹"],
        ["acme/large", "options", "anthropic_version", "2026-10-21", "2026-10-21"],
        ["acme/large", "options", "service_tier", "–²", "auto"],
        ["acme/small", "options", "temperature", "0", "0"],
        # Some providers call it max_completion_tokens.
        ["acme/small", "options", "max_tokens", "500", "500"],
    ]
    assert found.notes()[1:] == [
        "–¹ requested but not sent",
        "–² not requested: added by the client or by tellapart",
    ]


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


@pytest.mark.parametrize("effective", [{}, {"observable": False}])
def test_what_nobody_saw_is_undefined(effective):
    found = parameters(one_with(effective=effective))
    assert [row[-1] for row in texts(found)] == ["–¹", "–¹"]
    assert found.notes()[-1] == "–¹ nothing was sent, or it could not be observed"


def test_usage_counts_calls_tokens_and_dollars():
    assert texts(usage(BOTH)) == [
        ["acme/large", "options", "large-2026-01-05", "31 [3 failed]", "40,000", "3,100", "1.23"],
        ["acme/small", "options", "small", "32", "40,000", "3,000", "–¹"],
    ]
    assert usage(BOTH).notes()[-1] == "–¹ no price was given (--price)"
