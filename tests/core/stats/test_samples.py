import numpy as np
import pytest

from tellapart.core.stats.intervals import cluster_codes, finite_values


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, float("nan")], r"values\[1\] is .*nan.*finite"),
        ([[0.5]], r"values has shape \(1, 1\)"),
    ],
)
def test_values_that_cannot_be_used_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        finite_values(values, "values")


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        np.array([9, 4, 9]),
        np.array([0.5, 0.25, 0.5]),
        [("x", 2), ("x", 1), ("x", 2)],
    ],
)
def test_labels_of_any_type_are_numbered_in_their_own_order(labels):
    codes, n_clusters = cluster_codes(labels, 3)
    assert codes.tolist() == [1, 0, 1]
    assert n_clusters == 2


@pytest.mark.parametrize(
    "labels",
    [
        ["b", None, "b", None, "a"],
        np.array(["b", None, "b", None, "a"], dtype=object),
        np.array([3.0, np.nan, 3.0, np.nan, 2.0]),
        [3.0, float("nan"), 3.0, None, 2.0],
    ],
)
def test_an_item_without_a_label_is_alone(labels):
    codes, n_clusters = cluster_codes(labels, 5)
    assert codes.tolist() == [1, 2, 1, 3, 0]
    assert n_clusters == 4
