import asyncio

import pytest

from tellapart.codesearch.index import TermIndex
from tellapart.codesearch.model import Conversation
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.systems.system import SystemRequest
from tellapart.codesearch.systems.words import LexicalSystem, telling_words
from tellapart.embed.identifiers import split_identifiers

CODE = {
    "a/pins.py": "show pins in community",
    "a/feed.py": "show feed",
    "b/board.py": "show board of pins",
    "b/feed.md": "show nothing",
}


@pytest.fixture
def search(tmp_path):
    def run(issue, **options):
        for path, content in CODE.items():
            place = tmp_path / "code" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        repositories = Repositories.open(tmp_path / "code", ["a", "b"])
        request = SystemRequest("lexical", repositories, tmp_path / "index", **options)
        system = LexicalSystem(request)
        system.prepare()
        found = asyncio.run(system.search(Conversation("c", issue)))
        files = {item["path"]: item["terms"] for item in found.output["files_found"]}
        return files, found.output["search_terms_used"], found.notes

    return run


def test_terms_are_the_rarest_words_first_without_those_that_most_files_have():
    index = TermIndex(CODE.items())

    def terms(issue):
        return telling_words({word: index.files_with(word) for word in split_identifiers(issue)}, len(CODE))

    # community: 1 file; pins, feed, a: 2; show: all 4; gone: none. Half of the files is not most of them.
    assert terms("Show a feed, pins; pins_gone from Community?") == ["community", "a", "feed", "pins"]
    assert terms("show") == ["show"]
    assert terms("gone, 写真") == []


def test_files_of_all_repositories_are_ranked_with_the_terms_that_led_to_each(search):
    files, terms, notes = search("Pins in the feed, show them")
    assert terms == ["in", "pins", "feed"]
    assert files == {
        "a/pins.py": ["in", "pins"],
        "a/feed.py": ["feed"],
        "b/feed.md": ["feed"],
        "b/board.py": ["pins"],
    }
    assert list(files)[0] == "a/pins.py" and notes == ()
