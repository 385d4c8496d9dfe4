"""The explorer: files by the names that they define, in small repositories."""

import asyncio

import pytest

from tellapart.codesearch import index
from tellapart.codesearch.explorers.explorer import ExplorerRequest, Issue
from tellapart.codesearch.kinds import load
from tellapart.codesearch.repositories import Repositories
from tellapart.extraction.defined_names import defined_names

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


def test_a_file_is_parsed_again_only_when_its_content_changes(shop, tmp_path, monkeypatch):
    read = []

    def noted(path, data):
        read.append(path)
        return defined_names(path, data)

    monkeypatch.setattr(index, "defined_names", noted)
    first = explored(shop, tmp_path / "index", "invoice")
    assert len(read) == len(SHOP)
    read.clear()
    assert explored(shop, tmp_path / "index", "invoice") == first
    assert read == []
    (shop.root / "r" / "other.py").write_text("def invoice(): pass\n")
    assert "r/other.py" in explored(shop, tmp_path / "index", "invoice")
    assert read == ["r/other.py"]


def test_documentation_counts_and_neither_names_nor_paths(tmp_path):
    place = tmp_path / "code" / "r" / "refund.py"
    place.parent.mkdir(parents=True)
    place.write_text(
        'class Store:\n    def pay(self):\n        """Send the invoice again."""\n        return 1\n'
    )
    repositories = Repositories.open(tmp_path / "code", ["r"])
    explorer = load("explorers", ExplorerRequest("docstrings", "", repositories, tmp_path / "index"))
    invoice, refund = Issue("1", "an invoice is wrong"), Issue("2", "refund store")
    assert asyncio.run(explorer.explore(invoice, repositories)).files == ("r/refund.py",)
    assert asyncio.run(explorer.explore(refund, repositories)).files == ()
