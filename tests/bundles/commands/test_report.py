import json

import pytest

from bundles.stored import broken_1
from tellapart.bundles.results import scores_path

FIGURES = ("a", "b", "n", "clusters", "difference", "interval", "interval_95", "level", "test", "p",
           "p_adjusted", "p_equivalent", "bounds", "verdict", "items_needed", "planned_level")  # fmt: skip


def test_three_commands_give_one_verdict_to_the_last_bit(tellapart, tmp_path):
    boards = broken_1(tmp_path)
    tables = [scores_path(path) for path in boards]
    compared, reported, audited = (
        json.loads(tellapart(*command, "--json").out)["comparison"]
        for command in (("bundles", "compare", *boards), ("bundles", "report", *boards), ("audit", *tables))
    )
    for family in ("primary", "secondary"):
        pairs = [
            [{name: pair[name] for name in FIGURES} for pair in found[family]["pairs"]]
            for found in (compared, reported, audited)
        ]
        assert pairs[0] == pairs[1] == pairs[2]
    (pair,) = compared["primary"]["pairs"]
    # Eight against one: 2 (1 + 9) / 2^9.
    assert (pair["p"], pair["p_adjusted"], pair["verdict"]) == (0.0390625, 0.0390625, "b>a")
    assert (pair["a"], pair["difference"]) == ("base", pytest.approx(-7 / 60))
    assert pair["interval"][1] < 0
    hardest = compared["secondary"]["pairs"][-1]
    assert (hardest["stratum"], hardest["p"], hardest["p_adjusted"]) == (
        "tier3_adversarial",
        0.0390625,
        pytest.approx(3 * 0.0390625),
    )
    assert hardest["verdict"] == "not_separated"
    assert (compared["secondary"]["size"], reported["secondary"]["size"]) == (3, 3)
