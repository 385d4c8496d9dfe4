"""Texts and JSON read whole or a line at a time, and what is said of those that cannot be read."""

import pytest

from tellapart.errors import InputError
from tellapart.files import JsonError, parse_json, read_json, read_object, read_text
from tellapart.files.reading import DEEPEST, json_lines


def refusal(text):
    with pytest.raises(JsonError) as raised:
        parse_json(text, "in.json")
    return str(raised.value)


def test_the_message_says_what_where_and_what_to_do():
    syntax = "this is not JSON: "
    for text, message in (
        ("", "in.json: is empty. Was it copied whole?"),
        (b'{\n "a": "\xe4"}', "in.json:2:8: is not UTF-8: byte 0xe4. Save it as UTF-8."),
        ("{}".encode("utf-16"), "in.json: is UTF-16, expected UTF-8."),
        ('{"a": [1,\n 2', f"in.json:2:3: {syntax}Expecting ',' delimiter. The file breaks off:"),
        ('{"a": "bcd', f"in.json:1:7: {syntax}Unterminated string starting at, found '\"bcd'. The file"),
        ("{'a': 1}", f"in.json:1:2: {syntax}Expecting property name enclosed in double quotes, found"),
        ('{"a": 1}\n{"a": 2}', "in.json:2:1: a second document begins here. This looks like JSON Lines"),
        ('{"a": 1}\ndone', "in.json:2:1: goes on after the end of the JSON, with 'done'."),
        ("\nLoading …\n{}", f"in.json:2:1: {syntax}Expecting value, found 'Loading …"),
        ('{"a": 1, "\\u0061": 3}', "in.json: the key 'a' occurs twice in one object."),
        (f'{{"b": -{"1" * 5000}}}', "in.json: a number of 5,001 digits, expected at most 308."),
        (b'\xef\xbb\xbf{"a": ?}', "in.json:1:7: "),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"in.json: has more than {DEEPEST} levels"),
        ('{"a":' * 100_000, f"in.json: has more than {DEEPEST} levels"),
    ):
        assert refusal(text).startswith(message)
    parse_json("[" * DEEPEST + "]" * DEEPEST, "x")


def test_the_lines_of_a_part_are_counted_from_its_first():
    with pytest.raises(JsonError, match=r"^log\.jsonl:7:2: "):
        parse_json(b"{?}", "log.jsonl", first_line=7)


def test_nan_and_infinity_are_numbers_or_none():
    text = '{"a": [NaN, -Infinity, 1e999, 1.5], "b": "NaN"}'
    assert repr(parse_json(text, "x")) == "{'a': [nan, -inf, inf, 1.5], 'b': 'NaN'}"
    assert parse_json(text, "x", finite=True) == {"a": [None, None, None, 1.5], "b": "NaN"}


@pytest.mark.parametrize("text", [rb'{"\ud83d": ["cut \ud83d"]}', '{"\ud83d": ["cut \ud83d"]}'])
def test_half_a_surrogate_pair_is_the_replacement_character(text):
    assert parse_json(text, "x") == {"\ufffd": ["cut \ufffd"]}


def test_lines_keep_their_numbers_and_blank_ones_are_passed_over(tmp_path):
    path = tmp_path / "f"
    # The mark alone on the first line, as editors leave it, is a blank line too.
    path.write_bytes(b'\xef\xbb\xbf\n{"a": 1}\r\n\n [2]\n3')
    with path.open("rb") as file:
        found = [(number, value) for number, value, _ in json_lines(file, path, finite=False)]
    assert found == [(2, {"a": 1}), (4, [2]), (5, 3)]


def test_lines_that_cannot_be_read_are_handed_over(tmp_path):
    path = tmp_path / "f"
    path.write_text('{"a": 1}\n{\n{"b": NaN}\n')
    faults = []
    with path.open("rb") as file:
        note = lambda number, error: faults.append((number, error.column))  # noqa: E731
        lines = list(json_lines(file, path, note, finite=True))
    assert [value for _, value, _ in lines] == [{"a": 1}, {"b": None}]
    assert faults == [(2, 2)]


def test_line_ends_of_texts_are_one(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path) == "a\nb\nc\n"


def test_what_to_do_follows_what_is_wrong(tmp_path):
    path = tmp_path / "f"
    with pytest.raises(InputError, match="cannot read the board: there is no such file. Make one."):
        read_json(path, "the board", next_step="Make one")
    path.write_text("[")
    with pytest.raises(JsonError, match=r"f:1:2: this is not JSON.* or write it again. Make one\."):
        read_object(path, next_step="Make one")


@pytest.mark.parametrize(
    ("there", "asked", "told"),
    [
        (["scores.csv", "other"], "score.csv", "there is no such file. Did you mean {}/scores.csv?"),
        (["b", "a", ".c"], "scores.csv", "there is no such file. In {} there are: a, b."),
        (list("abcdefg"), "scores.csv", "there is no such file. In {} there are: a, b, c, d, e and 2 more."),
        ([], "scores.csv", "there is no such file. Nothing is in {}."),
        ([], "sub/scores.csv", "there is no such file. There is no directory {}/sub either; paths are"),
        (["a"], "", "is a directory. Name one of its files."),
        (["a"], "a/b", "not a directory. Part of the path is a file; name the file itself."),
    ],
)
def test_a_file_that_cannot_be_read_says_what_there_is(tmp_path, there, asked, told):
    for name in there:
        (tmp_path / name).touch()
    with pytest.raises(InputError) as caught:
        read_text(tmp_path / asked)
    assert f"cannot read this file: {told.format(tmp_path)}" in str(caught.value)
