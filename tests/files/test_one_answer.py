"""One answer whatever the form: encodings, levels, keys that occur twice, odd characters."""

import json

import pytest

from tellapart.errors import InputError
from tellapart.files import parse_json, read_json_lines, read_text
from tellapart.files.tables import Kind, read_table
from tellapart.files.yaml_text import parse_yaml


def json_file(path):
    return parse_json(path.read_bytes(), path)


def json_lines(path):
    return [line.value for line in read_json_lines(path)][-1]


def yaml_file(path):
    return parse_yaml(read_text(path), path)[1]


def delimited(path):
    return read_table(path, Kind.COMMAS).to_dicts()


TREES = [json_file, json_lines, yaml_file]
ALL = [*TREES, delimited]


def refusal(read, path):
    with pytest.raises(InputError) as raised:
        read(path)
    return str(raised.value)


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "f"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("read", TREES)
def test_a_byte_order_mark_is_dropped(read, file):
    assert read(file(b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}


@pytest.mark.parametrize("read", ALL)
def test_another_encoding_is_named_with_its_first_byte(read, file):
    text = refusal(read, file(b'{"a": "caf\xe9"},1\n'))
    assert ":1:11: is not UTF-8: byte 0xe9. Save it as UTF-8" in text


@pytest.mark.parametrize("read", ALL)
def test_utf_16_is_named(read, file):
    assert "is UTF-16, expected UTF-8. Save it as UTF-8" in refusal(read, file('{"a": 1},1'.encode("utf-16")))


@pytest.mark.parametrize("read", [json_file, json_lines])
def test_half_a_surrogate_pair_becomes_the_replacement_character(read, file):
    assert read(file(r'{"a": "x\ud83d"}')) == {"a": "x�"}


@pytest.mark.parametrize("read", TREES)
def test_a_key_that_occurs_twice_is_a_fault(read, file):
    text = refusal(read, file('{"a": 1, "a": 1}'))
    assert "the key 'a' occurs twice in one " in text and text.endswith("Keep one of them.")


@pytest.mark.parametrize("read", TREES)
def test_levels_have_a_limit(read, file):
    assert "has more than 200 levels of " in refusal(read, file("[" * 5_000))
    deep = json.dumps({"a": 1})
    for _ in range(199):
        deep = f"[{deep}]"
    assert read(file(deep)) is not None


@pytest.mark.parametrize("read", [json_file, yaml_file])
def test_nothing_is_named(read, file):
    assert "is empty. Was it copied whole?" in refusal(read, file(" \n"))
