import numpy as np

from contrastive.fakes import ends, item_rows
from tellapart.contrastive.pairs import pairs
from tellapart.core.stats import holm, items_needed, items_needed_interval, paired_difference


def two_by_two():
    """Outcomes of three models on eight items in four files; c is b, and a misses one item."""
    outcomes = {"a": [1, 1, 1, 0, 1, 1, 0, None], "b": [0, 1, 0, 0, 1, 0, 0, 1]}
    outcomes["c"] = outcomes["b"]
    rows = [
        {"model": model, "item": f"easy/{i}", "path": f"{i // 2}.py"}
        | ({"missing": "infeasible"} if right is None else {"rank": 2 - right})
        for model, column in outcomes.items()
        for i, right in enumerate(column)
    ]
    return item_rows(*rows)


def test_pairs_agree_with_the_statistics_called_directly():
    first, second, third = pairs(two_by_two())
    a, b = [1, 1, 1, 0, 1, 1, 0, np.nan], [0, 1, 0, 0, 1, 0, 0, 1]
    expected = paired_difference(a, b, [i // 2 for i in range(8)])
    assert (first["a"], first["b"], first["n"]) == ("a", "b", 7)
    assert first["difference"] == expected.difference == 3 / 7
    assert first["ci"] == ends(expected.interval)
    assert (first["p"], first["p_mcnemar"]) == (expected.p_clustered, expected.p_mcnemar)
    assert first["items_needed"] == items_needed(expected.difference, expected.sd)
    assert first["items_needed_range"] == list(items_needed_interval(expected.interval, expected.sd))
    assert {name: second[name] for name in second if name not in "ab"} == {
        name: first[name] for name in first if name not in "ab"
    }
    # Equals: no variation, so no p, which Holm then leaves out: two hypotheses and not three.
    assert (third["a"], third["b"], third["difference"]) == ("b", "c", 0.0)
    assert [third[name] for name in ("ci", "p", "p_holm", "items_needed")] == [None] * 4
    assert third["items_needed_range"] == [None, None]
    assert [first["p_holm"], second["p_holm"]] == holm([first["p"], second["p"]]).tolist()
    assert first["p_holm"] == min(1, 2 * first["p"])


def test_one_model_has_no_pair():
    assert pairs(item_rows({}, {})) == []
