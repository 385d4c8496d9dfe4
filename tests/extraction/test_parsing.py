"""Files that nobody writes, and that a parser or a query would not get done with."""

import time

import pytest

from tellapart.extraction import reading
from tellapart.extraction.cutting import defined_names
from tellapart.extraction.extract import extract_units
from tellapart.extraction.languages import all_languages
from tellapart.extraction.reading import Unusable, parsed_tree
from tellapart.extraction.sources import find_sources

LANGUAGES = {language.name: language for language in all_languages()}


@pytest.mark.parametrize("text", ["f(" * 20_000 + ")" * 20_000, "a" + ".b()" * 20_000])
def test_what_is_nested_too_deep_is_unparsable_at_once(text):
    began = time.process_time()
    assert defined_names("x.rb", text.encode()) == ()
    assert time.process_time() - began < 5  # more than a minute without a bound


@pytest.mark.slow
def test_a_parser_that_takes_too_long_is_stopped_and_works_again(monkeypatch, tmp_path):
    # Every further < makes the parser look through all that came before.
    endless = b"class A { int a = 1; }\n" + b"a<" * 6_000
    monkeypatch.setattr(reading, "MOST_S", 0.05)
    assert defined_names("A.java", endless) == ()
    with pytest.raises(Unusable, match="unparsable"):
        parsed_tree(endless, LANGUAGES["java"])
    assert defined_names("A.java", b"class B { }") == ("B",)
    (tmp_path / "A.java").write_bytes(endless)
    assert extract_units(find_sources(tmp_path)).skipped.counts["unparsable"] == 1
