"""The example in the help of every command."""

import re
import shlex

from typer.main import get_command

from pinned.terminal import groups
from tellapart.cli.main import command_line


def test_every_command_has_an_example_whose_arguments_and_options_it_takes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = [words for of_group in groups().values() for words in of_group]
    for words in commands:
        command = get_command(command_line())
        for word in words:
            command = command.commands[word]
        if hasattr(command, "commands"):
            continue
        for parameter in command.params:
            # Whether files are there is looked at as soon as they are typed.
            monkeypatch.setattr(parameter, "callback", None)
        typed = shlex.split(re.fullmatch("Example: tellapart (.*)", command.epilog)[1])
        assert tuple(typed[: len(words)]) == words
        command.make_context(" ".join(words), typed[len(words) :])
