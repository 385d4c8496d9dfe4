"""What a script of commands a suite prints and writes; ``pinned/renew.py`` writes the expected files anew."""

from pathlib import Path

import pytest

from pinned.scenarios import SCENARIOS, differences, outcome

PINNED = Path(__file__).parent / "pinned"

pytestmark = pytest.mark.slow


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_commands_print_and_write(name, tmp_path):
    expected, printed = texts(PINNED / "outputs" / name), outcome(name, tmp_path)
    assert set(expected) == set(printed)
    unlike = {file: differences(file, text, printed[file]) for file, text in expected.items()}
    assert {file: places for file, places in unlike.items() if places} == {}
