import numpy as np
import pytest

from contrastive.fakes import make_units
from embed.fakes import Scripted
from reference import contrastive as slow
from tellapart.contrastive.building import summaries_by_position
from tellapart.contrastive.selection.selectors import EmbedderSelector, FusionSelector
from tellapart.contrastive.selection.signatures import signature_similarities
from tellapart.embed.models.bm25 import Bm25
from tellapart.embed.models.lsa import Lsa


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


def slow_fusion(material, target, pool, dense=None):
    """Ranks of all pool members by BM25 and LSA, both standardised, and signatures, fused one by one."""
    units = material.units
    codes = [unit.content for unit in units]
    texts = [summary.text for summary in sorted(material.summaries, key=lambda summary: summary.unit)]
    about = {summary.unit: summary.text for summary in material.summaries}
    # The package is smaller than the sample, so every summary and every unit is in it.
    bm25, vectors = Bm25.fit(codes), Lsa.fit(codes).project(codes)
    lexical = []
    for i in pool:
        queries = [*texts, about[units[target].id]]
        pairs = np.arange(len(queries)), np.zeros(len(queries), dtype=np.int64)
        usual = bm25.score_pairs(queries, [codes[i]], *pairs)
        spread = usual[:-1].std()
        lexical.append((usual[-1] - usual[:-1].mean()) / spread if spread else 0.0)
    semantic = [slow.standardised(vectors, range(len(units)), target, i) for i in pool]
    (signature,) = signature_similarities([units[target]], [units[i] for i in pool])
    voters = [[round(score, 9) for score in scores] for scores in (lexical, semantic)]
    voters.append([round(score, 6) for score in signature])
    if dense is not None:
        voters.append([round(slow.standardised(dense, range(len(units)), target, i), 9) for i in pool])
    scores = slow.fused(voters, 60)
    order = sorted(range(len(pool)), key=lambda at: (-round(scores[at], 12), at))
    return [pool[at] for at in order if pool[at] != target]


def test_fusion_is_reciprocal_rank_fusion_of_three_lists(material, fusion):
    pool = np.flatnonzero([unit.type == "function" for unit in material.units])
    targets = pool[[0, 17, 30]]
    expected = [slow_fusion(material, target, pool.tolist())[:20] for target in targets]
    assert fusion.neighbours(targets, pool, 20).tolist() == expected


def test_an_embedding_model_can_be_the_fourth_list(material, fusion):
    rows = np.random.default_rng(5).normal(size=(len(material.units), 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    texts = summaries_by_position(material.units, material.summaries)
    dense = EmbedderSelector(material.units, scripted(material.units, rows))
    four = FusionSelector(material.units, texts, dense=dense)
    pool = np.flatnonzero([unit.type == "function" for unit in material.units])
    expected = slow_fusion(material, pool[0], pool.tolist(), rows.astype(np.float64))[:10]
    assert four.neighbours(pool[:1], pool, 10).tolist() == [expected]
    assert four.name == f"fusion+{dense.name}"
    assert dense.fingerprint in four.fingerprint and dense.fingerprint not in fusion.fingerprint
