"""What programs that we start are given of our environment: what programs need, and what is passed to them.

A program that a user names runs with that user's rights, but it has no business with the keys of the models
that are asked beside it; what it prints ends up in runs and pages. So it is given the variables of ``GIVEN``,
and others only where ``--pass-env`` names them. What we start ourselves, such as git, is given no others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from tellapart.environment.secrets import names_secret, secrets_of
from tellapart.errors import UsageError

_GIVEN = """
PATH HOME USER LOGNAME SHELL PWD TMPDIR TMP TEMP XDG_*
LANG LANGUAGE LC_* TZ TZDIR TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR
VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYENV_ROOT PYENV_VERSION PYTHON*
LD_LIBRARY_PATH DYLD_* NODE_PATH NVM_DIR NVM_BIN GOPATH GOROOT CARGO_HOME RUSTUP_HOME JAVA_HOME
GEM_HOME GEM_PATH R_LIBS R_LIBS_USER NIX_PATH
CUDA_* OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMBA_* TOKENIZERS_PARALLELISM
SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
HF_HOME HF_HUB_OFFLINE TORCH_HOME TELLAPART_CACHE TELLAPART_INDEX SOURCE_DATE_EPOCH
SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA USERPROFILE
"""
GIVEN = _GIVEN.split()
"""Variables that every program is given, unless what they hold is secret; ``*`` stands for any letters."""

PASS_ENV_HELP = (
    "An environment variable that the program is given beside PATH, HOME, the locale and the like, such as a "
    "key that it needs; NAME* for all that begin so. Repeat for several."
)
"""What the option says of itself, wherever there is one."""

_SHOWN = 3

# The argument of -c or -e is mostly a script, whatever the program.
_FLAG = re.compile(r"-[A-Za-z]{0,2}[ceE]|--(?:command|eval)")
_WITH_SCRIPT = re.compile(r"-[ceE]|--(?:command|eval)=")


def child_environment(passed: Sequence[str] = ()) -> dict[str, str]:
    """The environment of a program that we start."""
    ours = os.environ.items()
    return {name: value for name, value in ours if _matches(name, passed) or _is_given(name, value)}


def check_passed(passed: Sequence[str]) -> None:
    """See that variables can be passed to a program."""
    for name in passed:
        if "=" in name:
            raise UsageError(
                f"--pass-env is {name!r}, expected the name of a variable alone",
                next_step=f"Set it before: export {name}; and give --pass-env {name.partition('=')[0]}",
            )
        if not re.fullmatch(r"\w+\*?|\*", name):
            raise UsageError(f"--pass-env is {name!r}, expected the name of a variable, or NAME*")
        if not name.endswith("*") and name not in os.environ:
            close = get_close_matches(name, os.environ, n=1)
            raise UsageError(
                f"--pass-env names {name}, which is not set in the environment",
                next_step=f"Did you mean {close[0]}?" if close else f"Set it: export {name}=…",
            )


def withheld_keys(passed: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of variables that look like keys, are set, and are not given to programs; sorted."""
    given = child_environment(passed)
    return tuple(sorted(name for name in os.environ if names_secret(name) and name not in given))


def withheld_hint(passed: Sequence[str] = (), option: str = "--pass-env") -> str:
    """End a sentence about a program that failed, maybe for want of a key; empty where none was withheld."""
    names = withheld_keys(passed)
    if not names:
        return ""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (
        f"; it was not given {', '.join(names[:_SHOWN])}{more} of the environment: if it needs one, pass it "
        f"with {option} {names[0]}"
    )


def _is_given(name: str, value: str) -> bool:
    return _matches(name, GIVEN) and not names_secret(name) and not secrets_of({"": value})


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(name == pattern or ("*" in pattern and fnmatchcase(name, pattern)) for pattern in patterns)


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
