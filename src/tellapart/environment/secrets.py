"""Which values are secret, and how they are taken out of what is printed, logged or kept.

A value is secret if an environment variable has it whose name says so (``OPENAI_API_KEY``, ``HF_TOKEN``), if
it is the user, the password or a key inside an address, in the environment, on the command line or handed to
``remember_address``, or if it was handed to ``remember_secret``. Values are found as they are; messages also
lose what begins as the keys of well-known services do.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

SECRET = "(secret)"
"""What stands in the place of a secret."""

_NAMES = re.compile(
    r"(?:^|_)(?:KEYS?|TOKENS|SECRETS|PASSWD|PASS|PWD|PAT|CREDENTIALS?|AUTH|COOKIES?|JWT|BEARER|DSN|HEADERS)$"
    r"|(?:^|_)(?:APIKEY|SECRET|PASSWORD|PASSPHRASE|TOKEN)(?:_|$)|(?:APIKEY|SECRET|PASSWORD|TOKEN)$"
    r"|API_KEY|ACCESS_KEY|PRIVATE_KEY|CONNECTION_STRING"
)
_NO_SECRETS = re.compile(
    r"(?:^|_)(?:FILE|PATH|DIR|URL|URI|SOCK|LIMIT|COUNT|MAX|MIN|TYPE|TTL|EXPIRY)$|^(?:OLD)?PWD$|^GPG_KEY$"
)
"""Names of what says something about a secret or where it lies; of directories; of who signed an image."""

_WORDS_FOR_NONE = """
anything nothing none null true false enabled disabled required optional unused undefined unspecified default
empty dummy fake test example placeholder changeme password secret token local localhost ollama no-key no_key
not-a-key your-key not-needed not_needed notneeded not-used no-key-required sk-no-key-required
"""
_NO_KEYS = frozenset(_WORDS_FOR_NONE.split())
"""What people write where a server asks for no key, or is told whether there is one."""

_SHORTEST = 4
_SHORTEST_ANYWHERE = 8
"""Characters from which on a value is looked for inside longer words too."""

_SHORTEST_KEY = 12
"""Characters of a value with digits that is no word; one without digits has twice as many."""

_LONG = 16
"""Characters from which on a part of a value is a secret."""

_USER_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@'\"<>?#]+(?=@)")
_KEY_IN_ADDRESS = re.compile(
    r"(?i)(?<=[?&])(?:[\w.-]*(?:api[_-]?key|apikey|token|secret|passw(?:or)?d|signature)|key|sig)="
    r"([^\s&#'\"<>]+)"
)
_PREFIXED = re.compile(
    r"\b(?:sk-|sk_live_|rk_live_|hf_|ghp_|gho_|github_pat_|glpat-|xox[abp]-|AKIA|AIza|npm_|pypi-)[\w-]{16,}"
)

_remembered: set[str] = set()


def remember_secret(value: str | None) -> None:
    """Take a value for secret that no environment variable has, such as a token that lies in a file."""
    if value:
        _remembered.update(_parts_of(value))


def remember_address(address: str | None) -> None:
    """Take what an address holds of users, passwords and keys for secret."""
    if address:
        _remembered.update(_secrets_of_address(address))


@lru_cache(maxsize=4096)
def names_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret, such as ``OPENAI_API_KEY`` or ``MYSQL_PWD``."""
    upper = name.upper().replace("-", "_")
    return bool(_NAMES.search(upper)) and not _NO_SECRETS.search(upper)


def secrets_of(environment: Mapping[str, str], arguments: Iterable[str] = ()) -> frozenset[str]:
    """List the values that are secret."""
    secret: set[str] = set()
    for name, value in environment.items():
        if "://" in value:
            secret.update(_secrets_of_address(value))
        if names_secret(name) and not _is_path(value):
            secret.update(_parts_of(value))
    for argument in arguments:
        if "://" in argument:
            secret.update(_secrets_of_address(argument))
    return frozenset(secret)


