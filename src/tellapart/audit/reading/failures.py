"""Why an answer has no score, from what a program logged in its place."""

from __future__ import annotations

import re

_SIGNS = (
    ("judge", r"\bgrad(er|ing)\b|\bjudge|\bscor(er|ing)\b"),
    ("timeout", r"time[d ]?\s?-?out|deadline exceeded|time limit"),
    ("refusal", r"refus|content[ _-]?(policy|filter)|moderation|safety"),
    (
        "truncated",
        r"context[ _-](length|window)|too (long|many tokens)|max_tokens|truncat|cancell?ed|interrupt",
    ),
    ("budget", r"budget|quota|billing|insufficient[ _](funds|balance)|credit|(token|cost) limit"),
    ("parse", r"json ?decode|\bpars(e|ing)\b|unexpected token|invalid (json|format|response)"),
)
_PATTERNS = tuple((cause, re.compile(pattern, re.IGNORECASE)) for cause, pattern in _SIGNS)


def cause_of(message: str) -> str:
    """Sort an error message into one of the causes of a missing score.

    The message says which; the first that fits is taken, so that a grader that timed out counts against the
    grader. A rate limit, a lost connection and everything unrecognised count as ``provider``.

    Args:
        message: As it was logged, without the traceback.
    """
    return next((cause for cause, pattern in _PATTERNS if pattern.search(message)), "provider")
