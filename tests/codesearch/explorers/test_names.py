"""The explorer: files by the names that they define, in small repositories."""

import asyncio

import pytest

from tellapart.codesearch.explorers.explorer import ExplorerRequest, Issue
from tellapart.codesearch.kinds import load
from tellapart.codesearch.repositories import Repositories

SHOP = {
    "r/feed.py": "def render_feed():\n    return 'invoice invoice invoice'\n",
    "r/store.py": "class InvoiceStore:\n    def load(self): pass\n",
    "r/notes.md": "invoice refund\n",
    "r/refund/one.txt": "",
    "r/other.py": "def rate(): pass\n",
}


@pytest.fixture
def shop(tmp_path):
    for path, text in SHOP.items():
        place = tmp_path / "code" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Repositories.open(tmp_path / "code", ["r"])


def explored(repositories, directory, issue):
    explorer = load("explorers", ExplorerRequest("names", "", repositories, directory))
    return asyncio.run(explorer.explore(Issue("1", issue), repositories)).files


def test_names_and_paths_count_and_prose_and_strings_do_not(shop, tmp_path):
    place = tmp_path / "index"
    assert explored(shop, place, "the invoice is wrong") == ("r/store.py",)
    assert explored(shop, place, "a refund") == ("r/refund/one.txt",)
    assert explored(shop, place, "nothing of it") == ()
