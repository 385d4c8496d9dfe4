"""Whether a response says that it does not know: whole phrases of refusal, from ``refusals.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files

from tellapart.longcontext.values.text import folded

LONGEST = 8_000
"""Characters of a response that are read."""

# A phrase within what somebody else says, asks or supposes is no refusal.
_SUBORDINATE = re.compile(r"\b(?:if|unless|said|says|told|wrote|asked)\b[^.!?\n]*$")
_SENTENCE = re.compile(r"(?<=[.!?。।؟])\s*|\n+")


@cache
def _patterns() -> re.Pattern[str]:
    table = tomllib.loads(files(__package__).joinpath("refusals.toml").read_text("utf-8"))
    words = table.pop("open")
    phrases = [
        phrase if phrase.isascii() else folded(phrase)
        for language in table.values()
        for phrase in language["phrases"]
    ]
    joined = "|".join(f"(?:{phrase})" for phrase in phrases)
    for name, alternatives in words.items():
        joined = joined.replace(f"{{{name}}}", alternatives)
    return re.compile(joined.replace("(?:~ )?", r"(?:\w+ ){0,3}?"))


@lru_cache(maxsize=8192)
def refuses(text: str) -> bool:
    """Whether a response says in the main clause of a sentence that it does not know or was not told."""
    for sentence in _SENTENCE.split(text[:LONGEST]):
        plain = re.sub(r"[*_\"“”]", "", folded(sentence)).strip()
        for match in _patterns().finditer(plain):
            if not _SUBORDINATE.search(plain[: match.start()]):
                return True
    return False
