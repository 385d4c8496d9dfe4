import numpy as np
import pytest

from tellapart.core.stats.intervals import cluster_codes, finite_values


def test_values_that_cannot_be_used_are_named():
    with pytest.raises(ValueError, match=r"values\[1\] is .*nan.*finite"):
        finite_values([0.5, float("nan")], "values")
    with pytest.raises(ValueError, match=r"values has shape \(1, 1\)"):
        finite_values([[0.5]], "values")


@pytest.mark.parametrize(
    "labels",
    [
        ["b", None, "b", None, "a"],
        np.array(["b", None, "b", None, "a"], dtype=object),
        np.array([3.0, np.nan, 3.0, np.nan, 2.0]),
        [3.0, float("nan"), 3.0, None, 2.0],
        [("x", 2), None, ("x", 2), None, ("x", 1)],
    ],
)
def test_labels_of_any_type_are_numbered_in_their_own_order_and_an_item_without_one_is_alone(labels):
    codes, n_clusters = cluster_codes(labels, 5)
    assert codes.tolist() == [1, 2, 1, 3, 0]
    assert n_clusters == 4
    assert cluster_codes(np.array([9, 4, 9]), 3)[0].tolist() == [1, 0, 1]
