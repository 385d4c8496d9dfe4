"""What was asked for beside what was sent, and what it took."""

import json

import pytest

from report.contrastive.shown import texts
from report.contrastive.stored_llms import requested, run_record
from tellapart.report.contrastive.llm.parameters import parameter_lines, parameters, usage

SENT = {"temperature": 0, "max_tokens": 500}


def view_with(llm_view_of, asked=None, effective=None, **facts):
    record = run_record()
    llm = {"requested": requested("acme/large", **asked or {}), "effective": effective, **facts}
    return llm_view_of(record=record | {"models": {"acme/large": llm}})


def test_what_was_asked_for_stands_beside_what_was_sent(llm_view):
    found = parameters(llm_view)
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
        "–¹ asked for and not sent",
        "–² not asked for: the client or we ourselves added it",
    ]


@pytest.mark.parametrize(
    ("asked", "effective", "said"),
    [
        ({}, SENT, None),
        ({}, SENT | {"temperature": 0.0}, None),
        (
            {"seed": 7},
            {"max_tokens": 500, "anthropic_version": "2026-10-21"},
            "temperature 0 and seed 7 were asked for but not sent (Anthropic's API of 2026-10-21 takes no "
            "temperature); its answers may differ more from one asking to the next",
        ),
        (
            {"seed": 7},
            SENT | {"anthropic_version": "2026-10-21"},
            "seed 7 was asked for but not sent; its answers may differ more from one asking to the next",
        ),
        (
            {},
            {"temperature": 1, "max_tokens": 400},
            "temperature 0 went out as 1; max_tokens 500 went out as 400; its answers may differ more from "
            "one asking to the next",
        ),
        ({"temperature": None}, {"max_tokens": 400}, "max_tokens 500 went out as 400"),
        ({"response_schema": True}, SENT | {"response_format": "json_schema"}, None),
        ({"response_schema": True}, SENT, "response_schema true was asked for but not sent"),
        ({"reasoning_effort": "low"}, SENT | {"reasoning": {"effort": "low"}}, None),
        # Nothing was sent, or nobody could see it: nothing is claimed.
        ({}, {}, None),
        ({}, {"observable": False}, None),
    ],
)
def test_what_was_not_sent_is_said_in_words(llm_view_of, asked, effective, said):
    view = view_with(llm_view_of, asked, effective)
    assert parameter_lines(view) == ([f"acme/large: {said}."] if said else [])


@pytest.mark.parametrize("effective", [{}, {"observable": False}])
def test_what_nobody_saw_is_undefined(llm_view_of, effective):
    found = parameters(view_with(llm_view_of, effective=effective))
    assert [row[-1] for row in texts(found)] == ["–¹", "–¹"]
    assert found.notes()[-1] == "–¹ nothing was sent, or nothing of it could be watched"


def test_long_values_are_cut(llm_view_of):
    found = parameters(view_with(llm_view_of, effective=SENT | {"stop": "x" * 100}))
    assert texts(found)[-1][-1] == "x" * 59 + "…"


def test_usage_counts_calls_tokens_and_dollars(llm_view):
    assert texts(usage(llm_view)) == [
        ["acme/large", "options", "large-2026-01-05", "31 [3 failed]", "40,000", "3,100", "1.23"],
        ["acme/small", "options", "small", "32", "40,000", "3,000", "–¹"],
    ]
    assert usage(llm_view).notes()[-1] == "–¹ no price was given (--price)"


def test_small_costs_keep_their_digits_and_several_names_are_listed(llm_view_of):
    view = view_with(llm_view_of, effective=SENT, cost=0.0123, served=["a", "b"])
    assert texts(usage(view)) == [["acme/large", "options", "a, b", "–¹", "–¹", "–¹", "0.0123"]]
    assert usage(view).notes()[-1] == "–¹ not in the record"


def test_models_that_wrote_the_summaries_come_first(llm_view_of):
    view = llm_view_of()
    wrote = {"models": {"acme/large": {"requested": requested("acme/large"), "effective": SENT, "calls": 4}}}
    path = view.run.artifacts / "benchmark" / "llm" / "models.json"
    path.parent.mkdir()
    path.write_text(json.dumps(wrote), encoding="utf-8")
    found = [(row[0], row[1], row[3]) for row in texts(usage(view))]
    assert found == [
        ("acme/large", "summaries", "4"),
        ("acme/large", "options", "31 [3 failed]"),
        ("acme/small", "options", "32"),
    ]
