"""Which values are secret, and how they are taken out of what is printed, logged or kept.

A value is secret if an environment variable has it whose name says so (``OPENAI_API_KEY``, ``HF_TOKEN``), if
it is the user, the password or a key inside an address, in the environment, on the command line or handed to
``remember_address``, or if it was handed to ``remember_secret``. A provider may repeat what it was sent in
other forms: those of an address, of JSON and of HTTP's basic authentication are found too, and so are the
ends of a key that was cut or masked, such as ``sk-…abcd``.
"""

from __future__ import annotations

import os
import re
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote

SECRET = "(secret)"
"""What stands in the place of a secret."""

_LAST_WORDS = frozenset(
    {
        "KEY",
        "KEYS",
        "APIKEY",
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASS",
        "PWD",
        "PAT",
    }
    | {
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "AUTH",
        "COOKIE",
        "COOKIES",
        "JWT",
        "BEARER",
        "DSN",
        "HEADERS",
    }
)
_WORDS = frozenset({"APIKEY", "SECRET", "PASSWORD", "PASSPHRASE", "TOKEN"})
_PAIRS = ("API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CONNECTION_STRING")
_ABOUT = frozenset(
    {"FILE", "PATH", "DIR", "URL", "URI", "SOCK", "LIMIT", "COUNT", "MAX", "MIN", "TYPE", "TTL", "EXPIRY"}
)
"""Last words of variables that say something about a secret, or where it lies, and do not hold it."""
_NO_SECRETS = frozenset({"PWD", "OLDPWD", "GPG_KEY"})
"""The working directories of shells, and who has signed an image's Python."""

_ANY_WORD_WILL_DO = frozenset(
    {
        "anything",
        "nothing",
        "undefined",
        "required",
        "password",
        "localhost",
        "placeholder",
        "changeme",
        "disabled",
    }
    | {
        "not-a-key",
        "not-needed",
        "not_needed",
        "not-used",
        "no-key",
        "no_key",
        "no-key-required",
        "notneeded",
    }
    | {
        "sk-no-key-required",
        "enabled",
        "optional",
        "unspecified",
        "ollama",
        "dummy",
        "empty",
        "false",
        "local",
    }
    | {"none", "null", "test", "true", "token", "secret", "default", "example", "your-key", "unused", "fake"}
)
"""What people write where a server asks for no key, or is told whether there is one."""

_SHORTEST = 4
_SHORTEST_ANYWHERE = 8
"""Characters from which on a value is looked for inside longer words too."""

_SHORTEST_KEY = 12
"""Characters of a value with digits that is no word; one without digits has twice as many."""

_LONG = 16
"""Characters from which on a part of a value is a secret."""

_PART = 10
"""The least characters of a part, at an end of the value, that tell that it is one."""

_ALIGNMENTS = 3
_USER_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@'\"<>?#]+(?=@)")
_KEY_IN_ADDRESS = re.compile(
    r"(?i)(?<=[?&])((?:[\w.-]*(?:api[_-]?key|apikey|token|secret|passw(?:or)?d|signature)|key|sig)=)([^\s&#'\"<>]+)"
)
_HEADER = re.compile(
    r"(?i)\b(bearer|basic|x-api-key:|api-key:|x-goog-api-key:)(\s+['\"]?)((?=[^\s'\"]*\d)[\w.~+/=:-]{12,})"
)
_MASK = re.compile(r"\*{3,}|•{3,}|…+|\.{3,}|x{6,}|X{6,}")
_MASKS = ("***", "•••", "…", "...", "xxxxxx", "XXXXXX")
_OF_BASE64 = re.compile(r"[\w+/=-]")

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
    words = name.upper().replace("-", "_").split("_")
    if name.upper() in _NO_SECRETS or words[-1] in _ABOUT:
        return False
    whole = "_".join(words)
    return (
        words[-1] in _LAST_WORDS
        or bool(_WORDS.intersection(words))
        or any(pair in whole for pair in _PAIRS)
        or whole.endswith(("APIKEY", "TOKEN", "PASSWORD", "SECRET"))
    )


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
    """Take secrets out of what is said to people or logged: known ones, and what can be nothing else.

    That is, besides ``without_known_secrets``: whoever stands before the @ of an address, keys in its query,
    and what follows ``Bearer`` and ``Basic``.
    """
    text = _without(text, _known())
    if "://" in text:
        text = _USER_IN_ADDRESS.sub(_user, text)
    if "=" in text:
        text = _KEY_IN_ADDRESS.sub(rf"\1{SECRET}", text)
    # A search that minds no case costs ten times as much.
    lower = text.lower()
    if "bearer" in lower or "basic" in lower or "api-key:" in lower:
        text = _HEADER.sub(rf"\1\2{SECRET}", text)
    return text


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
    return _Remover.of(secrets).without(text) if secrets else text


