"""Files read whole or a line at a time."""

import pytest

from tellapart.errors import InputError
from tellapart.files import JsonError, as_object, read_json, read_json_lines, read_object, read_text


@pytest.mark.parametrize("value", [[], "x", None, 3])
def test_something_else_than_an_object_is_shown(value):
    with pytest.raises(InputError, match="f: found .*, expected an object"):
        as_object(value, "f")
    assert as_object({"a": 1}, "f") == {"a": 1}


def test_lines_keep_their_numbers_and_blank_ones_are_passed_over(tmp_path):
    path = tmp_path / "f"
    # The mark alone on the first line, as editors leave it, is a blank line too.
    path.write_bytes(b'\xef\xbb\xbf\n{"a": 1}\r\n\n [2]\n3')
    assert [(line.number, line.value) for line in read_json_lines(path)] == [(2, {"a": 1}), (4, [2]), (5, 3)]


def test_lines_that_cannot_be_read_are_handed_over(tmp_path):
    path = tmp_path / "f"
    path.write_text('{"a": 1}\n{\n{"b": NaN}\n')
    faults = []
    lines = list(
        read_json_lines(path, lambda number, error: faults.append((number, error.column)), finite=True)
    )
    assert [line.value for line in lines] == [{"a": 1}, {"b": None}]
    assert faults == [(2, 2)]


def test_line_ends_of_texts_are_one(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path) == "a\nb\nc\n"


def test_what_to_do_follows_what_is_wrong(tmp_path):
    path = tmp_path / "f"
    with pytest.raises(InputError, match="cannot read the board: No such file or directory. Make one."):
        read_json(path, "the board", next_step="Make one")
    path.write_text("[")
    with pytest.raises(
        JsonError, match=r"f:1:2: this is not JSON.* copy it whole, or write it again. Make one\."
    ):
        read_object(path, next_step="Make one")
