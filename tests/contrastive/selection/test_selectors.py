import numpy as np
import pytest

from contrastive.fakes import make_units
from embed.fakes import Scripted
from reference import contrastive as slow
from tellapart.contrastive.selection.selectors import EmbedderSelector
from tellapart.contrastive.selection.signatures import signature_similarities
from tellapart.embed.models.lexical import Bm25, Lsa


@pytest.fixture
def units():
    return make_units(*"abcdefgh")


def scripted(units, rows):
    return Scripted(document={unit.content: row for unit, row in zip(units, rows, strict=True)})


def test_an_embedder_ranks_by_standardised_cosine(units):
    rows = np.random.default_rng(4).normal(size=(8, 3)) * 5 + 2
    selector = EmbedderSelector(units, scripted(units, rows))
    unit_rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert selector.vectors == pytest.approx(unit_rows, abs=1e-6)
    pool = [0, 1, 2, 4, 6, 7]
    expected = []
    for target in (2, 5):
        others = [i for i in pool if i != target]
        others.sort(key=lambda i: -slow.standardised(unit_rows, range(8), target, i))
        expected.append(others[:4])
    assert selector.neighbours(np.array([2, 5]), np.array(pool), 4).tolist() == expected


def slow_fusion(material, pool, dense=None):
    """Scores of each pool member for each, by BM25, LSA and signatures, fused one by one."""
    units = [material.units[i] for i in pool]
    about = {summary.unit: summary.text for summary in material.summaries}
    codes = [unit.content for unit in material.units]
    bm25, vectors = Bm25(codes), Lsa(codes).project(codes)
    fused = []
    for target, unit in zip(pool, units, strict=True):
        lexical = bm25.score_all([about[unit.id]], [other.content for other in units])[0]
        voters = [lexical, vectors[pool] @ vectors[target], signature_similarities([unit], units)[0]]
        if dense is not None:
            voters.append(dense[pool] @ dense[target])
        scores = slow.fused([[round(score, 9) for score in voter] for voter in voters], 60)
        fused.append([round(score, 12) for score in scores])
    return fused


def slow_neighbours(pool, fused, row):
    """The pool by the share of other members for which each is fused to a lower score."""
    keys = []
    for at, score in enumerate(fused[row]):
        # The pool is smaller than the sample, so every member is in it; for itself each has the lowest score.
        others = [0.0 if q == at else fused[q][at] for q in range(len(pool))]
        share = sum((other < score) + (other == score) / 2 for other in others) / len(pool)
        keys.append((-share, -score, at))
    order = sorted(range(len(pool)), key=keys.__getitem__)
    return [pool[at] for at in order if at != row]


def test_fusion_is_reciprocal_rank_fusion_of_three_lists_as_a_share_of_what_is_usual(material, fusion):
    pool = np.flatnonzero([unit.type == "function" for unit in material.units])
    fused = slow_fusion(material, pool.tolist())
    expected = [slow_neighbours(pool.tolist(), fused, row)[:20] for row in (0, 17, 30)]
    assert fusion.neighbours(pool[[0, 17, 30]], pool, 20).tolist() == expected
