import numpy as np
import polars as pl
import pytest

from tellapart.bundles.lint.baselines import Candidates, blind_rules
from tellapart.bundles.mining.candidates import Measured
from tellapart.bundles.mining.events import number_events
from tellapart.bundles.mining.settings import Settings
from tellapart.bundles.mining.verdicts import calibrated_threshold, contents_of, figures, given_away, judge
from tellapart.core.bundle import Event

SETTINGS = Settings(lineups=5, min_passes=2, negatives_per_lineup=2)
TEXTS = {"a1": "an anchor", "a2": "its positive", "b1": "an  anchor", "b2": "its positive "}
TEXTS |= {"c": "one", "d": "two"}


@pytest.fixture(scope="module")
def events():
    return number_events(
        Event(event_id=name, text=text, sense=name[0], lemma="l" if name < "c" else None)
        for name, text in TEXTS.items()
    )


def rows_of(events, *rows):
    number = {name: i for i, name in enumerate(events.ids)}
    pairs = np.array([[number[anchor], number[positive]] for anchor, positive, _ in rows])
    shown = np.array([[number["c"], number["d"]]] * len(rows))
    dangers = np.array([dangers for _, _, dangers in rows])
    return Measured(pairs, dangers, shown, np.array([[0, 2]] * len(rows)))


def causes(events, judged):
    return {
        (events.ids[row["anchor"]], events.ids[row["positive"]]): (row["passes"], row["first"], row["cause"])
        for row in judged.iter_rows(named=True)
    }


def test_a_lineup_at_the_threshold_passes_and_so_many_make_a_bundle(events):
    rows = rows_of(events, ("a1", "a2", [0.5, 0.4, 0.5, 0.1, 0.0]), ("a2", "a1", [0.5, 0.4, 0.4, 0.1, 0.0]))
    assert causes(events, judge(rows, events, set(), 0.5, SETTINGS)) == {
        ("a1", "a2"): (2, True, None),
        ("a2", "a1"): (1, True, "too few passes"),
    }


def test_of_the_same_content_in_two_senses_the_lowest_id_is_accepted(events):
    rows = rows_of(events, ("a1", "a2", [0.9] * 5), ("b1", "b2", [0.9] * 5))
    judged = judge(rows, events, set(), 0.5, SETTINGS)
    assert judged["bundle_id"].to_list() == sorted(judged["bundle_id"])
    assert judged["cause"].to_list() == [None, "same pair in another sense"]
    # One that failed does not stand in the way of one that passed.
    rows = rows_of(events, ("a1", "a2", [0.9] * 5), ("b1", "b2", [0.1] * 5))
    assert sorted(map(str, judge(rows, events, set(), 0.5, SETTINGS)["cause"])) == ["None", "too few passes"]


def test_what_exists_is_known_by_its_positive_or_by_its_negatives_whatever_their_spaces(events):
    row = rows_of(events, ("a1", "a2", [0.9] * 5))
    for positive, negatives, cause in (
        ("its  positive", ["x"], "already there"),
        ("another", ["two ", "one"], "already there"),
        ("another", ["one"], None),
    ):
        batch = pl.DataFrame({"anchor": ["an anchor "], "positive": [positive], "negatives": [negatives]})
        assert judge(row, events, contents_of([batch]), 0.5, SETTINGS)["cause"].to_list() == [cause]


def test_what_is_found_without_its_anchor_is_left_out_until_it_is_found_by_chance():
    # Of 240 bundles, the positives of 160 are shorter than each of their two negatives.
    rng = np.random.default_rng(5)
    texts = [f"word {i:03} " + "x" * (5 if i < 160 else int(rng.integers(20, 60))) for i in range(1_000)]
    made = number_events(Event(event_id=text, text=text, sense=text) for text in texts)
    anchors, positives = np.arange(760, 1_000), np.arange(240)
    negatives = rng.permutation(np.arange(240, 720)).reshape(240, 2)
    rows = pl.DataFrame({"anchor": anchors, "positive": positives, "negatives": negatives})
    kept = ~given_away(rows, made)
    assert kept[160:].mean() > 0.8
    # The other 80 are found as often as by chance already, so none of the 160 can stay.
    assert kept[:160].sum() < 16
    shown = np.concatenate([positives[:, None], negatives], axis=1)[kept]
    rest = Candidates(made.texts, shown.ravel(), np.arange(len(shown) + 1) * 3, anchors[kept])
    assert not any(rule.is_above_chance for rule in blind_rules(rest))


def test_figures_by_hand(events):
    rows = rows_of(
        events,
        ("a1", "a2", [0.9, 0.9, 0.9, 0.9, 0.1]),
        ("b1", "b2", [0.1, 0.9, 0.9, 0.1, 0.1]),
        ("a2", "a1", [0.9, 0.1, 0.1, 0.1, 0.1]),
        ("b2", "b1", [0.1, 0.1, 0.1, 0.1, 0.1]),
    )
    judged = judge(rows, events, set(), 0.5, SETTINGS)
    found = figures(judged, SETTINGS)
    single = found.pop("single_lineup")
    # a1 a2 with 4 passes and b1 b2 with 2 have the same content: one is accepted.
    kept = judged.filter(pl.col("cause").is_null())["passes"].item()
    assert found == {
        "candidates_tested": 4,
        "accepted": 1,
        "mining_pass_rate": 0.25,
        "pass_distribution": {"0": 1, "1": 1, "2": 1, "3": 0, "4": 1, "5": 0},
        "strengths": {"ultra": int(kept == 4), "mid": 0, "low": int(kept == 2), "none": 0},
        "rejected": {"same pair in another sense": 1, "too few passes": 2},
    }
    # The first lineups of a1 a2 and of a2 a1 pass, the latter's alone; 7 of 20 lineups pass.
    rates = {"pass_rate": 0.5, "expected_pass_rate": 0.35}
    assert single.model_dump() == {"passed": 2, "pseudo_killers": 1, **rates}


def test_a_calibrated_threshold_is_the_linear_ninth_decile_of_the_adversarial_bundles():
    danger = np.arange(22) / 10
    tiers = pl.Series(["tier3_adversarial"] * 11 + ["tier1_easy"] * 11)
    # Ranks 0 to 10 of the first eleven: rank 9 is .9.
    assert calibrated_threshold(danger, tiers) == pytest.approx(0.9, abs=1e-15)
    # Without tiers all count: rank .9 * 21 = 18.9 is 1.89.
    assert calibrated_threshold(danger, pl.Series([None] * 22, dtype=pl.String)) == pytest.approx(1.89)
    assert calibrated_threshold(danger[11:], tiers[11:]) is None
    assert calibrated_threshold(np.empty(0), pl.Series([], dtype=pl.String)) is None
