import numpy as np

from support.score_tables import grid_of
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.comparison.pair_tests import paired_test, run_tests
from tellapart.core.stats.equivalence import tost_binary, tost_score
from tellapart.core.stats.paired import mcnemar_exact


def test_each_pair_has_its_own_test():
    # Two models are right or wrong, the third has grades.
    rng = np.random.default_rng(0)
    scores = np.vstack([rng.random((2, 300)) < 0.6, rng.random((1, 300))])
    found = run_tests(grid_of({f"m{i}": row for i, row in enumerate(scores)}), ComparisonSettings())
    assert [test.value for test in found.tests] == ["mcnemar", "t", "t"]
    counts = int(found.differences.only_a[0]), int(found.differences.only_b[0])
    assert found.p[0] == mcnemar_exact(*counts)
    assert found.p[1:].tolist() == found.differences.p_clustered[1:].tolist()
    assert found.p_equivalent[0] == tost_binary(*counts, 300, 0.02)
    by_score = tost_score(scores.astype(float), np.arange(300), [(0, 2), (1, 2)], 0.02, 1.0)
    assert found.p_equivalent[1:].tolist() == by_score.tolist()


def test_the_test_of_a_pair():
    cases = [(30, 30, True), (199, 199, False), (200, 200, False), (3000, 199, True), (3000, 200, True)]
    tests = [paired_test(n, clusters, binary=binary).value for n, clusters, binary in cases]
    assert tests == ["mcnemar", "sign_flip", "t", "sign_flip", "t"]
