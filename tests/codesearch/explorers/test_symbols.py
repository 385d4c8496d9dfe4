"""The explorer: ranking and its one hop by hand, in small repositories."""

import asyncio
import random
from math import log

import pytest

from tellapart.codesearch.explorers.explorer import ExplorerRequest, Issue, load_explorer
from tellapart.codesearch.explorers.lexical import MOST_FILES
from tellapart.codesearch.explorers.symbols import DAMPING, SHARE, SymbolSearch
from tellapart.codesearch.index.snapshot import take_snapshot
from tellapart.codesearch.index.symbols import search_arrays
from tellapart.codesearch.repositories import Repositories
from tellapart.extraction.references import references

SHOP = {
    "r/app/feed.py": "from app.store import load_rows\n\ndef render_feed(): return load_rows()\n",
    "r/app/store.py": "def load_rows(): return open_table()\n",
    "r/app/table.py": "def open_table(): pass\n",
    "r/app/page.py": "def page(): return render_feed()\n",
    "r/app/tax.py": "def rate(): pass\n",
}


def search(files):
    paths = sorted(files)
    return SymbolSearch(
        paths, search_arrays(paths, [references(path, files[path].encode()) for path in paths])
    )


@pytest.fixture
def shop(tmp_path):
    for path, text in SHOP.items():
        place = tmp_path / "code" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Repositories.open(tmp_path / "code", ["r"])


def explorer(repositories, directory):
    return load_explorer(ExplorerRequest("symbols", "", repositories, directory))


def explored(repositories, directory, issue):
    ready = explorer(repositories, directory)
    ready.prepare()
    return asyncio.run(ready.explore(Issue("1", issue)))


def test_one_hop_to_what_is_imported_and_to_what_uses_a_rare_name(shop, tmp_path):
    """``feed`` names feed.py. One hop leads to store.py (imported) and page.py (uses ``render_feed``).

    table.py is two hops away, tax.py has nothing to do with it. feed.py is the only importer of store.py: its
    closeness is 1. Two of five files have ``render_feed``: log(6 / 2) / log 6, which is less.
    """
    assert DAMPING * log(3) / log(6) < SHARE < DAMPING
    assert explored(shop, tmp_path / "index", "feed").files == ("r/app/feed.py", "r/app/store.py")
    wide = {f"r/x{number}.txt": "" for number in range(95)}
    # In a hundred files, two are few: .7 log(101 / 2) / log 101 = .59.
    assert search(SHOP | wide).find("feed") == ("r/app/feed.py", "r/app/store.py", "r/app/page.py")


def test_a_hop_adds_to_what_a_file_has_of_its_own():
    """``tax`` is said by two paths alike; b/tax.py is imported by the file that the issue names best."""
    files = {
        "r/a/tax.py": "",
        "r/b/tax.py": "",
        "r/cart.py": "from b import tax\ndef cart_of_user(): pass\n",
    }
    assert search(files).find("cart of user: tax")[:2] == ("r/cart.py", "r/b/tax.py")
    assert search(files | {"r/cart.py": ""}).find("tax") == ("r/a/tax.py", "r/b/tax.py")


def test_a_file_takes_the_most_that_it_is_given_whoever_gives_last():
    """Both a and z import d, and a, which is followed first, scores more.

    Of N files two have ``feed`` and one ``pin``: a scores log((N + 1) / 2) + log(N + 1), z the first alone.
    What d is given is ``DAMPING`` of what a scores, times log((N + 1) / 2) / log(N + 1): two files import it.
    """
    files = {
        "r/a.py": "import d\ndef feed(): 1\ndef pin(): 1",
        "r/d.py": "",
        "r/z.py": "import d\ndef feed(): 2",
    }
    assert search(files).find("feed pin") == ("r/a.py",)
    many = {f"r/x{number}.txt": "" for number in range(997)}
    # Of three that is .7 times .5 of a's score, of a thousand .7 times .9, and of z's it would be too little.
    assert search(files | many).find("feed pin") == ("r/a.py", "r/z.py", "r/d.py")


