"""Command lines in which placeholders stand for what others wrote: never inside the script of an interpreter.

A command line is cut into words once, and each placeholder is filled inside its word, so that what an issue
says stays one argument. A word that a shell or another interpreter runs as a script is no argument: there it
would be run. Such command lines are refused, with the form in which the same is safe.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence

from tellapart.errors import UsageError

_SHELLS = (
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "ash",
    "rbash",
    "fish",
    "csh",
    "tcsh",
    "yash",
    "xonsh",
    "nu",
)
_OPTIONS_WITH_VALUES = {
    **dict.fromkeys(_SHELLS, ("-o", "+o", "-O", "+O", "--rcfile", "--init-file")),
    "python": ("-W", "-X", "--check-hash-based-pycs"),
    "perl": ("-I",),
    "ruby": ("-r", "-I", "-C"),
    "node": ("-r", "--require", "--import", "-C", "--conditions", "--loader"),
    "php": ("-d", "-c"),
    "env": ("-u", "--unset", "-C", "--chdir"),
}
"""Options whose values are no scripts."""
_FLAGS = {
    **dict.fromkeys(_SHELLS, r"[-+][A-Za-z]*c|--command"),
    "python": r"-[A-Za-z]*c",
    "perl": r"-[A-Za-z]*[eE]",
    "ruby": r"-[A-Za-z]*e",
    "node": r"-[A-Za-z]*[ep]|--eval|--print",
    "bun": r"-[A-Za-z]*[ep]|--eval|--print",
    "php": r"-[A-Za-z]*[rBRE]|--run",
    "lua": r"-e",
    "rscript": r"-e",
    "r": r"-e",
    "julia": r"-[eE]|--eval|--print",
    "osascript": r"-e",
    "awk": r"-e|--source",
    "sed": r"-[A-Za-z]*e|--expression",
    "env": r"-[A-Za-z]*S|--split-string",
    **dict.fromkeys(("su", "runuser", "sg", "flock", "script"), r"-[A-Za-z]*c|--command"),
}
"""Options after which comes a script, or a command line, by the program's name without its version."""

_FIRST_WORD = ("awk", "sed", "eval", "watch")
"""Programs of which the first word that is no option is a script."""

_AWK_VALUES = ("-v", "-F", "--assign", "--field-separator")

_ALL_WORDS: dict[str, tuple[str, ...]] = {
    "cmd": ("/c", "/k", "/r"),
    "powershell": ("-command", "-c"),
    "ssh": (),
    "parallel": (),
}
"""Programs that join all words behind an option, or all their words, to a script."""

_OFTEN_NO_PROGRAM = (
    "awk",
    "sed",
    "eval",
    "watch",
    "script",
    "env",
    "su",
    "sg",
    "r",
    "nu",
    "parallel",
    "node",
    "cmd",
)
"""Words that are looked at only where a program's name stands, since people search for them too."""

_WRAPPERS = (
    *(
        "env",
        "nice",
        "nohup",
        "timeout",
        "xargs",
        "sudo",
        "doas",
        "time",
        "stdbuf",
        "setsid",
        "exec",
        "ionice",
    ),
    *(
        "command",
        "docker",
        "podman",
        "kubectl",
        "busybox",
        "find",
        "flock",
        "uv",
        "poetry",
        "pipenv",
        "conda",
    ),
)
"""Programs that start another."""

_SAME = {
    "gawk": "awk",
    "mawk": "awk",
    "nawk": "awk",
    "nodejs": "node",
    "pwsh": "powershell",
    "pypy": "python",
}
_SAME |= {"gsed": "sed", "luajit": "lua", "zsh-static": "zsh"}

_ARGUMENTS = {
    "python": "sys.argv[1]",
    "perl": "$ARGV[0]",
    "ruby": "ARGV[0]",
    "node": "process.argv[1]",
    "php": "$argv[1]",
    "lua": "arg[1]",
}
_EVALUATES = re.compile(
    rf"\beval\b(?:(?!\beval\b)[^;|&\n$])*+\$|\b(?:{'|'.join(_SHELLS)})\s+-\w*c\s+(?:\"[^\"]*\$|\$)|(?<![\w-])(?:source|\.)\s+\S*\$"
)


