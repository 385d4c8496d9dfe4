from tellapart.core.randomness import generator


def test_depends_on_seed_and_names_only():
    first = generator(42, "level", "unit").random(3).tolist()
    generator(42, "something else").random(10)
    assert generator(42, "level", "unit").random(3).tolist() == first
    # Seen once and kept: another machine or another release must draw the same.
    assert generator(42, "level", "unit").integers(0, 1000, 3).tolist() == [150, 39, 754]


def test_names_are_kept_apart():
    assert generator(1, "ab", "c").random() != generator(1, "a", "bc").random()
    assert generator(1, "a").random() != generator(2, "a").random()
