from hashlib import sha256

import pytest

from tellapart.embed.identifiers import CutOnce, corpus_digest, split_identifiers, text_digest


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("word", ["word"]),
        ("camelCase", ["camel", "case"]),
        ("snake_case", ["snake", "case"]),
        ("MAX_VALUE", ["max", "value"]),
        ("getHTTPResponseCode", ["get", "http", "response", "code"]),
        ("parseURLs IDs", ["parse", "urls", "ids"]),
        ("AClass", ["a", "class"]),
        ("utf8Decode", ["utf", "8", "decode"]),
        ("0xFF", ["0", "x", "ff"]),
        ("IPv4Address", ["i", "pv", "4", "address"]),
        ("def read(self, n=-1): return n", ["def", "read", "self", "n", "1", "return", "n"]),
        ("getÉcole", ["get", "école"]),
        ("读取文件 path", ["读取文件", "path"]),
    ],
)
def test_pieces(text, pieces):
    assert split_identifiers(text) == pieces


def test_composed_and_decomposed_accents_are_the_same_letter():
    assert split_identifiers("cafe\u0301") == split_identifiers("caf\u00e9") == ["café"]


def test_text_left_over_from_invalid_utf8_is_cut_too():
    assert split_identifiers("open\udcff file") == ["open", "file"]


def test_pieces_that_are_remembered_are_the_same():
    cut = CutOnce()
    first = cut("readFile read_file")
    assert first == split_identifiers("readFile read_file")
    assert cut("readFile read_file") is first
    assert cut("read")[0] is first[0]


def test_digests_are_of_bytes_and_ignore_the_order_of_a_corpus():
    assert text_digest("é") == sha256(b"\xc3\xa9").digest()
    assert text_digest("\udcff") == sha256(b"\xed\xb3\xbf").digest()
    assert corpus_digest(["a", "b"]) == corpus_digest(["b", "a"]) != corpus_digest(["a", "b", "b"])
    assert corpus_digest(["ab", "c"]) != corpus_digest(["a", "bc"])
