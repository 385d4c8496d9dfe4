import asyncio

import pytest

from tellapart.codesearch.explorers.explorer import ExplorerRequest, Issue
from tellapart.codesearch.explorers.lexical import SHARE
from tellapart.codesearch.index import open_terms, take_snapshot
from tellapart.codesearch.kinds import load
from tellapart.codesearch.repositories import Repositories


@pytest.fixture
def explore(tmp_path):
    """Write files, and explore them for a summary."""

    def run(contents, summary):
        for path, content in contents.items():
            place = tmp_path / "code" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        repositories = Repositories.open(tmp_path / "code", sorted({path.split("/")[0] for path in contents}))
        explorer = load("explorers", ExplorerRequest("lexical", "", repositories, tmp_path / "index"))
        found = asyncio.run(explorer.explore(Issue("c", summary), repositories))
        assert found.failure is None
        return found.files, open_terms(take_snapshot(repositories))

    return run


CODE = {
    "a/pins.py": "def show_pins(): return community.feed",
    "a/feed.py": "class CommunityFeed: pass",
    "b/other.py": "nothing of interest",
    "b/far.py": "pins " + "filler words go on and on " * 40,
}


def test_it_gives_what_scores_a_share_of_the_best(explore):
    files, index = explore(CODE, "Community feed: pins!")
    ranked = index.ranked(["community", "feed", "pins"])
    expected = tuple(path for path, score in ranked if score >= SHARE * ranked[0][1])
    assert files == expected == ("a/pins.py", "a/feed.py")
    assert "b/far.py" in [path for path, _ in ranked]


@pytest.mark.parametrize("summary", ["?!", "Bilder werden nicht angezeigt", "写真が表示されない"])
def test_an_issue_without_a_known_word_finds_nothing(explore, summary):
    assert explore(CODE, summary)[0] == ()