def without_secrets(text: str) -> str:
    """Take secrets out of what is said to people or logged: known ones, and keys of well-known services."""
    return _PREFIXED.sub(SECRET, _without(text, _known()))


def without_known_secrets(text: str) -> str:
    """Take the keys that are known here out of a text, and leave all else as it is.

    A password that may be a word, such as ``postgres``, stays: it would take that word out of every answer.
    """
    return _without(text, _keys())


def _keys() -> frozenset[str]:
    return frozenset(filter(_is_key, _known()))


def _known() -> frozenset[str]:
    return secrets_of(os.environ, sys.argv) | _remembered


def _is_key(secret: str) -> bool:
    """Whether a value is nothing that a text could have by itself."""
    if len(secret) < _SHORTEST_KEY or " " in secret:
        return False
    return len(secret) >= 2 * _SHORTEST_KEY or any(map(str.isdigit, secret))


def _without(text: str, secrets: frozenset[str]) -> str:
    long, short = _by_length(secrets)
    for secret in long:
        text = text.replace(secret, SECRET)
    return short.sub(SECRET, text) if short else text


@lru_cache(maxsize=8)
def _by_length(secrets: frozenset[str]) -> tuple[tuple[str, ...], re.Pattern[str] | None]:
    """The longest first; short ones as a pattern that finds them as words alone."""
    ordered = sorted(secrets, key=lambda secret: (-len(secret), secret))
    short = [re.escape(secret) for secret in ordered if len(secret) < _SHORTEST_ANYWHERE]
    words = re.compile(rf"(?<![\w-])(?:{'|'.join(short)})(?![\w-])") if short else None
    return tuple(secret for secret in ordered if len(secret) >= _SHORTEST_ANYWHERE), words


def without_secrets_in(value: Any) -> Any:
    """Take the keys that are known here out of all texts of a JSON value, names of fields too."""
    # Looking through all variables takes longer than looking through a text.
    return _without_in(value, _keys())


def _without_in(value: Any, secrets: frozenset[str]) -> Any:
    if isinstance(value, str):
        return _without(value, secrets)
    if isinstance(value, list | tuple):
        return [_without_in(entry, secrets) for entry in value]
    if isinstance(value, dict):
        return {_without_in(name, secrets): _without_in(entry, secrets) for name, entry in value.items()}
    return value


def _parts_of(value: str) -> Iterator[str]:
    """A value, and what is secret in one that has a form of its own: a key in lines, JSON, headers."""
    value = value.strip()
    if len(value) >= _SHORTEST and value.lower() not in _NO_KEYS and not _is_number(value):
        yield value
    if len(value) > _LONG:
        for part in re.split(r"[\s\"'{},;]+|\\n|(?<=[a-z]):\s*|(?<=[a-z])=(?=.)", value):
            if len(part) >= _LONG and part != value and any(map(str.isdigit, part)):
                yield part


def _is_number(value: str) -> bool:
    """Whether it counts something; a long number may be a secret."""
    return len(value) < _SHORTEST_ANYWHERE and value.isdigit()


def _is_path(value: str) -> bool:
    """Whether it names a file, such as a variable of a name like ``SSH_KEY`` often does."""
    return value.startswith(("/", "~/", "./")) and len(value) < 4096 and Path(value).expanduser().exists()


def _secrets_of_address(text: str) -> Iterator[str]:
    """Users with their passwords, passwords, and keys in the query, as they stand there and as they mean."""
    for match in _USER_IN_ADDRESS.finditer(text):
        user, colon, password = match[0].partition(":")
        if not colon and len(user) < _LONG:
            continue
        secret = password if colon else user
        if len(secret) >= _SHORTEST and secret.lower() not in _NO_KEYS:
            for form in (match[0], secret):
                yield from {form, unquote(form)}
    for key in _KEY_IN_ADDRESS.findall(text):
        if len(key) >= _SHORTEST:
            yield from {key, unquote(key)}
