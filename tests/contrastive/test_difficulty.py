import pytest

from contrastive.fakes import make_unit
from tellapart.contrastive.selection.difficulty import difficulty_label, difficulty_score
from tellapart.contrastive.selection.signatures import signature_similarities

TARGET = make_unit("get_user", path="a.py")

# Names share an action: .7. No parameters on either side: 1. No types and no return types: .5 each.
# .25 * 1 + .35 * .5 + .2 * .5 + .2 * .7 = .665, which is worth 20 * .665 = 13.3 points.
SIGNATURE = 13.3


def others(count, *, path="b.py", kind="method"):
    return [make_unit("get_post", path=path, kind=kind) for _ in range(count)]


def score(distractors, similarity=0.0):
    signatures = signature_similarities([TARGET], distractors)[0]
    return difficulty_score(TARGET, distractors, [similarity] * len(distractors), signatures)


@pytest.mark.parametrize(
    ("similarity", "points"),
    [(1, 40), (0.91, 40), (0.90, 30), (0.81, 30), (0.80, 20), (0.70, 10), (0.61, 10), (0.60, 0), (-0.5, 0)],
)
def test_similarity_counts_above_its_cut_offs(similarity, points):
    assert score(others(1), similarity) == pytest.approx(points + SIGNATURE)


@pytest.mark.parametrize(("same_file", "points"), [(0, 0), (1, 7), (2, 14), (3, 20), (4, 20)])
def test_the_same_file_counts_seven_each_up_to_twenty(same_file, points):
    distractors = others(same_file, path="a.py") + others(4 - same_file)
    assert score(distractors) == pytest.approx(points + SIGNATURE)


@pytest.mark.parametrize(("count", "points"), [(1, 0), (8, 0), (9, 5), (18, 5), (19, 10), (30, 10)])
def test_the_number_of_distractors_counts_from_nine_and_from_nineteen(count, points):
    assert score(others(count)) == pytest.approx(points + SIGNATURE)


def test_factors_add_up():
    distractors = others(3, path="a.py", kind="function") + others(16, kind="function")
    assert score(distractors, 0.95) == pytest.approx(40 + 20 + SIGNATURE + 10 + 10)


@pytest.mark.parametrize(
    ("points", "label"),
    [
        (100, "adversarial"),
        (80, "adversarial"),
        (79.999999, "very_hard"),
        (65, "very_hard"),
        (64.999999, "hard"),
        (50, "hard"),
        (49.999999, "medium"),
        (35, "medium"),
        (34.999999, "easy"),
        (20, "easy"),
        (19.999999, "trivial"),
        (0, "trivial"),
    ],
)
def test_labels_begin_at_their_cut_offs(points, label):
    assert difficulty_label(points) == label
