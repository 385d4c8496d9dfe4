import pytest

from contrastive.fakes import make_unit
from tellapart.contrastive.building import CUT_OFFS, difficulty_label, difficulty_score
from tellapart.contrastive.selection.signatures import signature_similarities

TARGET = make_unit("get_user", path="a.py")

# Names share an action: .7. No parameters on either side: 1. No types and no return types: .5 each.
# .25 * 1 + .35 * .5 + .2 * .5 + .2 * .7 = .665, which is worth 20 * .665 = 13.3 points.
SIGNATURE = 13.3


def score(count, *, same_file=0, kind="method", similarity=0.0):
    near = [make_unit("get_post", path="a.py", kind=kind) for _ in range(same_file)]
    distractors = near + [make_unit("get_post", path="b.py", kind=kind) for _ in range(count - same_file)]
    signatures = signature_similarities([TARGET], distractors)[0]
    return difficulty_score(TARGET, distractors, [similarity] * count, signatures)


def test_each_factor_by_its_cut_offs():
    by_similarity = {1: 40, 0.91: 40, 0.90: 30, 0.81: 30, 0.80: 20, 0.70: 10, 0.61: 10, 0.60: 0, -0.5: 0}
    for similarity, points in by_similarity.items():
        assert score(1, similarity=similarity) == pytest.approx(points + SIGNATURE)
    for same_file, points in enumerate((0, 7, 14, 20, 20)):
        assert score(4, same_file=same_file) == pytest.approx(points + SIGNATURE)
    for count, points in {1: 0, 8: 0, 9: 5, 18: 5, 19: 10, 30: 10}.items():
        assert score(count) == pytest.approx(points + SIGNATURE)
    together = score(19, same_file=3, kind="function", similarity=0.95)
    assert together == pytest.approx(40 + 20 + SIGNATURE + 10 + 10)


def test_labels_begin_at_their_cut_offs():
    assert CUT_OFFS == ((80, "adversarial"), (65, "very_hard"), (50, "hard"), (35, "medium"), (20, "easy"))
    assert [difficulty_label(points) for points in (100, 80, 79.999999, 20, 19.999999, 0)] == [
        *("adversarial", "adversarial", "very_hard", "easy", "trivial", "trivial")
    ]
