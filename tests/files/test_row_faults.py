from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.files import RowFaults

PATH = Path("e.jsonl")


def test_nothing_wrong_is_nothing_raised():
    RowFaults(PATH).refuse()


def told(faults):
    with pytest.raises(InputError) as raised:
        faults.refuse()
    return str(raised.value).splitlines()


def test_up_to_ten_are_shown_one_by_one_in_the_order_of_the_file():
    faults = RowFaults(PATH)
    for line in [*range(6, 11), 2, 3, 1, 4]:
        faults.add(line, "anchor", "empty text")
    faults.add(5, "tier", "unknown tier", "found 'x'")
    shown = [text.split(":")[1] for text in told(faults)[1:]]
    assert shown == [str(line) for line in range(1, 11)]


def test_of_more_the_first_are_shown_whatever_the_order_in_which_they_came():
    problems = RowFaults(PATH)
    for line in [*range(30, 60), 7, *range(8, 30)]:
        problems.add(line, f"negatives[{line % 3}]", "empty text", f"found {line}")
    problems.add(7, "tier", "unknown tier", "found 'x'")
    several = RowFaults("folder")
    several.take(problems, 1)
    several.add(3, "anchor", "empty text")
    for faults, where in ((problems, "e.jsonl"), (several, "folder")):
        first, *lines, last = told(faults)
        extra = faults is several
        assert first == f"{where}: {53 + extra} bad row(s): {53 + extra} empty text, 1 unknown tier"
        assert lines[extra] == "e.jsonl:7: negatives[1]: empty text, found 7"
        assert lines[extra + 1] == "e.jsonl:7: tier: unknown tier, found 'x'"
        assert len(lines) == 10
        assert last.startswith(f"and {44 + extra} more. Fix them")
