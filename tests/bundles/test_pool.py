import json
import random

import pytest

from bundles.lint.questions import PAIRS, clean_rows, write_rows
from tellapart.bundles.lint import lint, read_inputs
from tellapart.bundles.pool import SplitBy, merge_pools, split_pool
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
    inputs = read_inputs([tmp_path / "s.holdout.jsonl"], [tmp_path / "s.train.jsonl"])
    assert {one.check for one in lint(inputs)} & {"leaked-anchor", "leaked-pair"} == set()


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


def test_by_text_keeps_bundles_together_that_share_a_positive(tmp_path):
    rows = [
        {"bundle_id": f"{i}", "anchor": question, "positive": f"The desk knows about it, room {i // 2}.",
         "negatives": ["No idea."]}
        for i, (question, _) in enumerate(PAIRS)
    ]  # fmt: skip
    made, train, holdout = split(tmp_path, rows, by=SplitBy.TEXT)
    assert made.largest_group == 2
    assert {int(name) // 2 for name in ids(train)}.isdisjoint(int(name) // 2 for name in ids(holdout))
    assert split(tmp_path, rows, "a")[0].largest_group == 1


def test_a_split_that_cannot_be(tmp_path):
    with pytest.raises(InputError, match="the (train|holdout) part would be empty: there are 1 groups"):
        split(tmp_path, clean_rows()[:1])
    with pytest.raises(UsageError, match="--share is 80, expected a share between 0 and 1"):
        split(tmp_path, clean_rows(), share=80)


def test_a_merge_keeps_each_bundle_once_and_counts_what_it_drops(tmp_path):
    rows = clean_rows()
    first = write_rows(tmp_path / "a.jsonl", rows[:10])
    again = {**rows[2], "anchor": rows[2]["anchor"].upper(), "negatives": rows[2]["negatives"][::-1]}
    near = {
        **rows[3],
        "bundle_id": "near",
        "positive": rows[3]["positive"].rstrip(".") + "!",
        "tier": "tier2",
    }
    second = write_rows(
        tmp_path / "b.jsonl", [again | {"tier": "tier1"}, near, rows[11] | {"bundle_id": "q0"}]
    )
    out = tmp_path / "m.jsonl"
    made = merge_pools([first, second], out)
    assert (made.dropped, made.renamed, made.tiers_filled) == ({"duplicate": 1}, 1, 1)
    assert made.read == {str(first): 10, str(second): 3}
    assert ids(read(out)) == [*ids(rows[:10]), "near", "b:q0"]
    assert read(out)[2] == {**rows[2], "tier": "tier1_easy"}
    assert read(out)[11] == {**rows[11], "bundle_id": "b:q0"}
    made = merge_pools([first, second], out, drop_near=True)
    assert made.dropped == {"duplicate": 1, "near duplicate": 1}
    assert made.bundles == len(read(out)) == 11


def test_a_merge_refuses_contradictions_or_drops_them(tmp_path):
    rows = clean_rows()
    first = write_rows(tmp_path / "a.jsonl", [rows[0] | {"tier": "tier1"}, *rows[1:]])
    wrong = {"bundle_id": "w", "anchor": rows[5]["anchor"], "positive": "Only harps, and for a day."}
    second = write_rows(
        tmp_path / "b.jsonl",
        [rows[0] | {"tier": "tier3"}, wrong | {"negatives": [rows[5]["positive"]]}],
    )
    out = tmp_path / "m.jsonl"
    with pytest.raises(InputError) as refused:
        merge_pools([first, second], out)
    message = str(refused.value)
    assert "2 contradiction(s) between bundles" in message
    assert f"{first}:1: conflicting-tiers, the same bundle is in tier1_easy and tier3_adversarial" in message
    assert f"{second}:2: second-right-answer" in message
    assert not out.exists()
    made = merge_pools([first, second], out, drop_conflicting=True)
    assert made.dropped == {"conflicting labels": 2, "conflicting tiers": 2}
    assert ids(read(out)) == [f"q{i}" for i in range(16) if i not in (0, 5)]


def test_bad_rows_are_refused_or_left_out(tmp_path):
    rows = clean_rows()
    first = write_rows(tmp_path / "a.jsonl", [*rows[:3], {**rows[3], "negatives": []}])
    out = tmp_path / "m.jsonl"
    with pytest.raises(InputError, match="1 no negatives"):
        merge_pools([first], out)
    assert merge_pools([first], out, skip_invalid=True).dropped == {"no negatives": 1}
    assert ids(read(out)) == ["q0", "q1", "q2"]


def key(row):
    return row["anchor"].lower(), row["positive"].lower(), frozenset(map(str.lower, row["negatives"]))


def drawn_rows(rng):
    """Bundles of few texts, so that many are the same or contradict; every fifth has a bad tier."""
    texts = ["harbour", "lantern", "Harbour", "LANTERN", "cobble", "ferry"]
    for i in range(24):
        anchor, positive, negative = rng.choice(["Where?", "where?", "when?"]), *rng.sample(texts, 2)
        if positive.lower() == negative.lower():
            continue
        tier = rng.choice(["tier1", "tier1", None, None, None, "tier3"]) if i % 5 else "no such tier"
        yield {"bundle_id": f"{i}", "anchor": anchor, "positive": positive, "negatives": [negative]} | (
            {"tier": tier} if tier else {}
        )


@pytest.mark.parametrize("seed", range(8))
def test_a_merge_loses_nothing_that_is_sound_in_any_order(tmp_path, seed):
    rng = random.Random(seed)
    rows = list(drawn_rows(rng))
    sound = [row for row in rows if row.get("tier") != "no such tier"]
    tiers = {}
    for row in sound:
        tiers.setdefault(key(row), set()).add(row.get("tier"))
    right, wrong = {key(row)[:2] for row in sound}, set()
    for row in sound:
        wrong |= {(key(row)[0], *key(row)[2])} & right
    expected = sorted(
        (*k[:2], *k[2]) for k, of in tiers.items()
        if len(of - {None}) < 2 and k[:2] not in wrong and (k[0], *k[2]) not in right
    )  # fmt: skip
    for _ in range(3):
        rng.shuffle(rows)
        source, out = write_rows(tmp_path / "a.jsonl", rows), tmp_path / "m.jsonl"
        if expected:
            merge_pools([source], out, drop_conflicting=True, skip_invalid=True)
        else:
            with pytest.raises(InputError, match="no bundle is left"):
                merge_pools([source], out, drop_conflicting=True, skip_invalid=True)
        merged = read(out) if expected else []
        assert sorted((*key(row)[:2], *key(row)[2]) for row in merged) == expected


def test_a_near_duplicate_of_what_is_gone_stays(tmp_path):
    first, *_ = clean_rows()
    near = {**first, "bundle_id": "near", "positive": first["positive"].rstrip(".")}
    rows = [first | {"tier": "tier1"}, first | {"bundle_id": "other", "tier": "tier3"}, near]
    out = tmp_path / "m.jsonl"
    made = merge_pools([write_rows(tmp_path / "a.jsonl", rows)], out, drop_near=True, drop_conflicting=True)
    assert (made.dropped, ids(read(out))) == ({"conflicting tiers": 2}, ["near"])
    # Of a chain, only the middle is nearly both ends.
    begin, end = "the ferry leaves the old pier at noon and", " comes back with fish before the bells ring"
    chain = [begin + " very" * n + end + " again" * n for n in range(3)]
    rows = [{**first, "bundle_id": f"{n}", "positive": text} for n, text in enumerate(chain)]
    made = merge_pools([write_rows(tmp_path / "c.jsonl", rows)], out, drop_near=True)
    assert (made.dropped, ids(read(out))) == ({"near duplicate": 1}, ["0", "2"])


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_a_contradiction_is_refused_whatever_stands_beside_it(tmp_path, order):
    rows = [
        {"bundle_id": "X1", "anchor": "q one is here", "positive": "The right answer.", "negatives": ["w1"]},
        {"bundle_id": "X2", "anchor": "q one is here", "positive": "the right answer", "negatives": ["w2"]},
        {
            "bundle_id": "X3",
            "anchor": "q one is here",
            "positive": "another",
            "negatives": ["The right answer"],
        },
    ]
    source = write_rows(tmp_path / "a.jsonl", [rows[i] for i in order])
    with pytest.raises(InputError, match="negatives\\[0\\] is the positive of the same anchor in 'X2'"):
        merge_pools([source], tmp_path / "m.jsonl")