def refuse_in_scripts(words: Sequence[str], placeholder: re.Pattern[str], option: str) -> None:
    """Refuse a command line in which a placeholder stands where an interpreter would run what it stands for."""
    for program, place, script in _scripts(words):
        names = list(dict.fromkeys(match[0] for match in placeholder.finditer(script)))
        if names:
            raise UsageError(
                f"in {option} {names[0]} stands inside what {program} runs as a script ({script!r}), so that "
                "whatever it stands for would be run too",
                next_step=_safe_form(words, program, place, names, option),
            )
        rest = " ".join(words[place + 1 :])
        if program in _SHELLS and _EVALUATES.search(script) and placeholder.search(rest):
            raise UsageError(
                f"in {option} the script {script!r} evaluates its arguments once more, so that whatever "
                f"{placeholder.search(rest)[0]} stands for would be run too",  # type: ignore[index]
                next_step="Use the arguments as they are, as in: sh -c 'grep -rl -- \"$1\" .' sh {issue}",
            )


def _scripts(words: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """The program, the place and the text of each word that is run as a script."""
    starts_another = bool(words) and _program(words[0]) in _WRAPPERS
    for at, word in enumerate(words):
        program = _program(word)
        if program in _OFTEN_NO_PROGRAM and at and not starts_another:
            continue
        if program in _ALL_WORDS:
            yield from _joined(program, words, at)
        if program in _FLAGS:
            yield from _behind_flags(program, words, at)
        if program in _FIRST_WORD:
            values = {place + 1 for place, word in enumerate(words) if word in _AWK_VALUES}
            words_alone = (i for i in range(at + 1, len(words)) if not words[i].startswith("-"))
            first = next((i for i in words_alone if i not in values), None)
            if first is not None:
                yield program, first, words[first]


def _behind_flags(program: str, words: Sequence[str], at: int) -> Iterator[tuple[str, int, str]]:
    flag = re.compile(_FLAGS[program])
    expected, skipped = False, False
    for place in range(at + 1, len(words)):
        word = words[place]
        if skipped:
            skipped = False
        elif flag.fullmatch(word):
            expected = True
        elif word.startswith(("-", "+")) and len(word) > 1:
            # The script may be part of the option: -ecode, --eval=code.
            attached = flag.match(word)
            if attached and attached.end() < len(word):
                yield program, place, word
            skipped = word in _OPTIONS_WITH_VALUES.get(program, ())
        else:
            if expected:
                yield program, place, word
            if program not in ("env", "flock", "su", "runuser", "sg", "script"):
                return
            expected = False


def _joined(program: str, words: Sequence[str], at: int) -> Iterator[tuple[str, int, str]]:
    options = _ALL_WORDS[program]
    begin = at
    if options:
        begin = next((i for i in range(at + 1, len(words)) if words[i].lower() in options), len(words))
    for place in range(begin + 1, len(words)):
        yield program, place, words[place]


def _program(word: str) -> str:
    name = re.sub(r"\.exe$", "", word.replace("\\", "/").rpartition("/")[2].lower())
    plain = re.sub(r"(?<![\d.])[\d.]+$", "", name) or name
    return _SAME.get(plain, plain)


def _safe_form(words: Sequence[str], program: str, place: int, names: Sequence[str], option: str) -> str:
    """What to write instead; of shells the command line itself, which works as it is."""
    if (
        program in _SHELLS
        and not words[place].startswith("-")
        and program not in ("fish", "csh", "tcsh", "nu", "xonsh")
    ):
        script = words[place]
        before = [*words[place + 1 :]] or ["sh"]
        for number, name in enumerate(names, len(before)):
            argument = f'"${number}"' if number < 10 else f'"${{{number}}}"'
            for form in (f"'{name}'", f'"{name}"', name):
                script = script.replace(form, argument)
        safe = [*words[:place], script, *before, *names]
        return f"Hand it over as an argument: {_given(option, ' '.join(map(_word, safe)))}"
    if program in _ARGUMENTS:
        return (
            f"Give it as an argument of its own, after the script, which reads it as {_ARGUMENTS[program]}: "
            f"{program} … '…' {' '.join(names)}"
        )
    return (
        "Name a program of your own, which gets it as an argument or on standard input: "
        f"{_given(option, ' '.join(['./my-program', *names]))}"
    )


def _word(word: str) -> str:
    return word if re.fullmatch(r"[\w{}./:=@%+,-]+", word) else shlex.quote(word)


def _given(option: str, command: str) -> str:
    """A command line as it is given: as one word of a shell, or as a text in JSON."""
    if not option.startswith("-"):
        return f"{option}: {json.dumps(command, ensure_ascii=False)}"
    escaped = re.sub(r'([\\"$`])', r"\\\1", command)
    return f'{option} "{escaped}"'
