from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests

from reference import pairs as reference
from support.score_tables import right, table_of
from tellapart.core.comparison import ComparisonSettings, Verdict, compare, from_json, to_json
from tellapart.core.comparison_settings import parse_primary
from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import InputError, UsageError


def graded(models, n, seed=0, step=0.0, digits=3):
    rng = np.random.default_rng(seed)
    scores = (0.3 + 0.4 * rng.random((models, n)) + step * np.arange(models)[:, None]).round(digits)
    return {f"m{k}": row.tolist() for k, row in enumerate(scores)}


def three(seed=3, n=60):
    """Three models on two levels, right or wrong."""
    rng = np.random.default_rng(seed)
    scores = {f"m{k}": (rng.random(n) < 0.3 + 0.25 * k).astype(float).tolist() for k in range(3)}
    return scores, ["easy", "hard"] * (n // 2)


def only(comparison):
    (pair,) = comparison.primary.pairs
    return pair


def test_the_case_of_the_two_commands():
    # 60 bundles, of which 8 are passed only by B and 1 only by A: the exact p is 2 (1 + 9) / 512 = .0390625,
    # and the one pair of the family is claimed at .05. Four scopes beside it are detail, and corrected apart.
    a, b = right(1, 8, 50, 1)
    tiers = ["3"] * 9 + ["0", "1", "2"] * 17
    comparison = compare(table_of({"base": a, "cand": b}, tier=tiers), ComparisonSettings(by="tier"))
    pair = only(comparison)
    assert (pair.p, pair.p_adjusted, pair.level) == (0.0390625, 0.0390625, 0.05)
    assert (pair.a, pair.b, pair.verdict, pair.ahead) == ("base", "cand", Verdict.B_BETTER, "cand")
    assert pair.difference == pytest.approx(-7 / 60)
    assert pair.interval.high < 0
    assert pair.interval == pair.interval_95
    family = comparison.secondary
    assert (family.by, [p.stratum for p in family.pairs]) == ("tier", ["0", "1", "2", "3"])
    assert [p.p_adjusted for p in family.pairs] == [1, 1, 1, 4 * 0.0390625]
    assert family.separated == ()
    assert family.pairs[3].interval.high >= 0 > family.pairs[3].interval_95.high


def test_intervals_invert_the_test_at_the_level_of_holm():
    # Three models on seven clusters of thirds: 1/64 of all flips is the least p, and no pair is claimed.
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(7), [1, 2, 3, 1, 2, 1, 2])
    thirds = rng.integers(0, 4, (3, 12))
    scores = {f"m{k}": (row / 3).tolist() for k, row in enumerate(thirds)}
    for pair in compare(table_of(scores, clusters), ComparisonSettings(alpha=0.2)).primary.pairs:
        gaps = thirds[int(pair.a[1])] - thirds[int(pair.b[1])]
        sums = [int(gaps[clusters == c].sum()) for c in range(7)]
        sizes = [int((clusters == c).sum()) for c in range(7)]
        assert pair.p == reference.flip_p(sums, sizes, 0)
        low, high = reference.flip_interval(sums, sizes, pair.level)
        assert (pair.interval.low, pair.interval.high) == pytest.approx((low / 3, high / 3), abs=1e-9)
        assert 0 in pair.interval
        assert pair.interval_95 is not None
    # At .05 / 9 there is none, and the reason says so.
    level = ComparisonSettings(alpha=0.03)
    pair = compare(table_of(scores, clusters), level).primary.pairs[0]
    assert pair.interval is None
    assert pair.reason == "no interval at level 0.01 can be had from 7 clusters"


def test_with_a_baseline_only_its_pairs_are_a_family():
    scores = graded(4, 30, step=0.1)
    every = {(p.a, p.b): p for p in compare(table_of(scores)).primary.pairs}
    comparison = compare(table_of(scores), ComparisonSettings(baseline="m2"))
    assert comparison.baseline == "m2"
    pairs = comparison.primary.pairs
    assert [(p.a, p.b) for p in pairs] == [("m0", "m2"), ("m1", "m2"), ("m2", "m3")]
    assert [p.difference for p in pairs] == [every[p.a, p.b].difference for p in pairs]
    assert max(len(every) * p.p for p in pairs) > max(p.p_adjusted for p in pairs)
    assert pairs[0].of("m0")[0] == -pairs[0].of("m2")[0]
    with pytest.raises(InputError, match=r"the baseline 'm5' is not among the models.*Did you mean"):
        compare(table_of(scores), ComparisonSettings(baseline="m5"))


