"""Failures that other pipelines recorded in words alone.

A judge that failed is recorded as a verdict, "not relevant", whose reasoning says what happened. Only forms
that speak of the judging itself are taken for failures: "Error: rate limit" is one, "Error handling of the
scheduler, not related" is a verdict on a file.
"""

from __future__ import annotations

import re

from tellapart.codesearch.failed import RECORDED, Failed

_JUDGE = (
    r"(the )?((relevance|llm|model|claude) )?(judge|judge?ment|judging|evaluation|evaluator|verdict)"
    r"( model| call| request)?"
)
_CALL = (
    r"(api|http|network|connection|provider|model|llm|cli|claude|openai|anthropic|server|request|subprocess|"
    r"json|parse|parsing)( \w+)?"
)
_EXCEPTION = (
    r"((runtime|value|key|type|timeout|connection|jsondecode|api\w*|ratelimit|os|attribute)?error|exception)"
)
_NO_TIME = (
    r"((request|call) )?(timed? ?out|rate.?limit(ed)?( exceeded| reached)?|overloaded|too many requests|"
    r"service unavailable|internal server error|bad gateway)"
)
_END = r"(?=\W*$|\s*[:(\[])"
_FORMS = (
    rf"{_JUDGE} (has )?(failed|errored|crashed|timed out|(was )?skipped|failure|error|timeout|unavailable)\b",
    rf"{_JUDGE} (did not|didn't|gave no|returned (no|nothing|an? error|an? empty))\b",
    r"(failed to|unable to|not able to|was unable to|could not|couldn't|cannot) (evaluate|judge|assess)\b",
    r"(could not|couldn't|cannot) be (evaluated|judged|assessed)\b",
    r"(failed|unable) to (parse|decode|read|get|obtain|fetch) (the |a |any )?"
    r"(judge|response|reply|json|llm|model|output|verdict|evaluation)",
    rf"no (judge?ment|verdict|evaluation|response|reply|answer)({_END}| (was |is )?(given|returned|available|"
    r"received|made|provided)| from the (judge|model|llm))",
    r"(not|never) (judged|evaluated|assessed)\b",
    rf"{_CALL} (error|exception|failure|failed|timeout)({_END}| (code )?\d)",
    rf"(\w+\.)*{_EXCEPTION}{_END}",
    r"traceback \(most recent",
    rf"{_NO_TIME}({_END}| (after|while) )",
)
_FAILED_JUDGE = re.compile("|".join(_FORMS), re.IGNORECASE)
_TIME_OUT = re.compile(r"\btimed?[ -]?out\b|timeout|deadline exceeded", re.IGNORECASE)


def judge_failed(reasoning: str) -> bool:
    """Whether a reasoning says that the judge failed, rather than what a file is about."""
    return _FAILED_JUDGE.match(reasoning.strip().lstrip("[(*<\"'- ")) is not None


def recorded_failure(message: str) -> Failed:
    """What a run's recorded error is: a time-out where it says so, else the provider's."""
    return Failed("timeout" if _TIME_OUT.search(message) else "provider", RECORDED, message)
