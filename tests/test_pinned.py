"""What an earlier version printed, wrote and stored is what this one prints, writes and reads.

The expected files lie in ``pinned``; ``pinned/renew.py`` says when they may be renewed, and how.
"""

from pathlib import Path

import pytest

from pinned.scenarios import SCENARIOS, differences, outcome
from pinned.terminal import groups, help_text

PINNED = Path(__file__).parent / "pinned"

pytestmark = pytest.mark.slow


def texts(folder):
    return {place.name: place.read_text(encoding="utf-8") for place in folder.iterdir()}


def test_the_help_of_every_command(tmp_path):
    expected, commands = texts(PINNED / "help"), groups()
    assert set(expected) == {f"{name}.txt" for name in commands}
    for name, of_group in commands.items():
        assert help_text(tmp_path, of_group) == expected[f"{name}.txt"], name


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_commands_print_and_write(name, tmp_path):
    """Also that runs which were killed go on, and that nothing is asked that a journal answers."""
    expected, pinned = texts(PINNED / "outputs" / name), outcome(name, tmp_path)
    assert set(expected) == set(pinned)
    found = {file: differences(file, text, pinned[file]) for file, text in expected.items()}
    assert {file: places for file, places in found.items() if places} == {}
