import pytest

from longcontext.points import probe_point
from tellapart.longcontext.curves import effective_length, heatmap, item_scores


def point(item="q", value=1.0, *, cluster="c", tokens=1500, distance=100, depth=0.5, asked=None, model="m"):
    missing = "provider" if value is None else None
    return probe_point(model, item, cluster, tokens, distance, depth, value, missing, asked)


def test_the_same_question_counts_once():
    points = [point("a", 1.0), point("a", 0.0), point("a", 0.0), point("b", 1.0), point("b", None)]
    first, second = item_scores(points)
    assert first.item == "a"
    assert (first.value, first.lowest, first.highest) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    # One of the two askings of b is missing: it is 1 as far as is known, between 1/2 and 1 in any case.
    assert (second.value, second.lowest, second.highest) == (1.0, 0.5, 1.0)
    (cell,) = effective_length(points).models[0].by_length
    assert (cell.value, cell.n) == (pytest.approx(2 / 3), 2)
    assert cell.missing == {"provider": 1}
    assert (cell.lowest, cell.highest) == (pytest.approx(5 / 12), pytest.approx(2 / 3))


def test_the_heatmap_has_every_depth_of_every_length_and_says_nothing_where_nothing_was_asked():
    points = [
        point("a", depth=0.0, asked=2000),
        point("b", 0.0, depth=0.2, asked=2000),
        point("c", None, depth=1.0, asked=2000),
        point("d", depth=0.19, asked=4000),
    ]
    cells = heatmap(points, as_intended=True)
    assert [(cell.tokens, cell.low_depth) for cell in cells] == [
        (tokens, low) for tokens in (2000, 4000) for low in (0.0, 0.2, 0.4, 0.6, 0.8)
    ]
    assert [(cell.value, cell.n, cell.n_missing) for cell in cells[:5]] == [
        (1.0, 1, 0), (0.0, 1, 0), (None, 0, 0), (None, 0, 0), (None, 0, 1),
    ]  # fmt: skip
    assert cells[4].high_depth == 1.0
    assert cells[5].value == 1.0