def test_a_primary_part_is_of_its_items_alone():
    scores, level = three()
    hard = [i for i, value in enumerate(level) if value == "hard"]
    part = {m: [row[i] for i in hard] for m, row in scores.items()}
    expected = compare(table_of(part)).primary
    settings = ComparisonSettings(primary=("level", "hard"))
    later = compare(table_of(scores, level=level), settings).primary
    assert (later.scope, later.declared) == ("level=hard", False)
    assert later.pairs == expected.pairs
    declared = compare(table_of(scores, level=level), replace(settings, primary_declared=True)).primary
    assert (declared.declared, declared.pairs) == (True, later.pairs)
    # What was stored with the scores was known before them; another part than that was not.
    noted = table_of(scores, level=level, notes=ScoreNotes(primary=("level", "hard"), by="level"))
    assert compare(noted).primary == declared
    assert compare(noted, settings).primary == declared
    assert compare(noted, ComparisonSettings(primary=("level", "easy"))).primary.declared is False
    # A stratum has the same p by itself as in its family.
    assert [p.p for p in compare(noted).secondary.pairs[3:]] == [p.p for p in declared.pairs]


def test_unknown_parts_are_refused_with_a_near_match():
    scores, level = three()
    with pytest.raises(InputError, match=r"there is no stratum 'levle'.*'level'"):
        compare(table_of(scores, level=level), ComparisonSettings(primary=("levle", "hard")))
    with pytest.raises(InputError, match=r"the stratum 'level' has no value 'hrad'.*'hard'"):
        compare(table_of(scores, level=level), ComparisonSettings(primary=("level", "hrad")))
    with pytest.raises(InputError, match="there is no stratum 'area'"):
        compare(table_of(scores, level=level), ComparisonSettings(by="area"))
    with pytest.raises(InputError, match="there is no stratum 'area'.*There is none"):
        compare(table_of(scores), ComparisonSettings(by="area"))
    with pytest.raises(UsageError, match="expected COLUMN=VALUE"):
        parse_primary("hard")
    assert parse_primary("level=a=b") == ("level", "a=b")


@pytest.mark.slow
def test_the_secondary_family_is_corrected_all_together():
    scores, level = three()
    comparison = compare(table_of(scores, level=level))
    family = comparison.secondary
    assert (family.by, len(family.pairs)) == ("level", 6)
    expected = multipletests([pair.p for pair in family.pairs], method="holm")[1]
    assert [pair.p_adjusted for pair in family.pairs] == pytest.approx(expected.tolist())
    assert [(p.stratum, p.a, p.b) for p in family.pairs[:4]] == [
        ("easy", "m0", "m1"),
        ("easy", "m0", "m2"),
        ("easy", "m1", "m2"),
        ("hard", "m0", "m1"),
    ]
    # And the primary one has its own: detail costs it nothing.
    assert comparison.primary == compare(table_of(scores)).primary
    assert {p.planned_level for p in family.pairs} == {0.05 / sum(not p.is_separated for p in family.pairs)}


def test_by_is_taken_from_the_notes_where_it_sorts_items():
    scores, level = three()
    other = ["p", "q", "r"] * 20
    notes = ScoreNotes(by="other", cautions=("the judge failed",))
    noted = compare(table_of(scores, level=level, other=other, notes=notes), cautions=["a", "a"])
    assert noted.secondary.by == "other"
    assert noted.cautions == ("the judge failed", "a")
    chosen = ComparisonSettings(by="level")
    assert compare(table_of(scores, level=level, other=other, notes=notes), chosen).secondary.by == "level"
    # A column that is not there, or is empty, sorts nothing, and nobody asked for it.
    assert compare(table_of(scores, notes=ScoreNotes(by="level"))).secondary is None
    empty = table_of(scores, level=[None] * 60, notes=ScoreNotes(by="level"))
    assert compare(empty).secondary is None


