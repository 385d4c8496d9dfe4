import pytest

from tellapart.files import JsonError, parse_json
from tellapart.files.json_text import DEEPEST


def refusal(text):
    with pytest.raises(JsonError) as raised:
        parse_json(text, "in.json")
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "in.json: is empty. Was it copied whole?"),
        (b"\xef\xbb\xbf \n", "in.json: is empty."),
        (b'{\n "a": "\xe4"}', "in.json:2:8: is not UTF-8: byte 0xe4. Save it as UTF-8."),
        ("{}".encode("utf-16"), "in.json: is UTF-16, expected UTF-8."),
        ('{"a": [1,\n 2', "in.json:2:3: this is not JSON: Expecting ',' delimiter. The file breaks off:"),
        (
            '{"a": "bcd',
            "in.json:1:7: this is not JSON: Unterminated string starting at, found '\"bcd'. The file",
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
            "in.json:2:1: a second document begins here. This looks like JSON Lines, expected one",
        ),
        (
            '{"a": 1}\ndone',
            "in.json:2:1: goes on after the end of the JSON, with 'done'. Messages of a program",
        ),
        (
            "\nLoading …\n{}",
            "in.json:2:1: this is not JSON, it begins with 'Loading …\\n{}'. Is this the right",
        ),
        (
            '{"a": 1, "b": {"a": 2},\n "a": 3}',
            "in.json: the key 'a' occurs twice in one object. Keep one",
        ),
        ('{"a": 1, "\\u0061": 3}', "in.json: the key 'a' occurs twice in one object."),
        ('{"a": "1", "a": "\\u0022"}', "in.json: the key 'a' occurs twice in one object."),
        (
            f'{{"a": 1,\n "b": -{"1" * 5000}}}',
            "in.json: a number of 5,000 digits, expected at most 308. Put quotes around it",
        ),
        (b'{"a": "\xed\xa0\x80"}', "in.json:1:8: is not UTF-8: byte 0xed."),
    ],
)
def test_the_message_says_what_where_and_what_to_do(text, message):
    assert refusal(text).startswith(message)


def test_a_byte_order_mark_does_not_move_the_column():
    assert refusal(b'\xef\xbb\xbf{"a": ?}').startswith("in.json:1:7: ")


def test_the_lines_of_a_part_are_counted_from_its_first():
    with pytest.raises(JsonError, match=r"^log\.jsonl:7:2: ") as raised:
        parse_json(b"{?}", "log.jsonl", first_line=7)
    assert raised.value.position == 1


def test_nan_and_infinity_are_numbers_or_none():
    text = '{"a": [NaN, -Infinity, 1e999, 1.5], "b": "NaN"}'
    assert repr(parse_json(text, "x")) == "{'a': [nan, -inf, inf, 1.5], 'b': 'NaN'}"
    assert parse_json(text, "x", finite=True) == {"a": [None, None, None, 1.5], "b": "NaN"}


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + 400 * "0" + ".5"]
)
def test_each_number_that_is_not_finite_is_none_by_itself(number):
    assert parse_json(f'{{"a": {number}}}', "x", finite=True) == {"a": None}


@pytest.mark.parametrize("text", [rb'{"\ud83d": ["cut \ud83d"]}', '{"\ud83d": ["cut \ud83d"]}'])
def test_half_a_surrogate_pair_is_the_replacement_character(text):
    assert parse_json(text, "x") == {"\ufffd": ["cut \ufffd"]}


@pytest.mark.parametrize("levels", [DEEPEST + 1, 500, 100_000])
@pytest.mark.parametrize(("open_", "close"), ["[]", ('{"a":', "}")])
def test_nesting_ends_somewhere(open_, close, levels):
    message = refusal(open_ * levels + "1" + close * levels)
    assert f"in.json: has more than {DEEPEST} levels" in message


def test_as_many_levels_as_allowed_are_read():
    parse_json("[" * DEEPEST + "]" * DEEPEST, "x")
