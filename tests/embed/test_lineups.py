import numpy as np
import pytest

from tellapart.core.ranking import OptionRanks
from tellapart.embed import lineups as module
from tellapart.embed.lineups import Lineups, join_lineups

FIELDS = list(OptionRanks.__dataclass_fields__)


def made(n, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, n)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Lineups(rng.integers(0, 9, n), rng.integers(0, 20, offsets[-1]), offsets)


def similarity(anchors, options):
    return ((anchors * 7 + options * 3) % 11).astype(float)


def test_two_lineups_by_hand():
    # Similarity 7 a + 3 o mod 11: of anchor 0 to 1, 2 and 3: 3, 6, 9; of anchor 1 to 0 and 5: 7, 0.
    ranking = Lineups(np.array([0, 1]), np.array([1, 2, 3, 0, 5]), np.array([0, 3, 5])).rank(similarity)
    assert ranking.rank.tolist() == [3, 1]
    assert ranking.margin.tolist() == [-6.0, 7.0]
    assert ranking.best_distractor.tolist() == [2, 4]


def test_chunks_change_nothing(monkeypatch):
    lineups = made(50)
    whole = lineups.rank(similarity)
    asked = []
    monkeypatch.setattr(module, "_LINEUPS_AT_ONCE", 7)

    def counted(anchors, options):
        asked.append(len(anchors))
        return similarity(anchors, options)

    parts = lineups.rank(counted)
    assert len(asked) == 8
    for name in FIELDS:
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()


def test_joined_and_kept_lineups_rank_as_they_did():
    a, b = made(20, 1), made(30, 2)
    joined = join_lineups([a, b])
    assert joined.rank(similarity).margin.tolist() == [
        *a.rank(similarity).margin,
        *b.rank(similarity).margin,
    ]
    kept = np.arange(50) % 3 > 0
    assert joined.keep(kept).rank(similarity).rank.tolist() == joined.rank(similarity).rank[kept].tolist()


def test_no_lineups():
    empty = join_lineups([])
    assert (len(empty), empty.offsets.tolist(), empty.rank(similarity).rank.tolist()) == (0, [0], [])


def test_a_lineup_without_negatives_is_refused():
    with pytest.raises(ValueError, match="needs a target and a distractor"):
        Lineups(np.array([0]), np.array([1]), np.array([0, 1])).rank(similarity)
