import pytest

from tellapart.embed.identifiers import CutOnce, split_identifiers


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("-- _ \n\t!", []),
        ("word", ["word"]),
        ("camelCase", ["camel", "case"]),
        ("PascalCase", ["pascal", "case"]),
        ("snake_case", ["snake", "case"]),
        ("__dunder__", ["dunder"]),
        ("kebab-case", ["kebab", "case"]),
        ("MAX_VALUE", ["max", "value"]),
        ("HTTPServer", ["http", "server"]),
        ("getHTTPResponseCode", ["get", "http", "response", "code"]),
        ("parseURLs IDs", ["parse", "urls", "ids"]),
        ("isA", ["is", "a"]),
        ("AClass", ["a", "class"]),
        ("utf8Decode", ["utf", "8", "decode"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("0xFF", ["0", "x", "ff"]),
        ("IPv4Address", ["i", "pv", "4", "address"]),
        ("file file", ["file", "file"]),
        ("def read(self, n=-1): return n", ["def", "read", "self", "n", "1", "return", "n"]),
        ("naïveBayes", ["naïve", "bayes"]),
        ("getÉcole", ["get", "école"]),
        ("ПрочитатьФайл", ["прочитать", "файл"]),
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
