from collections import Counter

import numpy as np
import pytest

from contrastive.fakes import ScriptedSelector, make_units
from reference import contrastive as slow
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.distractors import choose_distractors
from tellapart.contrastive.selection.levels import LEVELS, levels_named

COUNTS = {"trivial": 4, "easy": 4, "medium": 9, "hard": 9, "very_hard": 19, "adversarial": 19}


def of(units, vectors=None, summaries=None, **options):
    vectors = np.eye(len(units)) if vectors is None else vectors
    return Candidates(units, summaries or {}, ScriptedSelector(vectors), **options)


def chosen(candidates, targets, *levels, seed=1, **options):
    return choose_distractors(candidates, targets, levels_named(list(levels) or None), seed=seed, **options)[
        0
    ]


@pytest.fixture(scope="module")
def package_sets(candidates):
    """Every unit of the package as a target at every level."""
    sets, short = choose_distractors(candidates, range(len(candidates.units)), LEVELS, seed=42)
    assert short == []
    return sets


def test_every_level_has_its_count_of_distinct_others(candidates, package_sets):
    assert Counter(item.level for item in package_sets) == dict.fromkeys(COUNTS, len(candidates.units))
    for item in package_sets:
        assert len({*item.distractors, item.target}) == COUNTS[item.level] + 1
        assert len(item.strategies) == len(item.similarities) == COUNTS[item.level]


def test_no_distractor_is_a_false_negative(candidates, package_sets):
    """Checked by the definitions and not by ``free``, over all of the benchmark."""
    for item in package_sets:
        target = candidates.units[item.target]
        for at, similarity in zip(item.distractors, item.similarities, strict=True):
            other = candidates.units[at]
            apart = other.end_line < target.start_line or target.end_line < other.start_line
            assert other.path != target.path or apart
            assert candidates.summaries[at] != candidates.summaries[item.target]
            assert similarity < 0.98
            assert similarity == round(slow.dot(*candidates.selector.vectors[[at, item.target]]), 9)


def at_similarities(*similarities):
    """A target and units at the given cosines to it, exact in the first coordinate."""
    rows = [[1.0, 0.0], *([s, np.sqrt(1 - s * s)] for s in similarities)]
    names = ["target", *(f"f{i}" for i in range(1, len(rows)))]
    return of(make_units(*names), rows, {0: "s"})


@pytest.mark.parametrize(
    ("level", "inside"),
    [
        # Quota 5, lowest in, highest out, nearest first.
        ("hard", [0.89, 0.85, 0.80, 0.75]),
        ("very_hard", [0.94, 0.90, 0.89, 0.85, 0.80]),
        ("adversarial", [0.97, 0.95, 0.94, 0.90, 0.89, 0.85]),
    ],
)
def test_absolute_bands_take_the_nearest_within(level, inside):
    similarities = [0.75, 0.98, 0.80, 0.97, 0.7499, 0.85, 0.95, 0.90, 0.89, 0.94, *np.linspace(0.1, 0.5, 20)]
    (item,) = chosen(at_similarities(*similarities), [0], f"{level}_absolute")
    semantic = [s for s, how in zip(item.similarities, item.strategies, strict=True) if how == "semantic"]
    assert semantic == inside


def test_a_shortfall_is_filled_by_the_nearest_and_named():
    # Nobody else in the file and nothing in the band [.75, .90): the other eight are the nearest below .98.
    candidates = at_similarities(0.99, 0.97, 0.93, *np.linspace(0.5, 0.7, 8))
    (item,) = chosen(candidates, [0], "hard_absolute")
    named = dict(zip(item.similarities, item.strategies, strict=True))
    assert Counter(item.strategies) == {"same_file": 3, "signature": 1, "nearest": 5}
    filled = [similarity for similarity, how in named.items() if how == "nearest"]
    assert filled == sorted(filled, reverse=True)
    unused = {round(s, 9) for s in [0.97, 0.93, *np.linspace(0.5, 0.7, 8)]} - set(item.similarities)
    assert min(filled) > max(unused)


def test_other_languages_only_when_asked_for():
    units = [*make_units(*"abcde"), *make_units(*"vwxyz", path="a.go", language="go")]
    reached = {
        crossing: {
            at
            for seed in range(20)
            for item in chosen(of(units, cross_language=crossing), [0], "trivial", seed=seed)
            for at in item.distractors
        }
        for crossing in (False, True)
    }
    assert reached == {False: {1, 2, 3, 4}, True: set(range(1, 10))}


def test_the_same_seed_gives_the_same_sets_and_another_seed_others(candidates, package_sets):
    everyone = range(len(candidates.units))
    again, _ = choose_distractors(candidates, everyone, LEVELS, seed=42)
    other, _ = choose_distractors(candidates, everyone, LEVELS, seed=43)
    assert again == package_sets
    differ = Counter(a.level for a, b in zip(package_sets, other, strict=True) if a != b)
    # Trivial draws 4 of 51, so that all but a few differ.
    assert differ["trivial"] >= 50


def test_the_target_is_the_option_in_the_middle_as_often_as_any_other():
    vectors = np.random.default_rng(2).normal(size=(400, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    units = make_units(*(f"f{i}" for i in range(400)))

    def in_the_middle(summaries):
        items = chosen(of(units, vectors, summaries), range(0, 400, 2), "very_hard")
        options = [vectors[[item.target, *item.distractors]] for item in items]
        return np.mean([(each @ each.T).sum(axis=1).argmax() == 0 for each in options])

    # Only a unit with a summary can be an anchor: with one alone, items are drawn around their targets.
    assert in_the_middle({0: "Summary."}) > 0.4
    # 1 of 20 options, give or take three standard errors over 200 items.
    assert in_the_middle({i: f"Summary {i}." for i in range(400)}) == pytest.approx(0.05, abs=0.046)
