import numpy as np
import polars as pl
import pytest

from tellapart.bundles.mining.candidates import TESTED_SCHEMA
from tellapart.bundles.mining.events import number_events
from tellapart.bundles.mining.settings import Settings
from tellapart.bundles.mining.verdicts import (
    Existing,
    bundle,
    calibrated_threshold,
    figures,
    judge,
)
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
    return pl.DataFrame(
        [
            {
                "anchor": number[anchor],
                "positive": number[positive],
                "pool": 2 if dangers else 1,
                "dangers": dangers,
                "negatives": [number["c"], number["d"]] if dangers else None,
                "parts": [0, 2] if dangers else None,
            }
            for anchor, positive, dangers in rows
        ],
        schema=TESTED_SCHEMA,
    )


def causes(events, judged):
    return {
        (events.ids[row["anchor"]], events.ids[row["positive"]]): (row["passes"], row["first"], row["cause"])
        for row in judged.iter_rows(named=True)
    }


def test_a_lineup_at_the_threshold_passes_and_so_many_make_a_bundle(events):
    rows = rows_of(
        events,
        ("a1", "a2", [0.5, 0.4, 0.5, 0.1, 0.0]),
        ("a2", "a1", [0.5, 0.4, 0.4, 0.1, 0.0]),
        ("b2", "b1", None),
    )
    assert causes(events, judge(rows, events, Existing(), 0.5, SETTINGS)) == {
        ("a1", "a2"): (2, True, None),
        ("a2", "a1"): (1, True, "too few passes"),
        ("b2", "b1"): (None, None, "pool too small"),
    }


def test_of_the_same_content_in_two_senses_the_lowest_id_is_accepted(events):
    rows = rows_of(events, ("a1", "a2", [0.9] * 5), ("b1", "b2", [0.9] * 5))
    judged = judge(rows, events, Existing(), 0.5, SETTINGS)
    assert judged["bundle_id"].to_list() == sorted(judged["bundle_id"])
    assert judged["cause"].to_list() == [None, "same pair in another sense"]
    # One that failed does not stand in the way of one that passed.
    rows = rows_of(events, ("a1", "a2", [0.9] * 5), ("b1", "b2", [0.1] * 5))
    assert sorted(map(str, judge(rows, events, Existing(), 0.5, SETTINGS)["cause"])) == [
        "None",
        "too few passes",
    ]


def test_a_bundle_has_the_most_dangerous_lineup_and_says_how_it_was_found(events):
    rows = rows_of(events, ("a1", "a2", [0.5, 0.75, 0.6, 0.1, 0.0]))
    [row] = judge(rows, events, Existing(), 0.5, SETTINGS).iter_rows(named=True)
    made = bundle(row, events, 5).to_row()
    assert made.pop("bundle_id").startswith("mined-")
    assert made == {
        "anchor": {"text": "an anchor", "event_id": "a1", "sense": "a"},
        "positive": {"text": "its positive", "event_id": "a2", "sense": "a"},
        "negatives": [
            {"text": "one", "event_id": "c", "sense": "c"},
            {"text": "two", "event_id": "d", "sense": "d"},
        ],
        "tier": "tier3_adversarial",
        "metadata": {
            "passes": 3,
            "lineups_tested": 5,
            "danger": 0.75,
            "median_danger": 0.5,
            "strength": "mid",
            "source": "organic",
            "lemma": "l",
            "negatives_from": ["lemma", "across"],
        },
    }


def test_figures_by_hand(events):
    rows = rows_of(
        events,
        ("a1", "a2", [0.9, 0.9, 0.9, 0.9, 0.1]),
        ("b1", "b2", [0.1, 0.9, 0.9, 0.1, 0.1]),
        ("a2", "a1", [0.9, 0.1, 0.1, 0.1, 0.1]),
        ("b2", "b1", [0.1, 0.1, 0.1, 0.1, 0.1]),
        ("c", "d", None),
    )
    judged = judge(rows, events, Existing(), 0.5, SETTINGS)
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
        "not_tested": {"pool too small": 1},
        "danger": {"q50": 0.1, "q90": 0.9, "q99": 0.9, "max": 0.9},
    }
    # The first lineups of a1 a2 and of a2 a1 pass, the latter's alone; 7 of 20 lineups pass.
    assert single.model_dump() == {
        "passed": 2,
        "pass_rate": 0.5,
        "expected_pass_rate": 0.35,
        "pseudo_killers": 1,
        "pseudo_killer_share": 0.5,
    }


def test_a_calibrated_threshold_is_the_linear_ninth_decile_of_the_adversarial_bundles():
    danger = np.arange(22) / 10
    tiers = pl.Series(["tier3_adversarial"] * 11 + ["tier1_easy"] * 11)
    # Ranks 0 to 10 of the first eleven: rank 9 is .9.
    assert calibrated_threshold(danger, tiers) == pytest.approx(0.9, abs=1e-15)
    # Without tiers all count: rank .9 * 21 = 18.9 is 1.89.
    assert calibrated_threshold(danger, pl.Series([None] * 22, dtype=pl.String)) == pytest.approx(1.89)
    assert calibrated_threshold(danger[11:], tiers[11:]) is None
    assert calibrated_threshold(np.empty(0), pl.Series([], dtype=pl.String)) is None
