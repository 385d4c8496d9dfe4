from dataclasses import replace

import pytest

from tellapart.contrastive.selection.levels import LEVELS, declared, levels_named

BY_NAME = {level.name: level for level in LEVELS}


@pytest.mark.parametrize(
    ("name", "quotas"),
    [
        ("trivial", [("random", 4)]),
        ("easy", [("same_type", 4)]),
        ("medium", [("signature", 9)]),
        # 4.5 and 2.7 rounded up leave one for signatures.
        ("hard", [("semantic", 5), ("same_file", 3), ("signature", 1)]),
        # 13.3 rounded up leaves five.
        ("very_hard", [("semantic", 14), ("same_file", 5)]),
        # 15.2 rounded up leaves three.
        ("adversarial", [("semantic", 16), ("partial", 3)]),
    ],
)
def test_quotas_by_hand(name, quotas):
    assert BY_NAME[name].quotas() == quotas


def test_bands_are_the_documents():
    bands = {"hard": (0.75, 0.90), "very_hard": (0.80, 0.95), "adversarial": (0.85, 0.98)}
    for name, band in bands.items():
        (level,) = levels_named([f"{name}_absolute"])
        assert level == replace(BY_NAME[name], name=f"{name}_absolute", band=band)
    assert [level.band for level in LEVELS] == [None] * 6


@pytest.mark.parametrize(
    ("candidates", "hard", "very_hard", "adversarial"),
    [
        (100_000, (5, 50), (3, 40), (1, 30)),
        (1000, (5, 50), (3, 40), (1, 30)),
        # Half: 2.5 and 1.5 round to the even 2; 15 is fewer than the 19 wanted.
        (500, (2, 25), (2, 20), (1, 19)),
        # A twentieth: .25 and 2.5, .15 and 2; the window is as wide as the count.
        (50, (1, 9), (1, 19), (1, 19)),
        # Three tenths: 1.5 and 15, .9 and 12.
        (300, (2, 15), (1, 19), (1, 19)),
    ],
)
def test_windows_scale_down_with_the_pool(candidates, hard, very_hard, adversarial):
    windows = [level.window_for(candidates) for level in LEVELS[3:]]
    assert windows == [hard, very_hard, adversarial]


@pytest.mark.parametrize(
    ("names", "matchers", "llms"),
    [
        ("original,easy,adversarial,ladder,pool", "pool", "ladder"),
        ("easy,ladder:9,hard", "ladder:9", "ladder:9"),
        ("hard,original,easy", "hard", "hard"),
        ("original", "original", "original"),
    ],
)
def test_the_verdict_is_about_the_pool_and_for_language_models_about_the_ladder(names, matchers, llms):
    assert declared(names.split(",")) == matchers
    assert declared(names.split(","), for_llms=True) == llms
