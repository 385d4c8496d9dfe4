"""A placeholder inside a script is refused; one that is an argument is taken."""

import re
import shlex

import pytest

from tellapart.environment.programs import refuse_in_scripts
from tellapart.errors import UsageError

BRACED = re.compile(r"\{(?:issue|repos_path)\}")


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'echo {issue}'",
        "/bin/sh -c {issue}",
        "bash -o pipefail -ec \"rg '{issue}' | head\"",
        "timeout 5 nice bash -lc 'echo {issue}'",
        "python3.11 -W error -Ic 'print(\"{issue}\")'",
        "python -c'print({issue})'",
        "perl -ne 'print if /{issue}/' x",
        "node --eval='{issue}'",
        "grep -e {issue} x",
    ],
)
def test_a_placeholder_inside_a_script_is_refused(command):
    with pytest.raises(UsageError, match="in --command {issue} stands inside the script .* would be run too"):
        refuse_in_scripts(shlex.split(command), BRACED, "--command")


@pytest.mark.parametrize(
    "command",
    [
        "prog {issue}",
        "sh -c 'echo \"$1\"' sh {issue}",
        "python search.py --query {issue} {repos_path}",
        "rg --count -- {issue} {repos_path}",
        "find . -name {issue}",
    ],
)
def test_a_placeholder_that_is_an_argument_is_taken(command):
    refuse_in_scripts(shlex.split(command), BRACED, "--command")