def without_secrets_in(value: Any) -> Any:
    """Take the keys that are known here out of all texts of a JSON value, names of fields too."""
    # Looking through all variables takes longer than looking through a text.
    return _without_in(value, _keys())


def _without_in(value: Any, secrets: frozenset[str]) -> Any:
    if isinstance(value, str):
        return _without(value, secrets)
    if isinstance(value, list | tuple):
        return [_without_in(one, secrets) for one in value]
    if isinstance(value, dict):
        return {_without_in(name, secrets): _without_in(one, secrets) for name, one in value.items()}
    return value


class _Remover:
    """Takes some secrets out of texts."""

    def __init__(self, secrets: frozenset[str]) -> None:
        longest_first = sorted(secrets, key=lambda secret: (-len(secret), secret))
        self._anywhere = list(
            dict.fromkeys(
                form
                for secret in longest_first
                if len(secret) >= _SHORTEST_ANYWHERE
                for form in _forms(secret)
            )
        )
        self._encoded = [core for secret in longest_first for core in _encoded(secret)]
        self._long = [secret for secret in longest_first if len(secret) >= _LONG]
        self._maskable = [secret for secret in longest_first if len(secret) >= _SHORTEST_ANYWHERE]
        short = [re.escape(secret) for secret in longest_first if len(secret) < _SHORTEST_ANYWHERE]
        self._short = re.compile(rf"(?<![\w-])(?:{'|'.join(short)})(?![\w-])") if short else None

    @staticmethod
    @lru_cache(maxsize=8)
    def of(secrets: frozenset[str]) -> _Remover:
        return _Remover(secrets)

    def without(self, text: str) -> str:
        for form in self._anywhere:
            if form in text:
                text = text.replace(form, SECRET)
        for core in self._encoded:
            if core in text:
                text = _without_around(text, core)
        for secret in self._long:
            if secret[:_PART] in text or secret[-_PART:] in text:
                text = _without_parts(text, secret)
        if self._short is not None:
            text = self._short.sub(SECRET, text)
        return self._without_masked(text) if self._maskable else text

    def _without_masked(self, text: str) -> str:
        if not any(mask in text for mask in _MASKS):
            return text
        kept, since = [], 0
        for mask in _MASK.finditer(text):
            begin, end = mask.span()
            for secret in self._maskable:
                head = _common_end(text[max(since, begin - len(secret)) : begin], secret)
                tail = _common_start(text[end : end + len(secret)], secret)
                if tail >= 4 or head >= 8 or (head >= 2 and tail >= 2 and head + tail >= 5):
                    kept += [text[since : begin - head], SECRET]
                    since = end + tail
                    break
        return "".join([*kept, text[since:]])


def _common_end(before: str, secret: str) -> int:
    """Characters at the end of a text with which a secret begins."""
    return next((n for n in range(min(len(before), len(secret)), 0, -1) if before.endswith(secret[:n])), 0)


