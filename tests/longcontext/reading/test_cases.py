import re

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.reading import read_cases


def test_a_directory_is_all_cases_in_it_by_name(tmp_path):
    (tmp_path / "b.txt").write_text("=== MESSAGE 1 ===\nhello\n")
    (tmp_path / "a.YAML").write_text("steps:\n- message: M1\n  text: hello\n")
    (tmp_path / "results.json").write_text("{}")
    (tmp_path / "answers.txt").write_text("V1-1:\n  A: hello\n")
    (tmp_path / "readme.txt").write_text("About these files.\n")
    first = tmp_path / "b.txt"
    assert [case.name for case in read_cases([tmp_path])] == ["a", "b"]
    with pytest.raises(InputError, match=re.escape(f"this case is called 'b', and so is {first}")):
        read_cases([first, tmp_path])


def test_numbers_in_names_are_put_in_order_by_value(tmp_path):
    names = [
        *("1K-01", "1K-02", "1K-10", "1500-01", "1.6K-01", "2K-01", "16K-01", "32k-1"),
        *("case_2_long", "Case_3", "case_10_short", "case_10kg", "case_10K"),
    ]
    for name in reversed(names):
        (tmp_path / f"{name}.txt").write_text("=== MESSAGE 1 ===\nhello\n")
    assert [case.name for case in read_cases([tmp_path])] == names
