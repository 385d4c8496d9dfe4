"""Command lines in which placeholders stand for what others wrote: never inside a script.

A command line is cut into words once, and each placeholder is filled inside its word, so that what an issue
says stays one argument. The argument of ``-c`` or ``-e`` is mostly a script, whatever the program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tellapart.errors import UsageError

_FLAG = re.compile(r"-[A-Za-z]{0,2}[ceE]|--(?:command|eval)")
_WITH_SCRIPT = re.compile(r"-[ceE]|--(?:command|eval)=")


def refuse_in_scripts(words: Sequence[str], placeholder: re.Pattern[str], option: str) -> None:
    """Refuse a command line with a placeholder in the argument of ``-c`` or ``-e``, of any program."""
    for before, word in zip(("", *words), words, strict=False):
        if (_FLAG.fullmatch(before) or _WITH_SCRIPT.match(word)) and (name := placeholder.search(word)):
            raise UsageError(
                f"in {option} {name[0]} stands inside the script {word!r}, so that whatever it stands for "
                "would be run too",
                next_step="Pass it as an argument after the script, as in: "
                f"sh -c 'my-search \"$1\"' sh {name[0]}",
            )
