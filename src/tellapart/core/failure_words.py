"""Why a call or a sample failed, by the words that providers and harnesses use for it."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import polars as pl

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


_KNOWN = "(?i)" + "|".join(phrases.pattern for _, _, phrases in _PHRASES)
_BEGINS = (
    r"(?is)^((api |http |internal |server |provider )?(error|exception|failure|timeout|timed out)( code)?"
    r"( *[:(\[].*| \d{3}\b.*)?|\w+(error|exception|timeout)\b.*|traceback \(most recent.*|"
    r"crashed|aborted|cancell?ed)$"
)
_A_FAILURE = re.compile(r"\b(errors?|err|exception|time(d )?out|timeout|crashed|aborted|traceback)\b")
_OF_HTTP = re.compile(r"\b(status|code|http)\b")
_LONGEST = 40
"""In characters: a cell with more is a text, and says a failure only if it begins as errors do."""


def failed_calls(name: str, cells: pl.Series) -> pl.Series:
    """Which cells of text say that a call failed; the name of their column is in small letters, as words.

    It begins as errors do; it is short, and of words that only failed calls have; it is a status from 400 on;
    or it is true of what is called an error. ``failed`` and ``refused`` are words for wrong answers as well.
    """
    cells = cells.str.replace_all("_", " ", literal=True)
    says = cells.str.contains(_BEGINS) | ((cells.str.len_chars() <= _LONGEST) & cells.str.contains(_KNOWN))
    if _A_FAILURE.search(name):
        says |= cells.str.contains(r"(?i)^(true|yes|1(\.0)?)$")
    if _OF_HTTP.search(name):
        says |= cells.str.contains(r"^[45]\d\d(\.0)?$")
    return says.fill_null(False)


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