def test_files_need_half_of_the_best_score():
    """Of four files one has ``aa``, so that it weighs log 5.

    With ``bb`` in three files it weighs log(5 / 3), less than half of that; in two, log(5 / 2): more.
    """
    assert log(5 / 3) < SHARE * log(5) < log(5 / 2)
    three = dict.fromkeys(["r/aa.txt", "r/bb.md", "r/bb.txt", "r/bb.xml"], "")
    two = dict.fromkeys(["r/aa.txt", "r/bb.md", "r/bb.txt", "r/cc.xml"], "")
    assert search(three).find("aa bb") == ("r/aa.txt",)
    assert search(two).find("aa bb") == ("r/aa.txt", "r/bb.md", "r/bb.txt")
    assert search(three).find("bb") == ("r/bb.md", "r/bb.txt", "r/bb.xml")


def test_no_more_files_than_the_other_explorer_gives():
    files = {f"r/{number:03}.py": f"def feed(): {number}" for number in range(MOST_FILES + 9)}
    assert search(files).find("feed") == tuple(sorted(files))[:MOST_FILES]
    assert search(files).find("feed", 3) == ("r/000.py", "r/001.py", "r/002.py")


def test_the_order_of_files_does_not_matter():
    names = ["feed", "pin", "rate", "load", "table", "page", "user", "cart"]
    rng = random.Random(3)
    files = {
        f"r/{rng.choice('abc')}/f{number}.py": "".join(
            f"def {rng.choice(names)}_{rng.choice(names)}(): {rng.choice(names)}_{rng.choice(names)}()\n"
            for _ in range(4)
        )
        for number in range(40)
    }
    issues = ["feed of pins", "loading the user's table", "cart page rate", "`load_cart` fails"]
    expected = [search(files).find(issue) for issue in issues]
    assert all(expected)
    for _ in range(5):
        shuffled = list(files)
        rng.shuffle(shuffled)
        assert [search({path: files[path] for path in shuffled}).find(issue) for issue in issues] == expected


def test_unrelated_files_leave_the_others_in_their_order():
    files = {
        "r/a.py": "def feed(): 1",
        "r/b.py": "def feed_page(): 1",
        "r/c.py": "def other(): feed_page()",
    }
    before = search(files).find("feed")
    more = {f"r/q{number}.py": f"def q{number}(): z{number}" for number in range(30)}
    assert [path for path in search(files | more).find("feed") if path in before] == list(before)


@pytest.mark.parametrize("issue", ["", "...", "the and of", "どこ", "nothing matches"])
def test_an_issue_that_names_nothing_finds_nothing_and_has_no_error(shop, tmp_path, issue):
    found = explored(shop, tmp_path / "index", issue)
    assert found.files == ()
    assert found.failure is None


def test_prose_is_nothing_to_it(shop, tmp_path):
    (shop.root / "r/app/tax.py").write_text('"""Everything about the feed."""\n# feed feed\nx = "feed"\n')
    assert "r/app/tax.py" not in explored(shop, tmp_path / "index", "feed").files


def test_results_are_the_same_from_what_is_kept_from_damage_and_from_nothing(shop, tmp_path):
    issue = "render_feed shows no rows of the table"
    directory = tmp_path / "index"
    expected = explored(shop, directory, issue).files
    assert expected[0] == "r/app/feed.py"
    assert explored(shop, directory, issue).files == expected
    names, symbols = sorted(directory.iterdir())
    names.write_bytes(names.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="damaged"):
        assert explored(shop, directory, issue).files == expected
    names.unlink()
    symbols.write_bytes(symbols.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="damaged"):
        assert explored(shop, directory, issue).files == expected
    assert explored(shop, tmp_path / "other", issue).files == expected


def test_preparing_twice_reads_once(shop, tmp_path):
    ready = explorer(shop, tmp_path / "index")
    ready.prepare()
    (shop.root / "r/app/feed.py").unlink()
    ready.prepare()
    assert "r/app/feed.py" in asyncio.run(ready.explore(Issue("1", "feed"))).files


def test_an_empty_repository(tmp_path):
    (tmp_path / "r").mkdir()
    assert explored(Repositories.open(tmp_path, ["r"]), tmp_path / "index", "feed").files == ()


def test_a_snapshot_that_is_handed_on_is_what_is_explored(shop, tmp_path):
    snapshot = take_snapshot(shop)
    (shop.root / "r/app/more_feed.py").write_text("")
    for name in ("symbols", "lexical"):
        ready = load_explorer(ExplorerRequest(name, "", shop, tmp_path / "index", snapshot=snapshot))
        found = asyncio.run(ready.explore(Issue("1", "feed"))).files
        assert "r/app/feed.py" in found
        assert "r/app/more_feed.py" not in found
