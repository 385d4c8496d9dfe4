"""Which names in a repository may be read: no way out, no version control, no secrets."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase

from tellapart.errors import TellapartError
from tellapart.llm.quoting import visible

LONGEST_PATH = 1000
"""Characters of a path."""

HIDDEN = frozenset({".git", ".hg", ".svn", ".bzr", ".ssh", ".aws", ".gnupg", ".kube"})
"""Directories, and files such as a worktree's ``.git``, of version control and of keys; never entered."""

_KEYS = ("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.gpg")
_SSH = ("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*")
_TOOLS = (".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".htpasswd", ".pgpass", ".my.cnf")
_DATA = ("json", "yml", "yaml", "toml", "ini", "cfg", "conf", "xml", "csv", "properties", "enc", "txt")
_WORDS = tuple(
    f"*{word}.{end}" for word in ("credential", "credentials", "secret", "secrets") for end in _DATA
)

SECRETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Examples of it too: what people copy there is often no example.
    ("holds the environment of a program", (".env*", "*.env")),
    ("is a key", (*_KEYS, *_SSH)),
    (
        "holds the passwords of a tool",
        (*_TOOLS, ".git-credentials", ".dockercfg", ".dockerconfigjson", "*.tfstate", "*.tfvars"),
    ),
    # Source code of such a name, secrets.py, is none.
    ("holds credentials", ("credentials", *_WORDS, "client_secret*.json", "service_account*.json")),
)
"""Why a file is a secret, and the names of such files, in lower case."""


class OutOfBounds(TellapartError):
    """A path that may not be read; the message says what to do instead."""


class NotThere(OutOfBounds):
    """A path at which there is nothing to read."""


def split_path(path: str, repositories: Sequence[str]) -> tuple[str, ...]:
    """Cut ``repo/path`` into names, of which every one may be read.

    One slash at the end is left out. A path has one spelling: ``./`` and ``//`` are refused.

    Args:
        path: As somebody wrote it who may want to get out.
        repositories: The names of those that may be read.

    Raises:
        OutOfBounds: It is empty, absolute or climbs, names no approved repository, or holds a name that
            ``refusal`` turns down.
    """
    shown = f"{path[:100]!r}" if len(path) <= LONGEST_PATH else f"{path[:60]!r}… of {len(path):,} characters"
    expected = f"Give it as REPOSITORY/PATH, with one of the repositories {', '.join(repositories)}"
    parts = path.removesuffix("/").split("/")
    if len(path) > LONGEST_PATH:
        raise OutOfBounds(f"{shown} may not be read: it is too long", next_step=expected)
    if path.startswith(("/", "~")):
        raise OutOfBounds(f"{shown} may not be read: it does not begin with a repository", next_step=expected)
    for part in parts:
        if part in ("", ".", ".."):
            raise OutOfBounds(f"{shown} may not be read: a name in it is {part!r}", next_step=expected)
    if parts[0] not in repositories:
        raise OutOfBounds(f"{shown} may not be read: there is no such repository", next_step=expected)
    for name in parts[1:]:
        why = refusal(name)
        if why:
            raise OutOfBounds(f"{shown} may not be read: {why}", next_step="Go on without it")
    return tuple(parts)


def secret(name: str) -> str | None:
    """Why a file of this name is not read, or None where it is no secret; directories may have such names.

    Case, full-width letters, characters that print nothing, and dots or spaces at the end make no difference.
    """
    plain = _plain(name)
    for why, patterns in SECRETS:
        if any(fnmatchcase(plain, pattern) for pattern in patterns):
            return f"{name!r} {why}, and secrets are not shown"
    return None


def refusal(name: str) -> str | None:
    """Why a file or a directory of this name is left alone, or None; see ``secret`` for files."""
    if "\\" in name or "\0" in name:
        return f"{name!r} has a character that no name should have"
    if visible(name) != name or "\n" in name or "\t" in name:
        return f"{ascii(name)} has characters that cannot be seen"
    if name != name.rstrip(". "):
        return f"{name!r} ends in a dot or a space"
    if _plain(name) in HIDDEN or _plain(name).startswith(".env"):
        return f"{name!r} is not part of the source code"
    return None


def _plain(name: str) -> str:
    """As a file system would take it that does not tell such names apart."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    return seen.casefold().rstrip(". ")
