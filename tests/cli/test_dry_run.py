"""What a dry run prints, and that it leaves nothing behind."""

import json
import math

import pytest

from tellapart.cli.dry_run import print_estimates
from tellapart.llm.budget import Limits
from tellapart.llm.costs import Estimate, Tokens

CHEAP = Estimate(10, 4, Tokens(6, 1200, 300, 0.5), Tokens(12, 4000, 6000, 2.25))
DEAR = Estimate(10, 0, Tokens(10, 2000, 500, 1.0), Tokens(20, 7000, 10000, 8.0))
UNPRICED = Estimate(10, 0, Tokens(10, 2000, 500, None), Tokens(20, 7000, 10000, None))
DONE = Estimate(10, 10, Tokens(0, 0, 0, 0.0), Tokens(0, 0, 0, 0.0))


def printed(capsys, estimates, limits=Limits(), *, as_json=False):  # noqa: B008
    print_estimates(estimates, limits, as_json=as_json)
    return capsys.readouterr()


def test_a_row_a_model_and_the_cost_of_all(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    out = printed(capsys, {"a/b": CHEAP, "c/d": DEAR}).out
    words = [line.split() for line in out.splitlines() if line.strip()]
    assert words[3] == ["a/b", "10", "4", "6", "1,200", "300", "0.50"]
    assert " ".join(words[4]) == "at most 12 at most 4,000 at most 6,000 at most 2.25"
    assert words[5] == ["c/d", "10", "0", "10", "2,000", "500", "1.00"]
    assert words[7:] == [["together", "1.50"], ["at", "most", "10.25"]]


def test_less_than_a_cent_is_not_nothing(capsys):
    small = Estimate(1, 0, Tokens(1, 100, 10, 0.0099), Tokens(2, 300, 1000, 0.01))
    words = " ".join(printed(capsys, {"a/b": small}).out.split())
    assert "1 0 1 100 10 under 0.01 at most 2 at most 300 at most 1,000 at most 0.01" in words


def test_a_missing_price_is_no_price_of_zero(capsys):
    out = printed(capsys, {"a/b": CHEAP, "c/d": UNPRICED}).out
    assert out.count("–¹") == 3
    assert "no price is known; give --price IN,OUT" in out


def test_nothing_left_to_ask_is_zero(capsys):
    assert "a/b 10 10 0 0 0 0" in " ".join(printed(capsys, {"a/b": DONE}).out.split())


@pytest.mark.parametrize(
    ("max_cost", "sentence"),
    [
        (1.4, "--max-cost 1.4 is less than the estimate; the run would stop early"),
        (1.5, None),
        (None, None),
    ],
)
def test_a_limit_is_held_against_the_estimate(capsys, max_cost, sentence):
    told = printed(capsys, {"a/b": CHEAP, "c/d": DEAR}, Limits(max_cost=max_cost)).err.splitlines()
    assert [line for line in told if "--max-cost" in line] == ([sentence] if sentence else [])


def test_json_holds_all_of_it(capsys):
    found = json.loads(printed(capsys, {"a/b": CHEAP, "c/d": DEAR}, Limits(max_cost=3.0), as_json=True).out)
    assert found["models"]["a/b"] == {
        "questions": 10,
        "answered": 4,
        "expected": {"calls": 6, "input_tokens": 1200, "output_tokens": 300, "cost": 0.5},
        "at_most": {"calls": 12, "input_tokens": 4000, "output_tokens": 6000, "cost": 2.25},
    }
    assert (found["cost"], found["max_cost"]) == ({"expected": 1.5, "at_most": 10.25}, 3.0)


def test_of_a_benchmark_and_of_a_build(tellapart, tiny_bench, repository, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    asked = tellapart(
        "contrastive", "run", tiny_bench, "--llm", "anthropic/claude-x", "--orders", 6,
        "--out", tmp_path / "r", "--price", "3,15", "--dry-run", "--json",
    )  # fmt: skip
    assert asked.code == 0, asked.err
    found = json.loads(asked.out)["models"]["anthropic/claude-x"]
    assert (found["questions"], found["expected"]["calls"]) == (120, 120)
    cost = (found["expected"]["input_tokens"] * 3 + found["expected"]["output_tokens"] * 15) / 1e6
    assert math.isclose(found["expected"]["cost"], cost, abs_tol=2e-5)
    built = tellapart(
        "contrastive", "build", repository, "--out", tmp_path / "b", "--targets", 7,
        "--summaries", "llm:anthropic/claude-x,openai/gpt-x", "--dry-run", "--json",
    )  # fmt: skip
    assert {name: row["questions"] for name, row in json.loads(built.out)["models"].items()} == {
        "anthropic/claude-x": 7,
        "openai/gpt-x": 7,
    }
    assert sorted(tmp_path.rglob("*")) == before
