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


_WORDS = r"(api |http |internal |server |provider )?(error|exception|failure|timeout|timed out)"
_FAILED = re.compile(
    rf"{_WORDS}( code)?( *[:(\[].*| \d{{3}}\b.*)?|\w+(error|exception|timeout)\b.*|traceback \(most recent.*|"
    r"crashed|aborted|cancell?ed|fail(ed)?|refus(ed|al)",
    re.DOTALL,
)
_A_FAILURE = re.compile(
    r"\b(errors?|err|exception|fail(ed|ure)?|time(d )?out|timeout|crashed|aborted|refused|traceback)\b"
)
_OF_HTTP = re.compile(r"\b(status|code|http)\b")
LONGEST = 40
"""In characters: a cell with more is a text, and says a failure only if it begins as errors do."""


def says_failure(name: str, cell: str) -> bool:
    """Whether a cell says that a call failed; the column's name and it in small letters, as words.

    It begins as errors do; it is short, and of words that only failed calls have; it is a status from 400 on;
    or it is true of what is called a failure.
    """
    if cell in ("true", "yes", "1"):
        return _A_FAILURE.search(name) is not None
    if cell.isdecimal():
        return _OF_HTTP.search(name) is not None and 400 <= int(cell) < 600
    is_known = len(cell) <= LONGEST and any(phrases.search(cell) for _, _, phrases in _PHRASES)
    return is_known or _FAILED.fullmatch(cell) is not None


def is_too_long(message: str) -> bool:
    """Whether a provider says that a prompt is longer than its model takes."""
    return any(kind == "context_length" and phrases.search(message) for _, kind, phrases in _PHRASES)


_NO_MONEY = ("insufficient_quota", "credit balance is too low", "insufficient balance")


def refused_call(status: int | None, detail: str, key_variable: str | None) -> tuple[str, str] | None:
    """Say why a provider would turn down every further call as well.

    That is: a key that is refused (401), an account that cannot pay (402, or a quota that is used up), an
    access that is not granted (403), a model or an address that is not there (404).
    """
    detail = detail.lower()
    set_key = f"et {key_variable} to a key that" if key_variable else "ive it a key that"
    begin = "S" if key_variable else "G"
    if status == 402 or (status in (400, 403, 429) and any(words in detail for words in _NO_MONEY)):
        return "has no credit left", f"Add credit, or {begin.lower()}{set_key} has some"
    if status == 401:
        return "does not accept the key", f"{begin}{set_key} it accepts"
    if status == 403:
        return "does not allow this", f"{begin}{set_key} may use this model"
    if status == 404:
        return "does not know this model", "Check the model's name, and the base URL if you gave one"
    return None
