"""Files that hold secrets, by their names and by what is in them; `environment.secrets` lists both.

Such a file is withheld as a whole. A header of a private key without a key is no secret, and neither is a
placeholder in the form of a token.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache
from typing import Any

from tellapart.environment.secrets import secret_forms

_PRIVATE_KEY = re.compile(
    # Between the header and the key there may be lines such as Proc-Type; a string writes its line ends out.
    rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:(?:(?!-----)[^\0]){0,300}?[^A-Za-z0-9+/])?([A-Za-z0-9+/]{40,})"
)
_PLACEHOLDER = re.compile(rb"example|placeholder|redacted|changeme|dummy|xxxx|0000000|1234567", re.IGNORECASE)
_FEWEST_CHARACTERS = 8  # Different ones in a token; one of fewer is a placeholder


def secret_by_name(name: str) -> str | None:
    """Why a file of this name is withheld, or None."""
    secret, allowed = _names()
    folded = name.casefold().rstrip(". ")
    return "is called like a secret" if secret.match(folded) and not allowed.match(folded) else None


def secret_by_content(data: bytes) -> str | None:
    """What secret a file holds, such as ``a private key``, or None."""
    if b"PRIVATE KEY" in data and any(map(_is_real, _PRIVATE_KEY.finditer(data))):
        return "a private key"
    for issuer, beginning, form in _tokens():
        if beginning in data and any(map(_is_real, form.finditer(data))):
            return f"a token of {issuer}"
    return None


def without_secret_texts(value: Any) -> tuple[Any, int]:
    """What somebody wrote, such as a program's log, without each text in it that holds a key or a token."""
    if isinstance(value, str):
        what = secret_by_content(value.encode("utf-8", "replace"))
        return (f"(withheld: {what})", 1) if what else (value, 0)
    if isinstance(value, list | tuple):
        shown = [without_secret_texts(item) for item in value]
        return [item for item, _ in shown], sum(count for _, count in shown)
    if isinstance(value, dict):
        pairs = [(without_secret_texts(name), without_secret_texts(item)) for name, item in value.items()]
        return {name: item for (name, _), (item, _) in pairs}, sum(n + m for (_, n), (_, m) in pairs)
    return value, 0


def _is_real(match: re.Match[bytes]) -> bool:
    return len(set(match[1])) >= _FEWEST_CHARACTERS and not _PLACEHOLDER.search(match[1])


@cache
def _names() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = secret_forms()
    secret, allowed = (re.compile("|".join(map(translate, table[key]))) for key in ("names", "allowed"))
    return secret, allowed


@cache
def _tokens() -> tuple[tuple[str, bytes, re.Pattern[bytes]], ...]:
    return tuple(
        (issuer, start.encode(), re.compile(rf"(?<![A-Za-z0-9]){re.escape(start)}({form})(?!\w)".encode()))
        for issuer, forms in secret_forms()["tokens"].items()
        for start, form in forms
    )
