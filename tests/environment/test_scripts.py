"""A placeholder inside a script is refused with a form that is safe: that form is run here."""

import re
import shlex
import subprocess

import pytest

from tellapart.environment.scripts import refuse_in_scripts
from tellapart.errors import UsageError

BRACED = re.compile(r"\{(?:issue|repos_path)\}")

REFUSED = [
    "sh -c 'echo {issue}'",
    "/bin/sh -c {issue}",
    "bash -lc 'rg \"{issue}\"'",
    "bash -o pipefail -ec \"rg '{issue}' | head\"",
    "dash -c 'ls {repos_path}'",
    "zsh -c 'echo \"{issue}\"' zsh x",
    "ksh -c 'echo {issue}'",
    "env -i LANG=C sh -c 'echo {issue}'",
    "env -S \"sh -c 'echo {issue}'\"",
    "timeout 5 nice bash -c 'echo {issue}'",
    "xargs -I% sh -c 'echo % {issue}'",
    "find . -exec sh -c 'grep {issue} $1' sh % +",
    "docker exec box sh -c 'echo {issue}'",
    "sh -c 'eval \"$1\"' sh {issue}",
    "sh -c 'sh -c \"echo $1\"' sh {issue}",
    "eval 'echo {issue}'",
    "python -c 'print(\"{issue}\")'",
    "python3.11 -W error -Ic 'print(\"{issue}\")'",
    "python -c'print({issue})'",
    "perl -ne 'print if /{issue}/' x",
    "perl -E 'say \"{issue}\"'",
    "ruby -e 'puts \"{issue}\"'",
    "node -e 'console.log(\"{issue}\")'",
    "node --eval='{issue}'",
    "php -r 'echo \"{issue}\";'",
    "awk '/{issue}/' x",
    "gawk -v a=b '/{issue}/' x",
    "sed -n '/{issue}/p' x",
    "su me -c 'echo {issue}'",
    "ssh host grep {issue}",
    "cmd /c echo {issue}",
    "pwsh -Command echo {issue}",
]
TAKEN = [
    "prog {issue}",
    "sh -c 'echo \"$1\"' sh {issue}",
    "bash -o pipefail -c 'rg -F -- \"$1\" | head' bash {issue}",
    "sh search.sh {issue}",
    "python search.py -c {issue}",
    "python -m my_search -e {issue}",
    "python -c 'import sys; print(sys.argv[1])' {issue}",
    "python -W error search.py {issue}",
    "perl -ne 'print' {issue}",
    "rg sed {issue}",
    "rg -c {issue} {repos_path}",
    "grep -e {issue} x",
    "env A={issue} prog",
    "my-search --shell zsh {issue}",
    "sed -f script.sed {issue}",
]


@pytest.mark.parametrize("command", REFUSED)
def test_a_placeholder_inside_a_script_is_refused(command):
    with pytest.raises(UsageError, match="would be run too"):
        refuse_in_scripts(shlex.split(command), BRACED, "--command")


@pytest.mark.parametrize("command", TAKEN)
def test_a_placeholder_that_is_an_argument_is_taken(command):
    refuse_in_scripts(shlex.split(command), BRACED, "--command")


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'echo {issue}'",
        "sh -c 'echo \"{issue}\"'",
        "bash -c \"echo '{issue}' | cat\"",
        "env sh -ec 'printf \"%s\\n\" {issue}'",
        "sh -c 'echo $1{issue}' sh ''",
        "sh -c 'cd {repos_path} && echo {issue}'",
    ],
)
def test_the_form_that_is_recommended_is_safe_and_does_the_same(command, tmp_path):
    with pytest.raises(UsageError) as caught:
        refuse_in_scripts(shlex.split(command), BRACED, "--command")
    pasted = str(caught.value).partition("Hand it over as an argument: --command ")[2].removesuffix(".")
    # As a shell gives it to us, and as we cut it.
    printed = subprocess.run(["sh", "-c", f"printf %s {pasted}"], capture_output=True, text=True, check=True)
    words = shlex.split(printed.stdout)
    refuse_in_scripts(words, BRACED, "--command")
    issue = 'it\'s "here" $(touch INJECTED) `touch INJECTED`; touch INJECTED'
    filled = [word.replace("{issue}", issue).replace("{repos_path}", str(tmp_path)) for word in words]
    done = subprocess.run(filled, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == f"{issue}\n"
    assert list(tmp_path.iterdir()) == []
