"""Canaries and their gate: a rate held to a floor."""

import json
from xml.etree import ElementTree

import pytest
from statsmodels.stats.proportion import proportion_confint

from bundles.stored import write_board
from tellapart.bundles.gates import canary
from tellapart.bundles.results import read_scoreboard
from tellapart.core.comparison import GateOutcome


def board(tmp_path, passed, failed, **more):
    return write_board(tmp_path, "m", [0.1] * passed + [-0.1 - i / 100 for i in range(failed)], **more)


def test_a_failed_gate_lists_what_failed_and_is_a_failure_in_junit(tellapart, tmp_path):
    path = board(tmp_path, 160, 40)
    line = "FAILED. m passes 80.0 % of 200 bundles (95 % interval 73.9–85.0), below the floor of 90.0 %."
    ended = tellapart(
        "bundles", "canary", path, "--junit", tmp_path / "j.xml", "--markdown", tmp_path / "m.md"
    )
    assert (ended.code, " ".join(ended.out.split()).startswith(line)) == (3, True)
    assert (tmp_path / "m.md").read_text().startswith("# FAILED")
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("failures") == "1"
    record = json.loads(tellapart("bundles", "canary", path, "--json").out)
    # The interval is that of the scoreboard.
    assert record["ci"] == pytest.approx(read_scoreboard(path).overall.ci95["pass_rate"], abs=1e-11)
    margins = [one["margin"] for one in record["failed"]]
    assert margins == sorted(margins) and len(margins) == 40


@pytest.mark.parametrize(
    ("n", "correct", "outcome"),
    [
        (200, 194, GateOutcome.PASSED),
        (200, 160, GateOutcome.FAILED),
        (200, 184, GateOutcome.UNCLEAR),
        (20, 20, GateOutcome.UNCLEAR),
        # With all passed Wilson's lower end is n / (n + 1.96²): 34 / 37.84 = .8985, 35 / 38.84 = .9011.
        (34, 34, GateOutcome.UNCLEAR),
        (35, 35, GateOutcome.PASSED),
    ],
)
def test_three_ends(tmp_path, n, correct, outcome):
    gate = canary(board(tmp_path, correct, n - correct), floor=0.9)
    assert gate.outcome is outcome
    assert [*gate.ci] == pytest.approx(proportion_confint(correct, n, method="wilson"), abs=1e-12)
    assert ("cannot pass" in (gate.reason or "")) == (n < 35)


def test_items_of_one_source_are_not_independent(tmp_path):
    # Ten items of each of 20 sources pass or fail together: 20 independent items, not 200.
    together = canary(board(tmp_path, 190, 10, clusters=[f"a{i // 10}" for i in range(200)]), floor=0.9)
    alone = canary(board(tmp_path, 19, 1), floor=0.9)
    assert together.ci[0] < 0.8
    assert [*together.ci] == pytest.approx([*alone.ci], abs=0.03)
    # The same shares, each alone, are clear.
    assert canary(board(tmp_path, 190, 10), floor=0.9).outcome is GateOutcome.PASSED
