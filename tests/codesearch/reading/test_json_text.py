import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.codesearch.reading.json_text import DEEPEST, parse
from tellapart.errors import InputError


def refusal(text):
    with pytest.raises(InputError) as raised:
        parse(text, "in.json")
    return str(raised.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(deadline=None)
@given(VALUES)
def test_valid_json_is_read_as_it_is(value):
    assert parse(json.dumps(value), "x") == value
    assert parse(b"\xef\xbb\xbf" + json.dumps(value, ensure_ascii=False, indent=1).encode(), "x") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "in.json: is empty. Pipe a file in, 'tellapart codesearch … < FILE', or name one with --in FILE.",
        ),
        (b"\xef\xbb\xbf \n", "in.json: is empty."),
        (b'{\n "a": "\xe4"}', "in.json:2:8: is not UTF-8: byte 0xe4. Save it as UTF-8."),
        ("{}".encode("utf-16"), "in.json: is UTF-16, expected UTF-8."),
        ('{"a": [1,\n 2', "in.json:2:3: this is not JSON: Expecting ',' delimiter. It breaks off:"),
        (
            '{"a": "bcd',
            "in.json:1:7: this is not JSON: Unterminated string starting at, found '\"bcd'. It breaks",
        ),
        (
            '{"a": 1,}',
            "in.json:1:9: this is not JSON: Expecting property name enclosed in double quotes, found '}'.",
        ),
        (
            "{'a': 1}",
            "in.json:1:2: this is not JSON: Expecting property name enclosed in double quotes, found",
        ),
        (
            '{"a": 1}\n{"a": 2}',
            "in.json:2:1: begins a second object: this looks like JSON Lines, expected one",
        ),
        (
            '{"a": 1}\ndone',
            "in.json:2:1: goes on after the end of the JSON, with 'done'. Messages of a program",
        ),
        (
            "\nLoading …\n{}",
            "in.json:2:1: this is not JSON, it begins with 'Loading …\\n{}'. Messages of a program",
        ),
        (
            '{"a": 1, "b": {"a": 2},\n "a": 3}',
            "in.json:2:2: the key 'a' occurs twice in one object. Keep one",
        ),
        ('{"a": 1, "\\u0061": 3}', "in.json:1:10: the key 'a' occurs twice in one object."),
        (
            '{"a": "NaN",\n "b": [NaN]}',
            "in.json:2:8: found NaN, which is not JSON, expected a number or null.",
        ),
        ('{"a": -Infinity}', "in.json:1:7: found -Infinity, which is not JSON"),
        ('{"a": "1e999", "b": 1e999}', "in.json:1:21: the number '1e999' is too large."),
        (f'{{"b": -{"1" * 5000}}}', "in.json:1:7: the number '-1111111111111111111' is too large."),
    ],
)
def test_the_message_says_what_where_and_what_to_do(text, message):
    assert refusal(text).startswith(message)


def test_a_byte_order_mark_does_not_move_the_column():
    assert refusal(b'\xef\xbb\xbf{"a": NaN}').startswith("in.json:1:7: found NaN")


@pytest.mark.parametrize("levels", [DEEPEST + 1, 500, 100_000])
def test_nesting_ends_somewhere(levels):
    assert f"in.json:1:{DEEPEST + 1}: has more than 100 levels" in refusal("[" * levels + "]" * levels)


def test_as_many_levels_as_allowed_are_read():
    parse("[" * DEEPEST + "]" * DEEPEST, "x")
    parse('{"a":' * DEEPEST + "1" + "}" * DEEPEST, "x")


def test_the_first_fault_is_told_whatever_comes_after_it():
    for text in ('{"a": NaN, "b": 1, "b": 2, "c": }', '{"a": NaNsense}', '{"a": NaN"b"'):
        assert refusal(text).startswith("in.json:1:7: found NaN")
