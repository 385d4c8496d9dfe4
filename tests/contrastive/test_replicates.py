import pytest
from polars.testing import assert_frame_equal

from contrastive.fakes import item_rows
from tellapart.contrastive.item_table import MEANS, once, share_of_item


def test_one_row_an_item_is_left_as_it_is():
    rows = item_rows({"rank": 1}, {"rank": 2, "ties": 2}, {"missing": "timeout"}, {"rank": 3, "model": "n"})
    found = once(rows)
    assert_frame_equal(found.select("model", "item", *MEANS), rows.select("model", "item", *MEANS))
    assert found["low"].to_list() == [1.0, 0.0, 0.0, 0.0]
    assert found["high"].to_list() == [1.0, 0.0, 1.0, 0.0]
    assert found["tied"].to_list() == [False, True, False, False]


def test_several_rows_are_their_mean_over_those_with_a_score():
    item = {"item": "easy/x", "path": "x.py"}
    rows = item_rows(
        {**item, "rank": 1, "replicate": 0},
        {"rank": 4},
        {**item, "rank": 4, "replicate": 1},
        {**item, "missing": "refusal", "replicate": 2},
        {**item, "rank": 2, "ties": 1, "replicate": 3},
        {**item, "model": "n", "missing": "parse", "replicate": 0},
        {**item, "model": "n", "missing": "parse", "replicate": 1},
    )
    found = once(rows)
    assert found.select("model", "item", "path").rows() == [
        ("m", "easy/x", "x.py"),
        ("m", "easy/1", "1.py"),
        ("n", "easy/x", "x.py"),
    ]
    assert found["correct"].to_list() == [pytest.approx(1 / 3), 0.0, None]
    assert found["top3"].to_list() == [pytest.approx(2 / 3), 0.0, None]
    assert found["expected_rank"].to_list() == [pytest.approx((1 + 4 + 2.5) / 3), 4.0, None]
    assert found["reciprocal_rank"].to_list() == [pytest.approx((1 + 1 / 4 + 5 / 12) / 3), 0.25, None]
    assert found["low"].to_list() == [1 / 4, 0.0, 0.0]
    assert found["high"].to_list() == [2 / 4, 0.0, 1.0]
    assert found["tied"].to_list() == [True, False, False]


def test_rows_of_a_models_item_weigh_1_together():
    rows = item_rows(*({"item": f"easy/{i}", "model": m} for m, i in ("ma", "mb", "ma", "na", "ma")))
    assert share_of_item(rows).to_list() == [1 / 3, 1.0, 1 / 3, 1.0, 1 / 3]
