"""Why a call or a sample failed, by the words that providers and harnesses use for it."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_GROUPS = tomllib.loads(files("tellapart.core").joinpath("failure_phrases.toml").read_text("utf-8"))["group"]
_PHRASES = [
    (group["cause"], group.get("kind"), re.compile("|".join(group["phrases"]), re.IGNORECASE))
    for group in _GROUPS
]
_STATUS = re.compile(
    r"^\s*(\d{3})\b|\b(?:error code|status(?:[ _]code)?|http)\b[\"' :=]*(\d{3})\b", re.IGNORECASE
)
_BY_STATUS = {"402": "budget", "408": "timeout", "413": "truncated", "429": "provider", "504": "timeout"}


def cause_of(message: str) -> str:
    """Sort an error message into one of the causes of a missing score.

    A status that says it all comes first, then phrases, of which the first that occurs counts: a grader that
    timed out counts against the grader. What is not known counts as ``provider``.
    """
    by_phrase = next((cause for cause, _, phrases in _PHRASES if phrases.search(message)), "provider")
    status = _STATUS.search(message)
    if status is None or by_phrase in ("judge", "budget"):
        return by_phrase
    return _BY_STATUS.get(status[1] or status[2], by_phrase)


def is_too_long(message: str) -> bool:
    """Whether a provider says that a prompt is longer than its model takes."""
    return any(kind == "context_length" and phrases.search(message) for _, kind, phrases in _PHRASES)
