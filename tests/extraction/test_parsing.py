"""Files that nobody writes, and that a parser or a query would not get done with."""

import time

import pytest

from tellapart.extraction import parsing
from tellapart.extraction.extract import extract_units
from tellapart.extraction.languages import all_languages
from tellapart.extraction.parsing import HARMLESS_BYTES, is_too_deep, parsed_tree
from tellapart.extraction.reading import Unusable
from tellapart.extraction.references import references
from tellapart.extraction.sources import find_sources

LANGUAGES = {language.name: language for language in all_languages()}


@pytest.mark.parametrize("text", ["f(" * 20_000 + ")" * 20_000, "a" + ".b()" * 20_000])
def test_what_is_nested_too_deep_is_unparsable_at_once(text):
    began = time.process_time()
    found = references("x.rb", text.encode())
    assert (found.unusable, found.identifiers) == ("unparsable", ())
    assert time.process_time() - began < 5  # more than a minute without a bound


def test_depth_is_nothing_bad_by_itself(monkeypatch):
    nested = LANGUAGES["ruby"].parser.parse(b"f(" * 500 + b")" * 500).root_node
    flat = LANGUAGES["ruby"].parser.parse(b"f(1)\n" * 50_000).root_node
    assert not is_too_deep(nested) and not is_too_deep(flat)
    # Of 2,501 nodes half are deeper than 494; the flat file has 100 times as many, 2 deep on average.
    monkeypatch.setattr(parsing, "MOST_STEPS", 1_000_000)
    assert is_too_deep(nested) and not is_too_deep(flat)


def test_an_empty_file_is_not_deep():
    assert not is_too_deep(LANGUAGES["python"].parser.parse(b"").root_node)


@pytest.mark.slow
def test_a_parser_that_takes_too_long_is_stopped_and_works_again(monkeypatch, tmp_path):
    # Every further < makes the parser look through all that came before.
    endless = b"class A { int a = 1; }\n" + b"a<" * 6_000
    monkeypatch.setattr(parsing, "MOST_S", 0.05)
    assert references("A.java", endless).unusable == "unparsable"
    with pytest.raises(Unusable, match="unparsable"):
        parsed_tree(endless, LANGUAGES["java"])
    assert references("A.java", b"class B { }").definitions == ("B",)
    (tmp_path / "A.java").write_bytes(endless)
    assert extract_units(find_sources(tmp_path)).skipped.counts["unparsable"] == 1


def test_in_pieces_a_tree_is_the_same():
    text = "".join(f"def größe_{number}(a, b):\n    return a + 'ü' * b\n" for number in range(4_000)).encode()
    assert len(text) > HARMLESS_BYTES > 2 * parsing._PIECE_BYTES
    whole = LANGUAGES["python"].parser.parse(text)
    assert str(parsed_tree(text, LANGUAGES["python"]).root_node) == str(whole.root_node)