def _common_start(after: str, secret: str) -> int:
    """Characters at the start of a text with which a secret ends."""
    return next((n for n in range(min(len(after), len(secret)), 0, -1) if after.startswith(secret[-n:])), 0)


def _without_parts(text: str, secret: str) -> str:
    """Take out what begins or ends as a secret does, as far as it is the same."""

    def rest(begin: int, end: int) -> tuple[int, int]:
        same = _PART
        while same < len(secret) and end < len(text) and text[end] == secret[same]:
            end, same = end + 1, same + 1
        return begin, end

    def start(begin: int, end: int) -> tuple[int, int]:
        same = len(secret) - _PART
        while same and begin and text[begin - 1] == secret[same - 1]:
            begin, same = begin - 1, same - 1
        return begin, end

    text = _without_spans(text, secret[:_PART], rest)
    return _without_spans(text, secret[-_PART:], start)


def _without_around(text: str, core: str) -> str:
    """Take out each word of base64 that has ``core`` in it."""

    def word(begin: int, end: int) -> tuple[int, int]:
        while begin and _OF_BASE64.match(text[begin - 1]):
            begin -= 1
        while end < len(text) and _OF_BASE64.match(text[end]):
            end += 1
        return begin, end

    return _without_spans(text, core, word)


def _without_spans(text: str, part: str, widened: Callable[[int, int], tuple[int, int]]) -> str:
    """Take out each ``part`` of a text with what ``widened`` adds to its begin and its end."""
    kept, since = [], 0
    at = text.find(part)
    while at >= 0:
        begin, end = widened(at, at + len(part))
        kept += [text[since:begin], SECRET]
        since = end
        at = text.find(part, since)
    return "".join([*kept, text[since:]])


def _forms(secret: str) -> Sequence[str]:
    """A secret as it is, in an address, in JSON and in a page."""
    in_json = secret.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    in_page = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    quoted = (quote(secret, safe=""), quote(secret), quote_plus(secret))
    return (
        secret,
        in_json,
        in_page,
        *quoted,
        *(re.sub("%..", lambda code: code[0].lower(), one) for one in quoted),
    )


def _encoded(secret: str) -> Sequence[str]:
    """What base64 always has where it encodes a text with a secret in it, whatever stands around that."""
    if len(secret) < _SHORTEST_ANYWHERE:
        return ()
    cores = []
    for shift in range(_ALIGNMENTS):
        data = b"\0" * shift + secret.encode("utf-8", "surrogateescape")
        # A group of three bytes that holds others too is different each time.
        whole = data[_ALIGNMENTS if shift else 0 : len(data) // _ALIGNMENTS * _ALIGNMENTS]
        core = b64encode(whole).decode()
        if len(core) >= _SHORTEST_ANYWHERE:
            cores += [core, core.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(cores))


def _parts_of(value: str) -> Iterable[str]:
    """A value, and what is secret in one that has a form of its own: a key in lines, JSON, headers."""
    value = value.strip()
    if len(value) >= _SHORTEST and value.lower() not in _ANY_WORD_WILL_DO and not _is_number(value):
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


def _secrets_of_address(text: str) -> Iterable[str]:
    """Users with their passwords, passwords, and keys in the query, as they stand there and as they mean."""
    for match in _USER_IN_ADDRESS.finditer(text):
        user, colon, password = match[0].partition(":")
        if not colon and len(user) < _LONG:
            continue
        secret = password if colon else user
        for one in (match[0], secret):
            if len(secret) >= _SHORTEST and secret.lower() not in _ANY_WORD_WILL_DO:
                yield from {one, unquote(one)}
    for match in _KEY_IN_ADDRESS.finditer(text):
        if len(match[2]) >= _SHORTEST:
            yield from {match[2], unquote(match[2])}


def _user(match: re.Match[str]) -> str:
    return SECRET if ":" in match[0] or len(match[0]) >= _LONG else match[0]
