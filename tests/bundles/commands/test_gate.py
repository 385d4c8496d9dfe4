"""The gate on two evals through the command line: three planted candidates, and what is refused."""

import json

import pytest

from bundles.stored import TIERS, write_board

N = 300
PRINTS = {"frozen": "f" * 16, "organic": "0" * 16}


def board(directory, eval_name, name, passed, *, easy=250, **more):
    """Of 300 bundles as many pass, and of 300 more in tier 1 of the frozen eval ``easy``."""
    margins, tiers = [0.1] * passed + [-0.1] * (N - passed), [TIERS[1]] * N
    if eval_name == "frozen":
        margins, tiers = margins + [0.2] * easy + [-0.2] * (N - easy), [TIERS[2]] * N + [TIERS[0]] * N
    options = {"model": name, "source_hash": PRINTS[eval_name], "eval_path": f"{eval_name}.jsonl"} | more
    return write_board(directory, f"{eval_name}-{name}", margins, tiers, **options)


def pairs(directory, frozen, organic, **more):
    """The options of a candidate that passes so many on each eval; the baseline passes 150 on each."""
    words = []
    for eval_name, passed in (("frozen", frozen), ("organic", organic)):
        base = board(directory, eval_name, "base", 150)
        words += [f"--{eval_name}", base, board(directory, eval_name, "cand", passed, **more)]
    return words


@pytest.mark.parametrize(
    ("frozen", "organic", "options", "code", "ends", "word"),
    [
        (180, 180, (), 0, ("passed", "passed"), "Passed. "),
        (180, 110, (), 3, ("passed", "failed"), "FAILED. "),
        (110, 180, (), 3, ("failed", "passed"), "FAILED. "),
        (180, 146, (), 4, ("passed", "unclear"), "Unclear. "),
        (110, 146, (), 3, ("failed", "unclear"), "FAILED. "),
        (180, 146, ("--on-unclear", "warn"), 0, ("passed", "unclear"), "Unclear. "),
        (110, 180, ("--tier", "tier1"), 0, ("unchanged", "passed"), "Passed. "),
    ],
)
def test_both_must_pass(tellapart, tmp_path, frozen, organic, options, code, ends, word):
    words = pairs(tmp_path, frozen, organic)
    done = tellapart("bundles", "gate", *words, *options)
    assert done.code == code, done.err
    tier = "tier1 easy" if "tier1" in options else "tier3 adversarial"
    first = " ".join(done.out.split("•")[0].split())
    assert first.startswith(f"{word}cand against base: frozen {tier} {ends[0]} (")
    sign = "+" if organic > 150 else "−"
    assert f"organic {ends[1]} ({sign}{abs(organic - 150) / 3:.1f} points)" in first
    assert first.endswith(". Neither may fall by more than 2 points.")
    record = json.loads(tellapart("bundles", "gate", *words, *options, "--json").out)
    assert tuple(record["outcomes"].values()) == ends
    assert record["outcome"] == word.strip(". ").lower()
    assert not {"passed", "on_unclear"} & record.keys()


def test_each_gate_is_that_of_compare(tellapart, tmp_path):
    words = pairs(tmp_path, 180, 110)
    record = json.loads(tellapart("bundles", "gate", *words, "--json").out)
    for at, tier in ((0, "tier3"), (3, "overall")):
        files = words[at + 1 : at + 3]
        alone = tellapart("bundles", "compare", *files, "--max-drop", "0.02", "--tier", tier, "--json")
        assert record[words[at].strip("-")] == json.loads(alone.out)


def test_other_models_are_refused(tellapart, tmp_path):
    words = pairs(tmp_path, 180, 180)
    other = board(tmp_path, "organic", "other", 180)
    done = tellapart("bundles", "gate", *words[:5], other)
    assert (done.code, done.out) == (1, "")
    assert "the candidates are not one model: 'cand' in" in done.err and "--name NAME" in done.err
    done = tellapart("bundles", "gate", *words[:4], other, words[5])
    assert done.code == 1 and "the baselines are not one model: 'base' in" in done.err
