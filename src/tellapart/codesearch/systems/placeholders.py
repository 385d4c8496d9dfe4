"""Placeholders in command lines and addresses, such as ``{issue}``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from difflib import get_close_matches

from tellapart.environment.scripts import refuse_in_scripts
from tellapart.errors import UsageError, near_match

PLACEHOLDERS = ("conversation_id", "issue", "iteration", "learnings", "product_area", "repos_path")
"""What may stand in braces."""

_BRACED = re.compile(r"\{([A-Za-z_]+)\}")
_PLACEHOLDER = re.compile(rf"\{{(?:{'|'.join(PLACEHOLDERS)})\}}")


def split_command(command: str, option: str = "--command") -> list[str]:
    """Cut a command line into words, as a shell would, which never sees it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command is {command!r}: {str(error).lower()}") from None
    if not words:
        raise UsageError("the command is empty", next_step="Name a program: --command 'prog {issue}'")
    check_placeholders(command)
    refuse_in_scripts(words, _PLACEHOLDER, option)
    return words


def check_placeholders(text: str) -> None:
    """Refuse what is nearly a placeholder; other words in braces may mean something to somebody else."""
    for name in _BRACED.findall(text):
        if name not in PLACEHOLDERS and get_close_matches(name, PLACEHOLDERS, n=1):
            raise UsageError(f"{text!r} has {{{name}}}", next_step=near_match(name, PLACEHOLDERS))


def placeholders_in(*texts: str) -> set[str]:
    """Which placeholders stand in texts."""
    return {name for text in texts for name in _BRACED.findall(text) if name in PLACEHOLDERS}


def filled(words: list[str], values: Mapping[str, str]) -> list[str]:
    """Put values in the place of ``{name}``; each word stays one argument, whatever the values hold.

    Braces around anything else stay as they are, and so do those inside values.
    """
    return [_BRACED.sub(lambda match: values.get(match[1], match[0]), word) for word in words]
