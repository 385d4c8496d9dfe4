from tellapart.bundles.mining.candidates import draw_pairs
from tellapart.bundles.mining.events import number_events
from tellapart.bundles.mining.settings import Settings, strength
from tellapart.core.bundle import Event


def names(events, pairs):
    return [(events.ids[a], events.ids[p]) for a, p in pairs.tolist()]


def test_all_ordered_pairs_of_distinct_contents_where_they_are_few():
    made = [Event(event_id=name, text=text, sense="s") for name, text in zip("abcd", "xyzx", strict=True)]
    made += [Event(event_id="e", text="alone", sense="t"), Event(event_id="f", text="alone ", sense="t")]
    events = number_events(made)
    pairs = draw_pairs(events, Settings())
    # d is a copy of a; the sense t has a single content.
    assert names(events, pairs) == [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]


def test_at_most_so_many_a_sense_all_different_and_other_with_another_seed():
    made = [Event(event_id=f"{i:02d}", text=f"t{i}", sense="s") for i in range(20)]
    events = number_events(made)
    drawn = [names(events, draw_pairs(events, Settings(seed=seed))) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 15
    assert all(anchor != positive for anchor, positive in drawn[0])


def test_strength_of_ten_lineups_is_the_documented_one():
    found = [strength(passes, 10) for passes in range(11)]
    assert found == [None] * 2 + ["low"] * 3 + ["mid"] * 3 + ["ultra"] * 3
