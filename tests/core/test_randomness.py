import numpy as np

from tellapart.core.randomness import asking_order, generator

ITEMS = [f"q{k:03d}" for k in range(300)]
KINDS = {item: "hard" if k % 3 == 0 else "easy" for k, item in enumerate(ITEMS)}


def test_depends_on_seed_and_names_only():
    first = generator(42, "level", "unit").random(3).tolist()
    generator(42, "something else").random(10)
    assert generator(42, "level", "unit").random(3).tolist() == first
    # Seen once and kept: another machine or another release must draw the same.
    assert generator(42, "level", "unit").integers(0, 1000, 3).tolist() == [150, 39, 754]


def test_names_are_kept_apart():
    assert generator(1, "ab", "c").random() != generator(1, "a", "bc").random()
    assert generator(1, "a").random() != generator(2, "a").random()


def test_every_beginning_has_its_share_of_each_kind():
    order = asking_order(ITEMS, seed=1, kinds=KINDS)
    hard = np.cumsum([KINDS[item] == "hard" for item in order])
    assert np.abs(hard - np.arange(1, 301) / 3).max() <= 2
    assert sorted(order) == ITEMS


def test_it_depends_on_the_seed_alone():
    order = asking_order(ITEMS, seed=1)
    assert order == asking_order(ITEMS[::-1], seed=1)
    assert order != asking_order(ITEMS, seed=2)
    # The position of an item says nothing about its id: the correlation is that of chance (sd 1/sqrt(299)).
    assert abs(np.corrcoef(np.argsort(order), np.arange(300))[0, 1]) < 4 / np.sqrt(299)
