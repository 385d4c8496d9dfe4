"""YAML that people wrote, and the lines of its values."""

import pytest

from tellapart.errors import InputError
from tellapart.files.reading import DEEPEST
from tellapart.files.yaml_text import line_of, parse_yaml


def test_a_key_is_the_text_that_was_written():
    text = "5: a\n1.50: b\nno: c\n~: d\n2023-01-01: {7: e}\n"
    root, value = parse_yaml(text, "f.yaml")
    assert value == {"5": "a", "1.50": "b", "no": "c", "~": "d", "2023-01-01": {"7": "e"}}
    assert [line_of(root, [key]) for key in value] == [1, 2, 3, 4, 5]


def test_values_stay_what_they_are_also_where_they_are_a_key_elsewhere():
    _, value = parse_yaml("&five 5: a\nb: *five\nc: &base {6: x}\nd: {<<: *base, e: 7}\n", "f.yaml")
    assert value == {"5": "a", "b": 5, "c": {"6": "x"}, "d": {"6": "x", "e": 7}}


def test_two_ways_to_write_a_number_are_two_keys_and_one_way_is_one():
    assert parse_yaml("1: a\n0x1: b\n", "f.yaml")[1] == {"1": "a", "0x1": "b"}
    with pytest.raises(InputError, match=r"^f\.yaml:2: the key '1' occurs twice in one mapping"):
        parse_yaml("1: a\n1: b\n", "f.yaml")


def test_the_line_of_what_is_not_there_is_that_of_what_is_around_it():
    root, _ = parse_yaml("a:\n- b: 1\n  c:\n  - 2\n  - 3\n", "f.yaml")
    for place, line in (
        ((), 1),
        (("a",), 1),
        (("a", 0, "b"), 2),
        (("a", 0, "c", 0), 4),
        (("a", 0, "c", 1), 5),
        (("a", 0, "c", 2), 3),
        (("a", 0, "d"), 2),
        (("x",), 1),
        (("a", 1), 1),
    ):
        assert line_of(root, place) == line


def test_the_deepest_level_is_read_and_the_next_one_is_named_with_its_line():
    def nested(levels):
        return "\n".join(["["] * levels + ["]"] * levels)

    parse_yaml(nested(DEEPEST), "f.yaml")
    with pytest.raises(InputError, match=rf"^f\.yaml:{DEEPEST + 1}: has more than {DEEPEST} levels"):
        parse_yaml(nested(DEEPEST + 1), "f.yaml")
