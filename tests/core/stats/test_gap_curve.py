import pytest

from tellapart.core.stats.power import items_against_gap, items_needed_t, mcnemar_items_needed


def test_each_gap_has_its_items():
    options = {"alpha": 0.01, "power": 0.9, "design_effect": 2.0, "items_per_cluster": 4.0}
    found = items_against_gap([0.1, -0.2, 0.0], 0.5, **options)
    assert found == [items_needed_t(0.1, 0.5, **options), items_needed_t(0.2, 0.5, **options), None]


def test_right_and_wrong_differ_as_often_as_the_spread_says():
    # sd .4 and a gap of .3: .16 + .09 = .25 differ, less than .3 of them, so .3; of .1: .17 differ.
    found = items_against_gap([0.3, -0.1, 0.0], 0.4, alpha=0.01, power=0.9, exact_mcnemar=True)
    assert found == mcnemar_items_needed([0.3, 0.135, 0.08], [0.0, 0.035, 0.08], alpha=0.01, power=0.9)
    assert found[2] is None


def test_right_and_wrong_differ_on_all_items_at_most():
    assert items_against_gap([0.9], 0.8, exact_mcnemar=True) == mcnemar_items_needed([0.95], [0.05])
    with pytest.raises(ValueError, match="gaps reach 1.5"):
        items_against_gap([1.5], 0.8, exact_mcnemar=True)
