"""Whether a command line matches words: its program, whatever runs it, be it a shell, ``env`` or ``xargs``.

What a script or a program of one's own does inside cannot be known from its name.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

MATCHERS = frozenset({"lexical", "ripgrep", "bm25", "rg", "grep", "egrep", "fgrep", "ag", "ack", "ugrep"})
"""Programs, and systems and explorers of ours, that match words."""

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})

_RUNNERS: dict[str, tuple[frozenset[str], int]] = {
    "env": (frozenset({"-u", "-C", "--unset", "--chdir"}), 0),
    "timeout": (frozenset({"-s", "-k", "--signal", "--kill-after"}), 1),
    "nice": (frozenset({"-n", "--adjustment"}), 0),
    "ionice": (frozenset({"-c", "-n", "--class", "--classdata"}), 0),
    "stdbuf": (frozenset({"-i", "-o", "-e"}), 0),
    "time": (frozenset({"-f", "-o"}), 0),
    "xargs": (frozenset({"-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s"}), 0),
    "parallel": (frozenset({"-a", "-j", "-n", "-N", "-I"}), 0),
    "sudo": (frozenset({"-u", "-g", "-C", "-D"}), 0),
    # With -v it only says where a program lies.
    "command": (frozenset({"-v", "-V"}), 0),
    **dict.fromkeys(("nohup", "setsid", "exec", "busybox"), (frozenset[str](), 0)),
}
"""Programs that run the command behind them: options with a value of their own, and arguments before it."""

_FED = frozenset({"xargs", "parallel"})
"""Those that run it on what they are fed."""

_KEYWORDS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATORS = "();<>|&\n"
_SEARCHES_FILES = re.compile(r"-[A-Za-z]*[rRf]|--(recursive|file)\b")


def matches_words(words: Sequence[str], *, fed: bool = False) -> bool:
    """Say whether a command matches words."""
    begin = next((at for at, word in enumerate(words) if not _comes_before(word)), len(words))
    if begin == len(words):
        return False
    program, rest = PurePosixPath(words[begin]).name.casefold(), words[begin + 1 :]
    if program in MATCHERS:
        return not fed or any(map(_SEARCHES_FILES.match, rest))
    if program in _SHELLS:
        script = _script(rest)
        commands = () if script is None else _commands(script)
        return any(matches_words(command, fed=behind_pipe) for command, behind_pipe in commands)
    if program in _RUNNERS:
        options, arguments = _RUNNERS[program]
        return matches_words(_behind_options(rest, options)[arguments:], fed=fed and program not in _FED)
    if program == "git":
        return [*_behind_options(rest, frozenset({"-C", "-c"}))[:1]] == ["grep"]
    if program == "find":
        executed = next((at for at, word in enumerate(rest) if word in ("-exec", "-execdir")), len(rest))
        return matches_words(rest[executed + 1 :])
    return False


def _comes_before(word: str) -> bool:
    return word in _KEYWORDS or _ASSIGNMENT.match(word) is not None


def _behind_options(words: Sequence[str], valued: frozenset[str]) -> Sequence[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return words[at:]


def _script(words: Sequence[str]) -> str | None:
    """What stands behind ``-c``, also in ``-lc``; None where a shell runs a file or what it is fed."""
    options = [word for word in words if word.startswith("-")]
    if not any(re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*", word) for word in options):
        return None
    behind = _behind_options(words, frozenset({"-o", "-O"}))
    return behind[0] if behind else None


def _commands(script: str) -> Iterator[tuple[list[str], bool]]:
    """The commands of a script, each cut into words, and whether it is behind a pipe."""
    cut = shlex.shlex(script, posix=True, punctuation_chars=_OPERATORS)
    cut.whitespace, cut.whitespace_split, cut.commenters = " \t\r", True, ""
    command: list[str] = []
    fed = redirected = False
    try:
        tokens = list(cut)
    except ValueError:
        return
    for token in tokens:
        if not set(token) <= set(_OPERATORS):
            if not redirected:
                command.append(token)
            redirected = False
        elif set("<>") & set(token) and "(" not in token:
            redirected = True
        else:
            yield command, fed
            operator = token.strip("\n").removesuffix("&")
            command, fed, redirected = [], operator.endswith("|") and not operator.endswith("||"), False
    yield command, fed
