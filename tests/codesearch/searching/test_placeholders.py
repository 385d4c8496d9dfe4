import pytest

from tellapart.codesearch.systems.system import filled, split_command
from tellapart.errors import UsageError


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the command is empty, expected a program"),
        ("  ", "the command is empty"),
        ("prog 'x", 'the command is "prog \'x": no closing quotation'),
        ("prog {isue}", r"has \{isue\}. Did you mean 'issue'\?"),
        ("prog {repo_path}", r"has \{repo_path\}. Did you mean 'repos_path'\?"),
    ],
)
def test_a_command_that_cannot_work_is_refused(command, message):
    with pytest.raises(UsageError, match=message):
        split_command(command)


def test_a_value_is_one_argument_and_is_not_looked_into():
    values = {"issue": "a b; rm -rf / {learnings} 'x", "learnings": "L", "iteration": "2"}
    assert filled("p {issue}", values) == f"p {values['issue']}"
    kept = "{other} { issue } {}"
    assert filled(f"--n={{iteration}}{{iteration}} {kept}", values) == f"--n=22 {kept}"
