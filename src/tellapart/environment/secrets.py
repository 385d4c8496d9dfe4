"""Which values are secret, and how they are taken out of what is printed, logged or kept.

A value is secret if an environment variable has it whose name says so (``OPENAI_API_KEY``, ``HF_TOKEN``), if
it is a password or a key inside an address, in the environment or on the command line, or if it was handed to
``remember_secret`` or ``remember_address``. Values are found as they are, short ones as whole words; messages
also lose what stands in addresses before an @, and what begins as the keys of well-known services do.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

SECRET = "(secret)"
"""What stands in the place of a secret."""

_NAMES = re.compile(
    r"(?:^|_)(?:KEYS?|TOKENS|SECRETS|PASSWD|PASS|PWD|PAT|CREDENTIALS?|AUTH|COOKIES?|JWT|BEARER|DSN|HEADERS)$"
    r"|(?:^|_)(?:SECRET|PASSWORD|PASSPHRASE|TOKEN)(?:_|$)|(?:APIKEY|SECRET|PASSWORD|TOKEN)$"
    r"|API_KEY|ACCESS_KEY|PRIVATE_KEY|CONNECTION_STRING"
)
_NO_SECRETS = re.compile(
    r"(?:^|_)(?:FILE|PATH|DIR|URL|URI|SOCK|LIMIT|COUNT|MAX|MIN|TYPE|TTL|EXPIRY)$|^(?:OLD)?PWD$|^GPG_KEY$"
)
"""Names of what says something about a secret or where it lies; of directories; of who signed an image."""

_SHORTEST, _LONG = 6, 12
"""Characters of a secret, and of one that no word could contain if it has digits; twice as many without."""

_IN_ANY_TEXT = re.compile(r"[A-Za-z]?[a-z-]*|[A-Z_-]*|[\d.,:/_+-]*")
"""Words, numbers and dates, which texts have by themselves: ``ollama``, ``not-needed``, ``128000``."""

_USER_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@'\"<>?#]+(?=@)")
_KEY_IN_ADDRESS = re.compile(
    r"(?i)(?<=[?&])(?:[\w.-]*(?:api[_-]?key|apikey|token|secret|passw(?:or)?d|signature)|key|sig)="
    r"([^\s&#'\"<>]+)"
)

_remembered: set[str] = set()


def remember_secret(value: str | None) -> None:
    """Take a value for secret that no environment variable has, such as a token that lies in a file."""
    if value and _is_secret(value):
        _remembered.add(value)


def remember_address(address: str | None) -> None:
    """Take passwords and keys in an address for secret."""
    _remembered.update(_secrets_of_address(address or ""))


@lru_cache(maxsize=4096)
def names_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret, such as ``OPENAI_API_KEY`` or ``MYSQL_PWD``."""
    upper = name.upper().replace("-", "_")
    return bool(_NAMES.search(upper)) and not _NO_SECRETS.search(upper)


def secrets_of(environment: Mapping[str, str], arguments: Iterable[str] = ()) -> frozenset[str]:
    """List the values that are secret."""
    secret: set[str] = set()
    for text in (*environment.values(), *arguments):
        if "://" in text:
            secret.update(_secrets_of_address(text))
    for name, value in environment.items():
        if names_secret(name) and not _is_path(value):
            secret.update(filter(_is_secret, [value]))
            # A key may stand in lines, in JSON or in headers, beside words that are none.
            secret.update(filter(_is_long, re.split(r"[\s\"'{},;]+|(?<=[a-z])[:=]", value)))
    return frozenset(secret)


def without_secrets(text: str) -> str:
    """Take secrets out of what is said to people or logged: known ones, and what looks like one."""
    return _prefixed().sub(SECRET, _USER_IN_ADDRESS.sub(_hidden, without_known_secrets(text)))


def without_known_secrets(text: str) -> str:
    """Take the secrets that are known here out of a text, and leave all else as it is."""
    return _without(text, _known())


def without_secrets_in(value: Any) -> Any:
    """Take the secrets that are known here out of all texts of a JSON value, names of fields too."""
    # Looking through all variables takes longer than looking through a text.
    return _without_in(value, _known())


@cache
def secret_forms() -> dict[str, Any]:
    """The table ``secrets.toml``: names of files, and issuers with how their tokens begin and go on."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def _prefixed() -> re.Pattern[str]:
    """What begins as a token of any issuer does."""
    table = secret_forms()
    starts = [*table["masked"], *(start for forms in table["tokens"].values() for start, _ in forms)]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, starts))})[\w-]{{16,}}(?:\.[\w-]{{16,}})?")


def _known() -> re.Pattern[str] | None:
    """The longest first, since one may be a part of another; short ones only where they are whole words."""
    secrets = sorted(secrets_of(os.environ, sys.argv) | _remembered, key=len, reverse=True)
    forms = [
        re.escape(secret) if _is_long(secret) else rf"(?<![\w-]){re.escape(secret)}(?![\w-])"
        for secret in secrets
    ]
    return re.compile("|".join(forms)) if forms else None


def _without(text: str, secrets: re.Pattern[str] | None) -> str:
    return secrets.sub(SECRET, text) if secrets else text


def _without_in(value: Any, secrets: re.Pattern[str] | None) -> Any:
    if isinstance(value, str):
        return _without(value, secrets)
    if isinstance(value, list | tuple):
        return [_without_in(entry, secrets) for entry in value]
    if isinstance(value, dict):
        return {_without_in(name, secrets): _without_in(entry, secrets) for name, entry in value.items()}
    return value


def _hidden(user: re.Match[str]) -> str:
    """What is said for a user and a password in an address; a name alone, such as ``git``, stays."""
    return SECRET if ":" in user[0] else user[0]


def _is_secret(value: str) -> bool:
    """Whether a value is nothing that a text could have by itself, such as ``ollama`` or ``128000``."""
    return len(value) >= (_LONG if _IN_ANY_TEXT.fullmatch(value) else _SHORTEST)


def _is_long(value: str) -> bool:
    """Whether a value is so long that it is no part of a word; see ``_LONG``."""
    return len(value) >= 2 * _LONG or (len(value) >= _LONG and any(map(str.isdigit, value)))


def _is_path(value: str) -> bool:
    """Whether it names a file, as a variable of a name like ``SSH_KEY`` often does."""
    return value.startswith(("/", "~/", "./")) and len(value) < 4096 and Path(value).expanduser().exists()


def _secrets_of_address(text: str) -> Iterator[str]:
    """Passwords, names before an @ that are keys, and keys in the query, as they stand and as they mean."""
    users = [user.partition(":") for user in _USER_IN_ADDRESS.findall(text)]
    parts = [password or name for name, _, password in users if password or _is_long(name)]
    for part in (*parts, *_KEY_IN_ADDRESS.findall(text)):
        yield from {form for form in (part, unquote(part)) if _is_secret(form)}
