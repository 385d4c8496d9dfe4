"""What an earlier version printed, wrote and stored is what this one prints, writes and reads.

The expected files lie in ``pinned``; ``pinned/renew.py`` says when they may be renewed, and how.
"""

from pathlib import Path

from pinned.terminal import groups, help_text

PINNED = Path(__file__).parent / "pinned"


def test_the_help_of_every_command(tmp_path):
    commands = groups()
    assert {place.stem for place in (PINNED / "help").iterdir()} == set(commands)
    for name, of_group in commands.items():
        expected = (PINNED / "help" / f"{name}.txt").read_text(encoding="utf-8")
        assert help_text(tmp_path, of_group) == expected, name