def test_a_difference_that_does_not_vary():
    # By .25 on each of 20 items: 2 of 2^20 flips are as extreme. A share s of items unlike these stays unseen
    # with the chance (1 - s)^20, which is .025 at s = .168; they could be lower by 1.25 or higher by .75.
    pair = only(compare(table_of({"a": [0.75] * 20, "b": [0.5] * 20})))
    unseen = 1 - 0.025**0.05
    assert (pair.p, pair.verdict, pair.reason) == (0.5**19, Verdict.A_BETTER, "")
    # Six items of one sign are the fewest with 2 / 64; no number stands without an interval.
    assert pair.items_needed.value == 6
    assert [*pair.interval] == pytest.approx([0.25 - 1.25 * unseen, 0.25 + 0.75 * unseen], rel=1e-12)
    # Of six, unlike ones could well turn it round: there is no interval, and that is said.
    few = only(compare(table_of({"a": [0.75] * 6, "b": [0.5] * 6})))
    assert (few.p, few.verdict, few.interval) == (0.5**5, Verdict.A_BETTER, None)
    assert few.items_needed.value is None
    assert few.reason == "the values do not vary"


def test_clusters_that_all_fall_alike_are_as_sure_as_their_items():
    # Ten clusters of twenty, two lost in each: sums of clusters are equal, and sd is sqrt(.09 * 200 / 199).
    clusters = np.repeat(np.arange(10), 20)
    lost = np.tile([0.0] * 2 + [1.0] * 18, 10)
    pair = only(compare(table_of({"a": np.ones(200), "b": lost}, clusters)))
    half = student.ppf(0.975, 9) * (0.09 / 199) ** 0.5
    assert (pair.p, pair.verdict) == (0.5**9, Verdict.A_BETTER)
    assert [*pair.interval] == pytest.approx([0.1 - half, 0.1 + half], rel=1e-12)


def test_rounding_is_no_figure():
    # .1 + .2 - .3 is 5.6e-17, on items, in clusters and in bounds.
    a, b = [0.1, 0.2, 0.3, 0.7], [0.3, 0.3, 0.0, 0.7]
    for clusters in (None, [0, 0, 0, 1]):
        pair = only(compare(table_of({"a": a, "b": b}, clusters)))
        assert (pair.difference, pair.bounds, pair.p) == (0.0, (0.0, 0.0), 1.0)
        assert (pair.items_needed.value, pair.verdict) == (None, Verdict.NOT_SEPARATED)


def test_json_says_all_and_is_read_back():
    scores, level = three()
    scores["m0"][3] = None
    comparisons = [
        compare(table_of(scores, level=level), cautions=["one file is small"]),
        compare(table_of(scores, level=level), ComparisonSettings(primary=("level", "hard"), baseline="m1")),
        compare(table_of(graded(2, 7), [0, 0, 1, 2, 3, 4, 5])),
        compare(table_of({"a": [1.0], "b": [0.0]})),
        compare(table_of({"a": [3.0, None, 9.0], "b": [1.0, 2.0, 2.0]}, limits=(0.0, float("inf")))),
    ]
    for comparison in comparisons:
        assert from_json(to_json(comparison)) == comparison
    record = to_json(comparisons[0])
    assert set(record) == {
        *("alpha", "power", "sesoi", "baseline", "primary", "secondary", "cautions", "resolution")
    }
    assert [record["primary"][of] for of in ("scope", "method", "size")] == ["all items", "holm", 3]
    assert (record["secondary"]["by"], record["secondary"]["size"]) == ("level", 6)
    pair = comparisons[0].primary.pairs[0]
    shown = record["primary"]["pairs"][0]
    assert shown["interval"] == [pair.interval.low, pair.interval.high]
    assert (shown["clusters"], shown["only_a"], shown["verdict"]) == (59, pair.only_a, "b>a")
    assert record["secondary"]["pairs"][0]["stratum"] == "easy"
    assert to_json(comparisons[4])["primary"]["pairs"][0]["bounds"][1] is None
