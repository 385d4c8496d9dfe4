from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.files import RowFaults

PATH = Path("e.jsonl")


def test_nothing_wrong_is_nothing_raised():
    RowFaults(PATH).refuse()


def test_the_first_lines_are_shown_of_many_in_order():
    faults = RowFaults(PATH)
    for line in range(1, 31):
        faults.add(line, "anchor", "empty text")
    with pytest.raises(InputError) as raised:
        faults.refuse()
    shown = [text.split(":")[1] for text in str(raised.value).splitlines()[1:21]]
    assert shown == [str(line) for line in range(1, 21)]


def test_the_first_lines_are_told_whatever_the_order_in_which_they_came():
    problems = RowFaults(PATH)
    for line in [*range(30, 60), 7, 7, *range(8, 30)]:
        problems.add(line, "anchor", "empty text")
    problems.add(7, "tier", "unknown tier", "found 'x'")
    with pytest.raises(InputError) as raised:
        problems.refuse()
    first, *told = str(raised.value).splitlines()
    # Lines 7 to 59 are 53; line 7 has three faults.
    assert first == "e.jsonl: 53 bad row(s): 54 empty text, 1 unknown tier"
    assert told[:4] == [
        "e.jsonl:7: anchor: empty text",
        "e.jsonl:7: anchor: empty text",
        "e.jsonl:7: tier: unknown tier, found 'x'",
        "e.jsonl:8: anchor: empty text",
    ]
    assert told[19] == "e.jsonl:24: anchor: empty text"
    assert told[20].startswith("and 35 more.")
