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


def test_more_are_told_by_kind_with_their_first_lines_whatever_the_order_in_which_they_came():
    problems = RowFaults(PATH)
    for line in [*range(30, 60), 7, *range(8, 30)]:
        problems.add(line, f"negatives[{line % 3}]", "empty text", f"found {line}")
    problems.add(7, "tier", "unknown tier", "found 'x'")
    first, *kinds = told(problems)
    assert first == "e.jsonl: 53 bad row(s): 53 empty text, 1 unknown tier"
    assert kinds == [
        "e.jsonl:7: negatives[1]: empty text, found 7 (53 in all)",
        "e.jsonl:7: tier: unknown tier, found 'x'. Fix them, or drop them with --skip-invalid.",
    ]


def test_ten_kinds_are_told_the_most_frequent_ones():
    problems = RowFaults(PATH)
    for line in range(1, 10_001):
        for field in range(16):
            if line % (field + 1) == 0:
                problems.add(line, f"field {chr(97 + field)}", "empty text")
    lines = told(problems)
    assert [line.split(": ")[1] for line in lines[1:11]] == [f"field {letter}" for letter in "abcdefghij"]
    assert lines[11].startswith("and 6 more kinds of faults")
    assert len(lines) == 12
