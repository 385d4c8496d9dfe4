import json
from xml.etree import ElementTree

import pytest

from bundles.stored import write_board
from tellapart.bundles.results import read_scoreboard


def board(tmp_path, passed, failed, **more):
    return write_board(tmp_path, "m", [0.1] * passed + [-0.1 - i / 100 for i in range(failed)], **more)


@pytest.mark.parametrize(
    ("passed", "failed", "code", "line"),
    [
        (
            194,
            6,
            0,
            "Passed. m passes 97.0 % of 200 bundles (95 % interval 93.6–98.6), above the floor of 90.0 %.",
        ),
        (
            160,
            40,
            3,
            "FAILED. m passes 80.0 % of 200 bundles (95 % interval 73.9–85.0), below the floor of 90.0 %.",
        ),
        (190, 10, 4, "Unclear. m passes 95.0 % of 200 bundles"),
    ],
)
def test_canaries_end_in_three_ways(tellapart, tmp_path, passed, failed, code, line):
    # Ten bundles of each anchor pass or fail together.
    more = {"clusters": [f"a{i // 10}" for i in range(200)]} if code == 4 else {}
    path = board(tmp_path, passed, failed, **more)
    ended = tellapart(
        "bundles", "canary", path, "--junit", tmp_path / "j.xml", "--markdown", tmp_path / "m.md"
    )
    assert (ended.code, " ".join(ended.out.split()).startswith(line)) == (code, True)
    assert (tmp_path / "m.md").read_text().startswith(f"**{line[:6]}")
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (root.get("failures"), root.get("skipped")) == (str(int(code > 0)), "0")
    record = json.loads(tellapart("bundles", "canary", path, "--json").out)
    # The interval is that of the scoreboard.
    assert record["ci"] == pytest.approx(read_scoreboard(path).overall.ci95["pass_rate"], abs=1e-11)
    assert len(record["failed"]) == failed
    margins = [one["margin"] for one in record["failed"]]
    assert margins == sorted(margins)


def test_an_unclear_gate_ends_as_asked_and_stays_unclear(tellapart, tmp_path):
    path = board(tmp_path, 20, 0)
    ended = tellapart("bundles", "canary", path)
    assert ended.code == 4
    assert "even if all were passed" in ended.out
    for on_unclear, code in (("fail", 4), ("warn", 0), ("pass", 0)):
        asked = tellapart("bundles", "canary", path, "--on-unclear", on_unclear, "--json")
        assert (asked.code, json.loads(asked.out)["outcome"]) == (code, "unclear")
        assert ("warning: the gate is unclear" in asked.err) == (on_unclear == "warn")


def test_a_floor_in_percent_is_refused_with_what_to_write(tellapart, tmp_path):
    path = board(tmp_path, 5, 5)
    for floor, message in ((90, "For 90 % write --floor 0.9"), ("90%", "write 0.9")):
        refused = tellapart("bundles", "canary", path, "--floor", floor)
        assert (refused.code, message in refused.err) == (2, True)
