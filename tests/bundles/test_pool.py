import json
import random

import pytest

from bundles.lint.questions import PAIRS, clean_rows, write_rows
from tellapart.bundles.lint import lint_files
from tellapart.bundles.pool import split_pool
from tellapart.errors import InputError, UsageError


def many_rows():
    """Three bundles for each of 64 anchors; in every fourth, one has the anchor with a letter missing."""
    rows = []
    for i in range(64):
        question, answer = PAIRS[i % 16]
        branch = ("harbour", "station", "castle hill", "university")[i // 16]
        anchor = f"{question} I am asking for the branch {i} near the {branch}, quarter {i * 7}."
        for k in range(3):
            near = anchor.replace("quarter", "quater") if k == 2 and i % 4 == 0 else anchor
            row = {"bundle_id": f"{i}.{k}", "anchor": near, "positive": f"{answer} {i} {k}"}
            rows.append(row | {"negatives": [PAIRS[(i + k + 1) % 16][1]], "tier": f"tier{k + 1}"})
    return rows


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def split(tmp_path, rows, name="s", **options):
    source = write_rows(tmp_path / f"{name}.jsonl", rows)
    parts = tmp_path / f"{name}.train.jsonl", tmp_path / f"{name}.holdout.jsonl"
    made = split_pool(source, *parts, **{"share": 0.6, "seed": 1} | options)
    return made, *map(read, parts)


def ids(rows):
    return [row["bundle_id"] for row in rows]


def test_a_split_leaks_no_anchor_and_loses_no_bundle(tmp_path):
    rows = many_rows()
    made, train, holdout = split(tmp_path, rows)
    assert sorted(ids(train) + ids(holdout)) == sorted(ids(rows))
    assert ids(train) == [name for name in ids(rows) if name in set(ids(train))]
    assert {name.split(".")[0] for name in ids(train)}.isdisjoint(name.split(".")[0] for name in ids(holdout))
    assert (made.train.bundles, made.holdout.bundles) == (len(train), len(holdout))
    assert made.largest_group == 3
    # Every group has one bundle of each tier.
    assert set(made.train.tier_distribution.values()) == {len(train) // 3}
    linted = lint_files([tmp_path / "s.holdout.jsonl"], [tmp_path / "s.train.jsonl"])
    assert {one.check for one in linted.findings} & {"leaked-anchor", "leaked-pair"} == set()


def test_the_parts_depend_neither_on_the_order_nor_on_other_bundles(tmp_path):
    rows = many_rows()
    _, train, holdout = split(tmp_path, rows)
    shuffled = [dict(row) for row in rows]
    random.Random(3).shuffle(shuffled)
    _, again, _ = split(tmp_path, shuffled, "t")
    assert set(ids(again)) == set(ids(train))
    _, of_half, held_of_half = split(tmp_path, rows[:96], "u")
    assert set(ids(of_half)) == set(ids(train)) & set(ids(rows[:96]))
    assert set(ids(held_of_half)) == set(ids(holdout)) & set(ids(rows[:96]))
    _, other_seed, _ = split(tmp_path, rows, "v", seed=2)
    assert set(ids(other_seed)) != set(ids(train))


def test_a_split_that_cannot_be(tmp_path):
    with pytest.raises(InputError, match="the (train|holdout) part would be empty: there are 1 groups"):
        split(tmp_path, clean_rows()[:1])
    with pytest.raises(UsageError, match="--share is 80, expected a share between 0 and 1"):
        split(tmp_path, clean_rows(), share=80)
